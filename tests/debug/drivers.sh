#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The modules on a kernel that checks itself (kernel/debug.config): locks, RCU, slab objects, timers, lists, leaks; and with
# allocations that fail. On 8 nodes, without the memory model.
. "$(dirname "$0")/../lib.sh"
[ -e "$root/build/debug-kernel/vmlinux" ] || skip_all 'make debug-kernel first'
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
cp "$root"/build/debug-modules/*.ko "$tmp"
# What the initramfs loads at boot, in its order.
grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"

# The loading order backwards is the unloading order.
cat >"$tmp/lib" <<'END'
up() { while read -r m args; do insmod $m.ko $args || return 1; done <load; mount -t hwgfs hwgfs /hw; }
down() { umount /hw; for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || return 1; done; }
complaints() { dmesg | grep -E "WARNING|BUG|Oops|Call Trace|INFO: |ODEBUG|suspicious|corrupt|Poison overwritten|Redzone|stall"; }
# kmemleak believes an object lost when it is older than 5 s and a scan finds no pointer to it. What it finds before the modules are
# loaded (per-CPU data of the page allocator) does not count.
scan() { sleep 6; echo scan >/sys/kernel/debug/kmemleak; }
before() { scan; scan; echo clear >/sys/kernel/debug/kmemleak; }
leaks() { scan; scan; cat /sys/kernel/debug/kmemleak; }
END
debug() { # debug COMMANDS
    run -m ricotta --model=off -k "$root/build/debug-kernel/vmlinux" -s "$tmp" -- ". ./lib; $1" </dev/null
}

# shellcheck disable=SC2016
debug 'dmesg >boot; uname -r; before; up && echo up; find /hw | wc -l; grep -c . /proc/lockdep
    ./hostile 300; cp hostile /tmp; chmod 755 /tmp/hostile; su guest -c "/tmp/hostile 100"
    for i in 1 2 3; do down && up || echo cannot; done
    down && for a in fixed flexible; do
        insmod statctr.ko allocator=$a && insmod statctr_test.ko && grep -c "^not ok" /proc/statctr_test
        rmmod statctr_test statctr; done
    up; down; leaks >leaks; dmesg >log; grep -c . leaks; awk "/debug_locks/ { print \$2 }" /proc/lockdep_stats; complaints'
is 'status' "$status" 0
set -- $out
like 'it is the debug kernel' "$1" '-debug$'
is 'modules loaded' "$2" up
within '/hw is there' 100 "$3" 10000
within 'lockdep knows locks' 500 "$4" 100000
is 'hostile calls of root and of a user' "$5 $6" 'ok ok'
is 'statistics counters, both allocators' "$7 $8" '0 0'
[ ! -s "$tmp/leaks" ] || sed 's/^/# /' "$tmp/leaks" | head -n 40
grep -A 60 -E 'possible|WARNING|BUG' "$tmp/log" | sed 's/^/# /' | head -n 100
is 'no leak, lockdep alive, no complaint' "$(shift 8; echo "$*")" '0 1'
unlike 'no complaint at boot' "$(cat "$tmp/boot")" 'WARNING|BUG|Oops|Call Trace|INFO: (possible|trying|suspicious)|ODEBUG'

# Every allocation of insmod and of the users of the devices may fail: the call may, the kernel may not.
# shellcheck disable=SC2016
debug 'f=/sys/kernel/debug
    for d in failslab fail_page_alloc fail_usercopy; do
        echo Y >$f/$d/task-filter; echo 0 >$f/$d/verbose; echo -1 >$f/$d/times; echo 0 >$f/$d/space
        [ ! -e $f/$d/ignore-gfp-wait ] || echo N >$f/$d/ignore-gfp-wait
        [ ! -e $f/$d/min-order ] || echo 0 >$f/$d/min-order
    done
    failing() { # failing PERCENT COMMAND...: allocations of the command fail
        p=$1; shift
        for d in failslab fail_page_alloc fail_usercopy; do echo $p >$f/$d/probability; done
        (echo 1 >/proc/self/make-it-fail; exec "$@"); r=$?
        for d in failslab fail_page_alloc fail_usercopy; do echo 0 >$f/$d/probability; done
        return $r; }
    before; good=0 bad=0
    for p in 1 3 10 30; do for i in 1 2 3; do
        while read -r m args; do failing $p insmod $m.ko $args && good=$((good + 1)) || bad=$((bad + 1)); done <load
        failing $p mount -t hwgfs hwgfs /hw; failing $p find /hw >/dev/null
        umount /hw 2>/dev/null
        for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || echo "$m stays"; done
    done; done 2>/dev/null
    echo "insmod $good $bad"
    up || exit 1
    for p in 1 5 20; do failing $p ./hostile 200; done 2>/dev/null >/dev/null
    ./hostile 100
    down && echo down; leaks >leaks; grep -c . leaks; awk "/debug_locks/ { print \$2 }" /proc/lockdep_stats; complaints'
is 'with failing allocations: status' "$status" 0
within 'insmod has succeeded' 5 "$(echo "$out" | awk '$1 == "insmod" { print $2 }')" 1000
within 'insmod has failed' 5 "$(echo "$out" | awk '$1 == "insmod" { print $3 }')" 1000
is 'everything works afterwards; no leak, lockdep alive, no complaint' "$(echo "$out" | sed 1d)" 'ok
down
0
1'
finish
