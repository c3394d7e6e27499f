#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hostile code on the processors (hostile/hostile.c): QEMU lives, and so does the program.  Short runs of fixed seeds;
# tests/soak/hostile_cpu.sh makes long ones.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
here=$root/tests/cpu

bare "$tmp/hostile.elf" "$here/hostile/hostile.c"

# hostile DTS CPUS OPTIONS ICOUNT ARGS
hostile() {
    dtc -q -I dts -O dtb -o "$tmp/machine.dtb" "$1"
    # shellcheck disable=SC2086
    timeout 60 "$ORIGIN_QEMU" -M "origin2000,description=$tmp/machine.dtb$3" $4 -nodefaults -display none -no-reboot \
        -serial stdio -kernel "$tmp/hostile.elf" -append "cpus=$2 $5" </dev/null >"$tmp/out" 2>"$tmp/err"
    status=$?
    bare_points "$3 $4 $5" "$tmp/out"
    is "$3 $4 $5: ends" "$ended $status $(head -n 3 "$tmp/err")" "yes 0 "
}

mp='-icount mode=mp,quantum=1000'
hostile "$here/r10000.dts" 4 ,model=on "$mp" 'seed=1 rounds=3000'
hostile "$here/r12000.dts" 4 ,model=on,time=full "$mp" 'seed=2 rounds=2000'
hostile "$here/r10000.dts" 4 ,model=on,range-monitor=on "$mp" 'seed=3 rounds=2000'
hostile "$here/r12000.dts" 4 ,model=off,r2=off "$mp" 'seed=4 rounds=3000'
# Eight processors: a round of so many is shared among threads.
hostile "$root/tests/baremetal/counters.dts" 8 ,model=on "$mp,threads=3" 'seed=6 rounds=1000'
finish
