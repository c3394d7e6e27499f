#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors on three host threads under ThreadSanitizer: QEMU is built with it (some 20 minutes the first time), and two machines boot to
# `true`. One records a profile of sixteen processes, and one has remedies. Each report that tsan.supp does not explain fails the test; its reports stay in
# build/log/tsan.NAME.*.
# timeout: 7200
. "$(dirname "$0")/../lib.sh"
"$root/scripts/build-qemu" --tsan >"$tmp/build" 2>&1 || { sed 's/^/# /' "$tmp/build"; echo 'Bail out! QEMU does not build with ThreadSanitizer'; exit 99; }
set -a
# shellcheck source=/dev/null
. "$root/build/env"
ORIGIN_QEMU=$root/build/qemu-system-mips64-tsan
log=$root/build/log/tsan
# Reports do not end the machine, and they are not its exit status: which are left is counted below. The history is as long as can be, so that both
# accesses of most reports have their calls.
export TSAN_OPTIONS="suppressions=$root/tests/soak/tsan.supp history_size=7 exitcode=0 print_suppressions=1"

# watched NAME EXPECTED VERB OPTION... -- COMMAND: on three threads
watched() {
    local name=$1 expected=$2
    shift 2
    rm -f "$log.$name".*
    # The launcher's own streams must stay clean, so reports go to files. Host addresses are not randomized: the sanitizer's shadow has fixed places.
    TSAN_OPTIONS="$TSAN_OPTIONS log_path=$log.$name" setarch -R "$ORIGIN_LAUNCHER" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$name on three threads: status, output" "$? $(cat "$tmp/out")" "0 $expected"
    is "$name: reports" "$(cat "$log.$name".* 2>/dev/null | sed -n 's/^SUMMARY: //p' | sort | uniq -c)" ''
}
slow=(--threads=3 --boot-timeout=3000)
busy='for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do taskset -c $i md5sum /bin/busybox & done | sort -u | wc -l; wait'
watched origin200 2 run -m origin200 "${slow[@]}" -- 'nproc; true'
watched ricotta 16 run -m ricotta "${slow[@]}" -- 'nproc; true'
watched profile 1 profile -m ricotta "${slow[@]}" -o "$tmp/profile" -- "$busy"
watched remedy 1 run -m ricotta "${slow[@]}" --remedy='replicate 0x10000-0xffffffffff' -- "$busy"
# Without the library's own names in the program, nothing was watched.
ok 'the program is instrumented' grep -q __tsan_switch_to_fiber "$ORIGIN_QEMU"
finish
