#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What can end QEMU in our code, and why neither a guest nor a file gets there: see "What ends QEMU" in docs/board.md. A row for each file.
#   1: the file below qemu-origin; patches stands for the lines that all of them add
#   2: assertions and aborts, ends of the process: how many the file has
#   3: why
# A new one needs a reason here. One that a guest's register, instruction or memory can reach is a fault: do what the hardware does.
cd "$(dirname "$0")/../../qemu-origin" || exit 99
assertions='\b(g_assert[a-z_]*|assert|SN_ASSERT|SN_ENV_ABORT|tcg_debug_assert|abort|g_error|hw_error) *\(|&error_abort'
ends='\b_?exit *\(|&error_fatal'

# count PATTERN FILE: the lines that are not comments
count() {
    if [ "$2" = patches ]; then
        sed -n 's/^+//p' patches/*.patch
    else
        cat "$2"
    fi | grep -vE '^ *(/?\*|//)' | grep -cE "$1"
}

found=$({
    grep -rlE "$assertions|$ends" board engine overlay
    echo patches
} | sort | while read -r file; do
    a=$(count "$assertions" "$file") e=$(count "$ends" "$file")
    [ "$a$e" = 00 ] || echo "$file | $a $e |"
done)

allowed=$(
    cat <<'END'
board/checkpoint.c | 0 4 | --save and --restore: a line says why, or the machine has been saved as asked
board/command.c | 0 2 | at start: options, in one line
board/firmware/firmware.c | 0 1 | at start: the PROM's memory
board/firmware/klconfig.c | 1 2 | at start: a description or a command line that does not fit, in one line; a board has no more components than this file enters
board/firmware/loader.c | 0 6 | at start: a kernel or initramfs that cannot be used, in one line
board/futures.c | 0 9 | forked futures: a process that is a template ends, or one that cannot become a future says why
board/job.c | 0 1 | the file that the launcher wrote cannot be read: a line says why
board/machine.c | 2 15 | at start: options and description, in one line; links between our own devices
board/model/engine.c | 0 1 | at start: no memory for the engine
board/node/hub_ii.c | 1 0 | at start: which widget is where is in the source
board/node/node.c | 3 0 | at start: properties of our own devices
board/profile/accesses.c | 0 1 | at start, or as the machine is reset: no place for the file
board/profile/computing.c | 1 0 | a row is made only where a look found none
board/profile/follow.c | 0 1 | at start: no memory for the events
board/profile/kernel.c | 0 3 | at start: a file of options, in one line
board/profile/tap.c | 0 3 | at start: no memory, or a folder that cannot be written
board/profile/threads.c | 0 1 | before the first user instruction: the layout is of another kernel file, in one line
board/profile/watch.c | 0 2 | at start: a file of options, in one line
board/regfile.c | 5 0 | at start: rows and hooks agree; then offsets that are constants of the source
board/roi.c | 0 2 | at start: options, in one line
board/truth.c | 0 1 | at start: a file that cannot be written
board/whatif/whatif.c | 0 1 | at start: options, in one line
board/xio/io.c | 0 4 | at start: devices and their properties
engine/env.h | 4 0 | the definitions
engine/observe/event.c | 1 0 | a row fits into its buffer, which has room for two lists of all nodes and SN_WAITS_MAX waits
engine/proto/dir.c | 2 0 | no memory of the host, which ends QEMU's own allocations, too
engine/proto/proto.c | 1 0 | a row of the protocol sends two messages at most; tests/model and tests/fuzz try all
overlay/accel/tcg/memory-model.c.inc | 6 0 | at start: the sizes of the caches are constants
overlay/accel/tcg/mp-clock.c | 4 1 | at start: clocks of a description are within limits, more processors than machine time has; who posts holds the BQL
overlay/accel/tcg/mp-stacks.c | 1 0 | no memory for a stack
overlay/accel/tcg/tcg-accel-ops-mp.c | 1 1 | who calls holds the BQL; at start: no migration
overlay/target/mips/system/r10k_start.c | 1 0 | at start: the loader counts
patches | 1 0 | QEMU's own check of a constant, repeated
END
)

diff <(sed 's/|[^|]*$/|/' <<<"$allowed") <(echo "$found") | sed -n 's/^</# no longer so: /p; s/^>/# without a reason: /p'
if [ "$(sed 's/|[^|]*$/|/' <<<"$allowed")" = "$found" ]; then
    echo 'ok 1 - what can end QEMU has a reason'
else
    echo 'not ok 1 - what can end QEMU has a reason'
fi
echo 1..1
[ "$(sed 's/|[^|]*$/|/' <<<"$allowed")" = "$found" ]
