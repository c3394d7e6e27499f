#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bare-metal tests of the board.  board.c runs on ricotta, with and without machine time, with and
# without the memory model.  counters.c runs on counters.dts with both, at two quanta.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/build/env"
cross=$ORIGIN_CROSS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
bad=0

say() {
    n=$((n + 1))
    echo "$1 $n - $2"
}

build() {
    if ! "${cross}gcc" -O2 -Wall -Wextra -Werror -march=mips4 -mabi=64 -EB -mno-abicalls \
            -fno-pic -G0 -ffreestanding -fno-builtin -nostdlib -static \
            -I"$root/include" -Wl,-T,"$here/board.ld",--build-id=none \
            -o "$tmp/$1.elf" "$here/start.S" "$here/$1.c" -lgcc >"$tmp/cc" 2>&1; then
        sed 's/^/# /' "$tmp/cc"
        echo "Bail out! $1.c does not compile"
        exit 1
    fi
}

# run WHAT PROGRAM DTB MODEL TIME-OPTIONS: repeats the program's points and checks that it ends
run() {
    # shellcheck disable=SC2086
    timeout 60 "$ORIGIN_QEMU" -M "origin2000,description=$3,model=$4" \
        $5 -nodefaults -display none -serial stdio -no-reboot \
        -kernel "$tmp/$2.elf" -append "${5:+mp}" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    tr -d '\r' <"$tmp/out" >"$tmp/tap"
    while read -r first rest; do
        case "$first $rest" in
        'ok '*) say ok "$1:${rest#* -}" ;;
        'not ok '*) say 'not ok' "$1:${rest#* * -}"; bad=1 ;;
        '#'*) echo "$first $rest" ;;
        esac
    done <"$tmp/tap"
    if [ $status -eq 0 ] && grep -q '^1\.\.' "$tmp/tap"; then
        say ok "$1: runs to the end and powers off"
    else
        sed 's/^/# /' "$tmp/err"
        say 'not ok' "$1: runs to the end and powers off (exit $status)"
        bad=1
    fi
}

build board
for model in on off; do
    for time in '-icount mode=mp,quantum=1000' ''; do
        run "model=$model ${time:-round robin}" board "$ORIGIN_MACHINES/ricotta.dtb" $model "$time"
    done
done

build counters
dtc -q -I dts -O dtb -o "$tmp/counters.dtb" "$here/counters.dts"
for quantum in 1000 5000; do
    run "counters, quantum $quantum ns" counters "$tmp/counters.dtb" on "-icount mode=mp,quantum=$quantum"
    mv "$tmp/tap" "$tmp/counters.$quantum"
done
if cmp -s "$tmp/counters.1000" "$tmp/counters.5000"; then
    say ok 'counters: the same at both quanta'
else
    say 'not ok' 'counters: the same at both quanta'
    bad=1
fi
echo "1..$n"
exit $bad
