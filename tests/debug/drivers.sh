#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The modules on a kernel that checks itself (kernel/debug.config): locks, RCU, slab objects, timers, lists, leaks. Processors go offline and come
# back. Allocations fail, first at random, then each one in its turn. The memory model is off.
# Usage: drivers.sh [CALLS]    hostile calls in a row (500)
. "$(dirname "$0")/../lib.sh"
[ -e "$root/build/debug-kernel/vmlinux" ] || skip_all 'make debug-kernel first'
calls=${1:-500}
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
"$origin" cc -O2 -o "$tmp/failnth" "$root/tests/debug/failnth.c" || exit 99
"$origin" cc -O2 -o "$tmp/safety" "$root/tests/guest/safety.c" -lpthread || exit 99
cp "$root"/build/debug-modules/*.ko "$tmp"
cp "$root/tests/guest/hotplug.inc" "$tmp"
# The modules that the initramfs loads at boot, in its order.
grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"

cp "$root/tests/debug/guest.inc" "$tmp/lib"
debug() { # debug MACHINE COMMANDS
    run -m "$1" --model=off -k "$root/build/debug-kernel/vmlinux" -s "$tmp" -- ". ./lib; $2" </dev/null
}
# Shows what a run left behind, if it is not sound.
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

# Interrupts take longest on this kernel.
debug origin200 'before; up; ./safety samples; down; sound'
is 'samples in a row' "$(echo "$out" | grep -c '^ok')" 4
like 'afterwards: no leak, lockdep alive, no complaint' "$(echo $out)" ' 0 1$'

# Any allocation of insmod and of the users of the devices may fail. The call may then fail, but the kernel must not. Meanwhile nothing is read
# from the share.
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

# Each allocation fails in its turn, on a machine with a small /hw: while modules are loaded, while /hw is mounted, listed and read, and while a
# processor comes online.
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
