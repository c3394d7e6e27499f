#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hostile code on processors, and random writes to all registers: many seeds, long runs.  A guest may end itself, by one line of
# the PROM or by its halt.  QEMU must not end otherwise.  HOSTILE_SEEDS says how many seeds (default 40), HOSTILE_FIRST which is the first.
# timeout: 7200
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
first=${HOSTILE_FIRST:-1000}
last=$((first + ${HOSTILE_SEEDS:-40} - 1))

bare "$tmp/hostile.elf" "$root/tests/cpu/hostile/hostile.c"
dtc -q -I dts -O dtb -o "$tmp/two.dtb" "$root/tests/cpu/r10000.dts"
dtc -q -I dts -O dtb -o "$tmp/four.dtb" "$root/tests/baremetal/counters.dts"

# how MACHINE CPUS OPTIONS ICOUNT ARGS: how it ended
how() {
    # shellcheck disable=SC2086
    timeout 600 "$ORIGIN_QEMU" -M "origin2000,description=$tmp/$1.dtb$3" $4 -nodefaults -display none -no-reboot \
        -serial stdio -kernel "$tmp/hostile.elf" -append "cpus=$2 $5" </dev/null >"$tmp/out" 2>"$tmp/err"
    status=$?
    if [ $status = 0 ] && grep -q '^# end' "$tmp/out"; then
        echo 'by itself'
    elif [ $status = 1 ] && grep -q 'origin2000: PROM: ' "$tmp/err"; then
        echo 'by itself'
    else
        echo "status $status: $(head -n 3 "$tmp/err")"
    fi
}

mp='-icount mode=mp,quantum=1000'
for ((seed = first; seed <= last; seed++)); do
    args="seed=$seed rounds=40000"
    is "seed $seed" "$(how two 4 ,model=on "$mp" "$args")" 'by itself'
    is "seed $seed, full" "$(how two 4 ,model=on,time=full,range-monitor=on "$mp" "$args")" 'by itself'
    is "seed $seed, no model" "$(how two 4 ,model=off "$mp" "$args")" 'by itself'
    is "seed $seed, three threads" "$(how four 8 ,model=on "$mp,threads=3" "$args")" 'by itself'
    ok "seed $seed, registers" "$root/build/qtest/test_regs_fuzz" "$seed" 200000
done
finish
