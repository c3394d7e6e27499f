#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The shape of the statistics counters' cost in machine time: a shared counter is cheapest on one CPU and grows with the CPUs, a
# statctr stays flat; the event counters of the same runs say why.
. "$(dirname "$0")/../lib.sh"
# shellcheck disable=SC2016
job='umount /hw; for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || exit 1; done
    cd /lib/modules/$(uname -r); ifconfig lo 127.0.0.1 up
    for a in fixed flexible; do
        insmod statctr.ko allocator=$a && insmod hwgfs.ko && insmod snpc.ko && insmod statctr_bench.ko && mount -t hwgfs hwgfs /hw || exit 1
        for l in /hw/nodenum/*/hub/ni; do : <$l; done
        for k in global atomic statctr lo:global lo:statctr; do
            for c in 1 2 8; do
                for e in "0 17 2" "13 31 3"; do
                    n=1000 times=1; case $k in lo:*) n=50 times="1 2 3" ;; esac
                    for i in $times; do
                        echo $k $c $n $e >/proc/statctr_bench && echo $a $e $(cat /proc/statctr_bench) || exit 1
                    done
                done
            done
        done
        umount /hw; rmmod statctr_bench snpc hwgfs statctr
    done'
run -m ricotta --model=on -- "$job" </dev/null
is "measured" "$status $(printf '%s\n' "$out" | wc -l)" "0 108"
# Fields 8 and 9 of a run are the sums of its events. The least of a few runs counts, since one interrupt costs as much as a third of fifty packets.
per() { # per ALLOCATOR EVENT0 KIND CPUS FIELD
    printf '%s\n' "$out" | awk -v a="$1" -v e="$2" -v k="$3" -v c="$4" -v f="$5" '$1 == a && $2 == e && $5 == k && $6 == c && (!n++ || $f < least) { least = $f; ops = $6 * $7 }
        END { print least / ops }'
}
# Micropackets that the Hubs sent to their routers, per increment.
net() { # net ALLOCATOR KIND CPUS
    printf '%s\n' "$out" | awk -v a="$1" -v k="$2" -v c="$3" '$1 == a && $2 == 0 && $5 == k && $6 == c { print $17 / $18 }'
}
for a in fixed flexible; do
    # To come from another node, a line takes a packet of 9 micropackets: the header and 8 of 16 bytes each.
    less "$a: 8 CPUs: a global counter's line crosses the network for every increment" 9 "$(net $a global 8)"
    less "$a: 8 CPUs: a statctr leaves the network alone" "$(net $a statctr 8)" 1
    one=$(per $a 0 statctr 1 8)
    less "$a: one CPU: a global counter is cheaper" "$(per $a 0 global 1 8)" "$one"
    for c in 2 8; do
        # Nothing is shared, so the processors do the same: but for the loop's first misses, which are less than a cycle in a hundred.
        within "$a: $c CPUs: a statctr costs what it costs on one" "$(awk "BEGIN { print $one * 0.99 }")" "$(per $a 0 statctr $c 8)" \
            "$(awk "BEGIN { print $one * 1.01 }")"
        less "$a: $c CPUs: a global counter costs more than ten times as much" "$(awk "BEGIN { print $one * 10 }")" "$(per $a 0 global $c 8)"
        # An increment can take the line from each of the others once. Who has it makes up to two and a half on average before it goes.
        within "$a: $c CPUs: its line is invalidated for 4 of 10 increments and more" 0.4 "$(per $a 13 global $c 8)" $((c - 1))
        # Of a thousand increments on each processor, less than ten lines: those of the loop's begin and end.
        less "$a: $c CPUs: nobody invalidates a statctr" "$(per $a 13 statctr $c 8)" 0.01
        less "$a: $c CPUs: nobody else has a statctr's line" "$(per $a 13 statctr $c 9)" 0.01
        less "$a: $c CPUs: packets over lo: a statctr is cheaper" "$(per $a 0 lo:statctr $c 8)" "$(per $a 0 lo:global $c 8)"
    done
    less "$a: a global counter costs more on eight CPUs than on two" "$(per $a 0 global 2 8)" "$(per $a 0 global 8 8)"
    less "$a: packets over lo, one CPU: global counters are cheaper" "$(per $a 0 lo:global 1 8)" "$(per $a 0 lo:statctr 1 8)"
done
finish
