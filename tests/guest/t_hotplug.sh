#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors go offline and come back: again and again under load, all but one, both of a node. What belongs to a processor (timers, event
# counters) comes back with it. What it did for its node (counter interrupts) is done by another processor, or by a timer if the node has none
# left. tests/soak/hotplug.sh does it fifty times with every processor busy.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/refcnt" "$root/tests/guest/refcnt.c" || exit 99
"$origin" cc -O2 -I"$root/include" -o "$tmp/r10k_perf" "$root/tests/guest/r10k_perf.c" || exit 99
cp "$root/tests/guest/hotplug.inc" "$tmp/lib"

# shellcheck disable=SC2016
under_load() { # under_load MACHINE ROUNDS PROCESSORS
    run -m "$1" --model=off -s "$tmp" -- '. ./lib
        echo $last; ls /sys/devices/system/cpu/cpu0/online 2>/dev/null
        load '"$3"'; again '"$2"' 5; idle; echo $rounds; cut -d " " -f 1 /proc/uptime >uptime
        complaints' </dev/null
}
under_load ricotta 4 4
is "ricotta: CPU 5 goes and comes 4 times under load; CPU 0 stays; no complaint" "$status $(echo "$out" | xargs)" "0 15 4"
mv "$tmp/uptime" "$tmp/first"
under_load ricotta 4 4
ok "the same twice takes the same time: nothing depends on the host" cmp "$tmp/uptime" "$tmp/first"
under_load arctic 2 4
is "arctic: CPU 5 goes and comes twice under load; no complaint" "$status $(echo "$out" | xargs)" "0 63 2"

# shellcheck disable=SC2016
run -m ricotta --model=off -s "$tmp" -- '. ./lib
    ticks() { awk -v c=$1 "/hub-rt/ { print \$(c + 2) }" /proc/interrupts; }
    calls() { awk -v c=$1 "/^IPI/ { s += \$(c + 2) } END { print s + 0 }" /proc/interrupts; }
    for c in 4 5; do off $c; done; echo both $(cat /sys/devices/system/cpu/online)
    taskset -c 4 true 2>/dev/null || echo refused; cat /hw/nodenum/2/stat >/dev/null && echo node works
    for c in 4 5; do on $c; done
    load 1; for c in $(seq $last); do off $c; done; echo alone $(cat /sys/devices/system/cpu/online)
    find /hw >/dev/null; for c in $(seq $last); do on $c; done; idle; echo all $(cat /sys/devices/system/cpu/online)
    t=$(ticks 5); taskset -c 5 sleep 0.2; [ $(ticks 5) -gt $t ] && echo timer
    taskset -c 5 cut -d " " -f 39 /proc/self/stat
    cat /hw/stat >/dev/null; rmmod snpc && insmod /lib/modules/$(uname -r)/snpc.ko && echo modules
    complaints' </dev/null
is "ricotta: both processors of a node, then all but one; timers and programs on one that came back" "$status
$out" '0
both 0-3,6-15
refused
node works
alone 0
all 0-15
timer
5
modules'

# Counter interrupts of node 1 while its first processor is offline, of nodes 3 and 4 while both processors are, and after both have come
# back; event counters of a processor that has come back.
# shellcheck disable=SC2016
run -m ricotta -s "$tmp" -- '. ./lib
    off 2; ./refcnt 1 6 80 1; on 2
    for c in 6 7 8 9; do off $c; done; ./refcnt 3 6 80 1; ./refcnt 4 5 80 1 page 3
    grep "refcnt: counter interrupts" /hw/stat; for c in 6 7 8 9; do on $c; done; ./refcnt 3 6 80 1
    for p in /proc/[0-9]*/status; do grep -q "^Name:.*refcnt/3$" $p && sed -n "s/Cpus_allowed_list:.*\t/refcnt of node 3 on /p" $p; done
    off 5; on 5; taskset -c 5 ./r10k_perf 24
    grep "refcnt: counter interrupts" /hw/stat; complaints' </dev/null
is "reference counters and event counters count right" "$status $(echo "$out" | grep '^not ok')" "0 "
within "all points" 20 "$(echo "$out" | grep -c '^ok')" 100
like "counter interrupts are counted on their node" "$out" '^refcnt: counter interrupts: [0-9]+ = 0 [1-9][0-9]* 0 0 0 0 0 0$'
like "they are back with its processors" "$out" '^refcnt: counter interrupts: [0-9]+ = 0 [1-9][0-9]* 0 [1-9][0-9]* [01] 0 0 0$'
like "so is the thread" "$out" '^refcnt of node 3 on 6-7$'
unlike "no complaint" "$out" 'WARNING|BUG|Oops|Call Trace'
finish
