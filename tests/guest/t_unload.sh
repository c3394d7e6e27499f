#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that are unloaded while they have work: refcnt.ko while the counters of all frames of its last node are unpegged, and while pages of a
# range migrate.
# Usage: t_unload.sh [TIMES]    10
. "$(dirname "$0")/../lib.sh"
times=${1:-10}
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
finish
