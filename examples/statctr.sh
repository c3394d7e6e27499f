# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest: cycles for an increment of each kind of counter on 1, 2, 4 ... processors at once, as lines "counter KIND CPUS CYCLES".
# driver/statctr/statctr_bench.c has the loop. Usage: sh statctr.sh INCREMENTS
cd "/lib/modules/$(uname -r)" || exit 1
umount /hw
for m in $(cut -d ' ' -f 1 /proc/modules); do rmmod "$m" || exit 1; done
for a in fixed flexible; do
    insmod statctr.ko allocator=$a && insmod hwgfs.ko && insmod snpc.ko && insmod statctr_bench.ko || exit 1
    [ $a = fixed ] && kinds='global atomic percpu statctr' || kinds=statctr
    for kind in $kinds; do
        cpus=1
        while [ "$cpus" -le "$(nproc)" ]; do
            echo "$kind" $cpus "$1" 0 1 2 >/proc/statctr_bench || exit 1
            # KIND CPUS OPS SUM0 ...: event 0 is cycles, summed over the processors
            read -r _ _ ops cycles _ </proc/statctr_bench
            [ $kind = statctr ] && name=statctr-$a || name=$kind
            echo "counter $name $cpus $((10 * cycles / (ops * cpus)))" | sed 's/\(.\)$/.\1/'
            cpus=$((cpus * 2))
        done
    done
    rmmod statctr_bench snpc hwgfs statctr || exit 1
done
