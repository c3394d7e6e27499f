#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The modules on a kernel that checks itself (kernel/debug.config): locks, RCU, slab objects, timers, lists, leaks; with processors that go
# offline and come back; with allocations that fail, at random and each in its turn. Without the memory model.
# Usage: drivers.sh [CALLS]    hostile calls in a row (500)
. "$(dirname "$0")/../lib.sh"
[ -e "$root/build/debug-kernel/vmlinux" ] || skip_all 'make debug-kernel first'
calls=${1:-500}
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
"$origin" cc -O2 -o "$tmp/failnth" "$root/tests/debug/failnth.c" || exit 99
cp "$root"/build/debug-modules/*.ko "$tmp"
cp "$root/tests/guest/hotplug.inc" "$tmp"
# What the initramfs loads at boot, in its order.
grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"

# The loading order backwards is the unloading order.
cat >"$tmp/lib" <<'LIB'
up() { while read -r m args; do insmod $m.ko $args || return 1; done <load; mount -t hwgfs hwgfs /hw; }
down() { umount /hw; for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || return 1; done; }
# Not the call traces by which the kernel tells that it had no memory, for pages or a slab cache; nor jump labels, which warn when a module
# fails for want of it.
complaints() { dmesg | grep -E "WARNING|BUG|Oops|INFO: |ODEBUG|suspicious|corrupt|Poison overwritten|Redzone|Unhandled|Unable to|detected stall|self-detected|soft lockup" | grep -v jump_label_; }
# kmemleak believes an object lost when it is older than 5 s and a scan finds no pointer to it. What it finds before the modules are
# loaded does not count. Nor do the page allocator's lists: IP27 takes the memory of their owners, the nodes' pg_data_t, by itself
# (prom_meminit()), so kmemleak does not know it and sees no pointer there. Nor the name of a slab cache whose kobject could not be added:
# sysfs_slab_add() forgets it.
scan() { sleep 6; echo scan >/sys/kernel/debug/kmemleak; }
before() { scan; scan; echo clear >/sys/kernel/debug/kmemleak; }
leaks() {
    scan; scan
    awk 'function done() { if (!known) printf "%s", block; block = ""; known = 0 }
        /^unreferenced object/ { done() }
        { block = block $0 "\n" }
        /setup_zone_pageset\+|sysfs_slab_add\+/ { known = 1 }
        END { done() }' /sys/kernel/debug/kmemleak
}
# At the end: leaks, complaints and the state of lockdep, which a complaint turns off.
sound() { leaks >leaks; dmesg >log; grep -c . leaks; awk "/debug_locks/ { print \$2 }" /proc/lockdep_stats; complaints || :; }
# What fails when: make-it-fail of a task, or its fail-nth.
f=/sys/kernel/debug
injection() {
    for d in failslab fail_page_alloc fail_usercopy; do
        echo Y >$f/$d/task-filter; echo 0 >$f/$d/verbose; echo 20 >$f/$d/interval; echo -1 >$f/$d/times; echo 0 >$f/$d/space
        [ ! -e $f/$d/ignore-gfp-wait ] || echo N >$f/$d/ignore-gfp-wait
        [ ! -e $f/$d/min-order ] || echo 0 >$f/$d/min-order
    done
}
failing() { # failing PERCENT COMMAND...: of every 20th allocation of the command so many fail
    p=$1; shift
    for d in failslab fail_page_alloc fail_usercopy; do echo $p >$f/$d/probability; done
    (echo 1 >/proc/self/make-it-fail; exec "$@"); r=$?
    for d in failslab fail_page_alloc fail_usercopy; do echo 0 >$f/$d/probability; done
    return $r
}
LIB
debug() { # debug MACHINE COMMANDS
    run -m "$1" --model=off -k "$root/build/debug-kernel/vmlinux" -s "$tmp" -- ". ./lib; $2" </dev/null
}
# What a run left behind, when it is not sound.
report() {
    [ ! -s "$tmp/leaks" ] || sed 's/^/# /' "$tmp/leaks" | head -n 60
    grep -A 70 -E 'WARNING|BUG|INFO: ' "$tmp/log" | sed 's/^/# /' | head -n 150
}

# shellcheck disable=SC2016
debug ricotta 'dmesg >boot; uname -r; before; up && echo up; find /hw | wc -l; grep -c . /proc/lockdep
    ./hostile '"$calls"'; ./hostile '"$calls"' . 2; cp hostile /tmp; chmod 755 /tmp/hostile; su guest -c "/tmp/hostile 100"
    . ./hotplug.inc; load 2; again 3 5; off 2; off 3; on 2; on 3; idle; echo $rounds
    for i in 1 2 3; do down && up || echo cannot; done
    down && injection; for a in fixed flexible; do
        insmod statctr.ko allocator=$a && insmod statctr_test.ko && cat /proc/statctr_test >statctr.$a
        rmmod statctr_test statctr; done
    up; down; sound'
is 'status' "$status" 0
# shellcheck disable=SC2086
set -- $out
like 'it is the debug kernel' "$1" '-debug$'
is 'modules loaded' "$2" up
within '/hw is there' 100 "$3" 10000
within 'lockdep knows locks' 500 "$4" 100000
is 'hostile calls of root and of a user' "$5 $6 $7" 'ok ok ok'
is 'processors went and came under load' "$8" 3
is 'no leak, lockdep alive, no complaint' "$(shift 8; echo "$*")" '0 1'
[ "$(shift 8; echo "$*")" = '0 1' ] || report
for a in fixed flexible; do
    is "statistics counters, $a: every point" "$(grep -c '^not ok' "$tmp/statctr.$a")" 0
    within "statistics counters, $a: points" 20 "$(grep -c '^ok' "$tmp/statctr.$a")" 100
    like "statistics counters, $a: allocations failed" "$(cat "$tmp/statctr.$a")" 'ok .*fault injection: statctr_ninit fails cleanly at each of [0-9]+ allocations'
done
unlike 'no complaint at boot' "$(cat "$tmp/boot")" 'WARNING|BUG|Oops|Call Trace|INFO: (possible|trying|suspicious)|ODEBUG'

# Any allocation of insmod and of the users of the devices may fail: the call may, the kernel may not. Nothing is read from the share
# meanwhile.
# shellcheck disable=SC2016
debug ricotta 'cp *.ko load hostile /tmp; cd /tmp; injection; before; good=0 bad=0
    for p in 1 3 10 30; do for i in 1 2 3; do
        while read -r m args; do failing $p insmod $m.ko $args && good=$((good + 1)) || bad=$((bad + 1)); done <load
        failing $p mount -t hwgfs hwgfs /hw; failing $p find /hw >/dev/null
        umount /hw 2>/dev/null
        for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || echo "$m stays"; done
    done; done 2>/dev/null
    echo "insmod $good $bad"
    up || exit 1
    for p in 1 5 20; do failing $p ./hostile '"$calls"'; failing $p ./hostile '"$calls"' . 2; done 2>/dev/null >/dev/null
    ./hostile 100
    down && echo down; cd /share; sound'
is 'with failing allocations: status' "$status" 0
within 'insmod has succeeded' 5 "$(echo "$out" | awk '$1 == "insmod" { print $2 }')" 1000
within 'insmod has failed' 5 "$(echo "$out" | awk '$1 == "insmod" { print $3 }')" 1000
want='ok
down
0
1'
is 'everything works afterwards; no leak, lockdep alive, no complaint' "$(echo "$out" | sed 1d)" "$want"
[ "$(echo "$out" | sed 1d)" = "$want" ] || report

# Each allocation in its turn, on a machine whose /hw is small: every module, mounting, listing and reading it, a processor that comes.
# shellcheck disable=SC2016
debug origin200 'injection; before
    while read -r m args; do ./failnth load $m.ko $args || exit 1; done <load
    mount -t hwgfs hwgfs /hw
    for d in $(find /hw -type d); do ./failnth list $d || exit 1; done >lists
    for x in /hw/stat /hw/inventory /hw/nodenum/0/stat; do [ ! -e $x ] || ./failnth read $x || exit 1; done
    echo 0 >/sys/devices/system/cpu/cpu1/online; ./failnth write /sys/devices/system/cpu/cpu1/online 1 0
    ./hostile 100; down; echo MARK; sound'
is 'each allocation in its turn: status' "$status" 0
for m in $(cut -d ' ' -f 1 "$tmp/load"); do
    within "$m.ko: allocations that failed" 3 "$(echo "$out" | sed -n "s/^load $m.ko: //p")" 5000
done
within '/hw listed' 10 "$(grep -c '^list' "$tmp/lists")" 10000
within 'a processor that comes: allocations that failed' 1 "$(echo "$out" | sed -n 's/^write online: //p')" 5000
is 'afterwards: no leak, lockdep alive, no complaint' "$(echo "$out" | sed '1,/^MARK$/d')" '0
1'
[ "$(echo "$out" | sed '1,/^MARK$/d')" = '0
1' ] || { echo "$out" | sed 's/^/# /'; report; }
finish
