#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Generated code that calls a helper if a check fails (the line of code, a counter of branches) keeps the host's stack aligned, whatever registers it saves.
# A helper that the compiler made without SSE would not notice a wrong stack, so this test reads the code itself.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the ops are for x86-64 hosts'

bare "$tmp/test.elf" "$root"/tests/cpu/*.c
dtc -q -I dts -O dtb -o "$tmp/machine.dtb" "$root/tests/cpu/r10000.dts"
timeout 120 "$ORIGIN_QEMU" -M "origin2000,description=$tmp/machine.dtb,model=on" -icount mode=mp,quantum=1000 -nodefaults -display none \
    -no-reboot -serial stdio -kernel "$tmp/test.elf" -append 'model=R10000 r2=on l2=4194304 caches=on' -d out_asm -D "$tmp/asm" \
    </dev/null >"$tmp/out" 2>&1
like 'the program ends' "$(cat "$tmp/out")" '^# end'

python3 "$root/tests/cpu/stack.py" "$tmp/asm" >"$tmp/saved" 2>&1
is 'what is pushed is popped' "$?" 0
sed 's/^/# registers saved, slow paths: /' "$tmp/saved"
within 'slow paths' 1000 "$(awk '{ n += $2 } END { print n + 0 }' "$tmp/saved")" 1000000
ok 'some save registers' awk '$1 > 0 { found = 1 } END { exit !found }' "$tmp/saved"
is 'each saves an even number' "$(awk '$1 % 2' "$tmp/saved")" ''
finish
