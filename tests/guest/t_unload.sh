#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that are unloaded while they have work: refcnt.ko while the counters of all frames of its last node are unpegged, and while pages of a
# range migrate; each module while programs use it (churn.c); a module whose init function runs yet. rmmod says when it fails, and why.
# Usage: t_unload.sh [TIMES [TIMES-OF-ALL]]    4 2 (tests/soak/unload.sh: 200 100); churn.c does each module half as often as TIMES
. "$(dirname "$0")/../lib.sh"
times=${1:-4} all=${2:-2}
"$origin" cc -O2 -Wall -o "$tmp/churn" "$root/tests/guest/churn.c" || exit 99
"$origin" cc -O2 -o "$tmp/rotate" "$root/tests/guest/rotate.c" || exit 99
cp "$root/tests/guest/hotplug.inc" "$tmp/lib"

# Node 0 is ended first, and node 7's work collects counters of node 0 at that moment.
# shellcheck disable=SC2016
run -m ricotta -s "$tmp" -- '. ./lib
    gone=0
    for i in $(seq '"$times"'); do
        sn -s 7 -m fon -t 100 -u on -p 0 -w 1
        sleep 1.05
        rmmod refcnt; grep -q "^refcnt " /proc/modules || gone=$((gone + 1))
        insmod /lib/modules/$(uname -r)/refcnt.ko || echo "insmod fails"
    done
    echo "$gone"; complaints' </dev/null
is "refcnt.ko goes and comes while counters are unpegged: status, times; no complaint" "$status $out" "0 $times"

# shellcheck disable=SC2016
run -m ricotta -s "$tmp" -- '. ./lib
    moved=0 gone=0
    for i in $(seq '"$times"'); do
        ./rotate & p=$!
        sleep 0.03
        moved=$((moved + $(sed -n "s/^refcnt: auto migrations to node: \([0-9]*\) =.*/\1/p" /hw/stat)))
        rmmod refcnt; grep -q "^refcnt " /proc/modules || gone=$((gone + 1))
        kill $p; wait $p
        insmod /lib/modules/$(uname -r)/refcnt.ko || echo "insmod fails"
    done 2>/dev/null
    echo "$gone $moved"; complaints' </dev/null
# shellcheck disable=SC2086
set -- $out
is "refcnt.ko goes and comes while pages migrate: status, times" "$status $1" "0 $times"
within "pages moved meanwhile" $((times * 10)) "${2:-0}" 1000000
is "no complaint" "$(echo "$out" | sed 1d)" ""

# A request moves pages most of the time, and the module stays while it does.
# shellcheck disable=SC2016
run -m ricotta -s "$tmp" -- '. ./lib
    ./rotate request & p=$!
    refused=0 other=0
    sleep 0.05
    for i in $(seq '"$times"'); do
        if rmmod refcnt 2>said; then
            insmod /lib/modules/$(uname -r)/refcnt.ko || echo "insmod fails"
        else
            refused=$((refused + 1))
            sed 1d said | grep -q -x -E "rmmod: refcnt is in use by $p .rotate.: /proc/0*$p" || { other=$((other + 1)); cat said; }
        fi
    done
    moved=$(sed -n "s/^refcnt: user migrations to node: \([0-9]*\) =.*/\1/p" /hw/stat)
    kill $p; wait $p
    rmmod refcnt; echo "$? $other $refused $moved"; complaints' </dev/null
# shellcheck disable=SC2086
set -- $out
is "refcnt.ko goes when no request moves pages; each refusal says whose request does" "$status $1 $2" "0 0 0"
# A request takes longer than what lies between two of them, so it is met at least every other time.
within "it was refused meanwhile" $((times / 2)) "${3:-0}" "$times"
within "pages moved meanwhile" 1 "${4:-0}" 10000000

# shellcheck disable=SC2016
run -m origin200 --model=off -- 'exec 3</hw/nodenum/0/refcnt; rmmod refcnt; echo "$? $$"; exec 3<&-; rmmod refcnt; echo $?' </dev/null
# shellcheck disable=SC2086
set -- $out
is "rmmod of a device that is open: what it says" "$1 ${3:-} $err" "1 0 rmmod: can't unload module 'refcnt': Resource temporarily unavailable
rmmod: refcnt is in use by ${2:-} (sh): /hw/module/1/slot/n1/node/refcnt"

# shellcheck disable=SC2016
run -m ricotta --model=off -s "$tmp" -- '. ./lib
    D=$(dirname $(find /lib/modules -name refcnt.ko))
    for m in snpc r10k_perf refcnt; do ./churn $D '"$((times / 2))"' $m || exit; done
    umount /hw && rmmod r10k_perf snpc refcnt hwgfs statctr && for m in statctr hwgfs refcnt snpc r10k_perf; do insmod $D/$m.ko; done && mount -t hwgfs hwgfs /hw
    ./churn $D '"$all"' statctr hwgfs refcnt snpc r10k_perf
    complaints' </dev/null
is "modules go and come while programs use them: status, times; no complaint" "$status
$out" "0
1 modules, the last is snpc: $((times / 2)) times
1 modules, the last is r10k_perf: $((times / 2)) times
1 modules, the last is refcnt: $((times / 2)) times
5 modules, the last is r10k_perf: $all times"

# A device of a module whose init function runs yet cannot be opened, for if that function fails the module is freed, used or not.
# shellcheck disable=SC2016
run -m origin200 --model=off -s "$tmp" -- '. ./lib
    insmod=$(dirname $(find /lib/modules -name refcnt.ko))/init_test.ko
    insmod $insmod error=-5 2>/dev/null & until [ -e /hw/init_test ]; do usleep 1000; done
    sleep 2 </hw/init_test; wait $!; echo "insmod $?"
    insmod $insmod ms=1; cat /hw/init_test; exec 3</hw/init_test
    rmmod init_test; echo "in use: $?"; exec 3<&-; rmmod init_test; echo "free: $?"; rmmod init_test; echo "gone: $?"
    complaints' </dev/null
is "no device before the module has begun; rmmod fails when it fails" "$out" "insmod 5
open
in use: 1
free: 0
gone: 1"
like "opening it too early: the error" "$err" 'init_test: No such device or address'
finish
