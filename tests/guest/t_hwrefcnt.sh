#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference counters counted by hand (refcnt.c) with 11 and 19 bits on 1 to 32 nodes, before and across overflow; what the devices
# say of the machine; who may do what.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
"$origin" cc -O2 -o "$tmp/refcnt" "$root/tests/guest/refcnt.c" || exit 99
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99

counts() { # counts MACHINE "HOME READER ROUNDS MB"...
    m=$1
    shift
    job=
    for args; do job="$job ./refcnt $args || echo \"not ok - refcnt $args\";"; done
    run -m "$m" -s "$tmp" -- "$job cat /hw/nodenum/0/stat; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace'; true" </dev/null
    printf '%s\n' "$out" | grep -E '^(not )?ok - |^#|^Bail' >"$tmp/points"
    while IFS= read -r line; do
        case $line in
        ok\ -*) result 0 "$m: ${line#ok - }" ;;
        not\ ok\ -*) result 1 "$m: ${line#not ok - }" "$detail" ;;
        *) detail=$line ;;
        esac
    done <"$tmp/points"
    is "$m: five points a run, no complaint" "$status $(grep -c '^ok' "$tmp/points") $(printf '%s\n' "$out" | grep -cE 'WARNING|BUG|Oops')" "0 $(($# * 5)) 0"
}
# MB: many times the L2 caches of 1 and 8 MB, so that two ways keep nothing.
counts origin200 "0 0 5 24" "0 0 40 24"
counts ricotta "0 0 5 24" "3 1 10 24" "7 0 40 24" "1 6 80 24"
like "ricotta: interrupts are counted" "$(printf '%s\n' "$out" | tr '\n' ' ')" 'counter interrupts: [0-9]+ candidates missed: [0-9]+ sets updated: [0-9]+ ioctls: [1-9]'
counts arctic "0 31 3 100" "17 5 4 100"

run -m ricotta --model=off -s "$tmp" -- './hostile 2000; chmod 777 hostile; cp hostile /tmp; su guest -c "/tmp/hostile 500"
    ls -l /hw/nodenum/7/refcnt | cut -c 1-10
    exec 3</hw/nodenum/1/refcnt; rmmod refcnt 2>/dev/null; grep -c "^refcnt " /proc/modules; exec 3<&-
    rmmod refcnt && echo unloaded; ls /hw/nodenum/7/; ls /hw/nodenum/0/refcnt 2>&1
    dmesg | grep -E "WARNING|BUG|Oops|Call Trace"' </dev/null
is "hostile calls, permissions, unloading" "$out" "ok
ok
cr--r--r--
1
unloaded
cpu
hub
link
memory
ls: /hw/nodenum/0/refcnt: No such file or directory"
finish
