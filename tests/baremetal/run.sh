#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds board.c with the cross compiler and runs it on ricotta, with machine
# time and without, with the memory model and without.  TAP.
# ORIGIN_QEMU and ORIGIN_MACHINES come from build/env.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ -n "${ORIGIN_QEMU:-}" ] || . "$root/build/env"
cross=${CROSS:-mips64-linux-gnuabi64-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

say() {
    n=$((n + 1))
    echo "$1 $n - $2"
}

if ! "${cross}gcc" -O2 -Wall -Wextra -march=mips4 -mabi=64 -EB -mno-abicalls \
        -fno-pic -G0 -ffreestanding -fno-builtin -nostdlib -static \
        -I"$root/include" -Wl,-T,"$here/board.ld",--build-id=none \
        -o "$tmp/board.elf" "$here/start.S" "$here/board.c" -lgcc \
        >"$tmp/cc" 2>&1; then
    sed 's/^/# /' "$tmp/cc"
    echo 'Bail out! the test does not compile'
    exit 1
fi
bad=0
for model in on off; do
    for time in '-icount mode=mp,quantum=1000' ''; do
        # shellcheck disable=SC2086
        timeout 60 "$ORIGIN_QEMU" \
            -M "origin2000,description=$ORIGIN_MACHINES/ricotta.dtb,model=$model" \
            $time -nodefaults -display none -serial stdio -no-reboot \
            -kernel "$tmp/board.elf" -append "${time:+mp}" >"$tmp/out" 2>"$tmp/err" </dev/null
        status=$?
        what="model=$model ${time:-round robin}"
        tr -d '\r' <"$tmp/out" >"$tmp/tap"
        while read -r first rest; do
            case "$first $rest" in
            'ok '*) say ok "$what:${rest#* -}" ;;
            'not ok '*) say 'not ok' "$what:${rest#* * -}"; bad=1 ;;
            '#'*) echo "$first $rest" ;;
            esac
        done <"$tmp/tap"
        if [ $status -eq 0 ] && grep -q '^1\.\.' "$tmp/tap"; then
            say ok "$what: runs to the end and powers off"
        else
            sed 's/^/# /' "$tmp/err"
            say 'not ok' "$what: runs to the end and powers off (exit $status)"
            bad=1
        fi
    done
done
echo "1..$n"
exit $bad
