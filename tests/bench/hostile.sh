#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A million hostile calls on all devices, three programs at a time, two of root and one of a user: on the kernel that checks itself if
# it was built (make debug-kernel), else on the ordinary one.  HOSTILE_CALLS: another number.
. "$(dirname "$0")/../lib.sh"
calls=${HOSTILE_CALLS:-1000000}
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
debug=$root/build/debug-kernel/vmlinux
if [ -e "$debug" ]; then
    cp "$root"/build/debug-modules/*.ko "$tmp"
    grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"
    up='while read -r m args; do insmod $m.ko $args || exit 1; done <load; mount -t hwgfs hwgfs /hw'
    what='the checking kernel'
else
    debug=
    up='cp $(find /lib/modules -name "*.ko") .'
    what='the ordinary kernel'
fi
job="dmesg -c >/dev/null; $up"'
    scan() { [ ! -e /sys/kernel/debug/kmemleak ] || { sleep 6; echo scan >/sys/kernel/debug/kmemleak; }; }
    scan; scan; [ ! -e /sys/kernel/debug/kmemleak ] || echo clear >/sys/kernel/debug/kmemleak
    cp hostile /tmp; chmod 755 /tmp/hostile; n='$((calls / 4))'
    ./hostile $n . 11 & ./hostile $n . 12 & su guest -c "/tmp/hostile $((2 * n)) . 13"; wait
    cat /hw/stat >/dev/null; ls /hw/nodenum/7 | tr "\n" " "; echo
    for m in refcnt snpc r10k_perf; do rmmod $m && echo gone; done
    scan; scan; [ ! -e /sys/kernel/debug/kmemleak ] || cat /sys/kernel/debug/kmemleak
    dmesg | grep -E -A 20 "WARNING|BUG|Oops|Call Trace|INFO: |ODEBUG|suspicious|corrupt|Poison|Redzone|stall"'
run -m ricotta --model=off ${debug:+-k "$debug"} -s "$tmp" -- "$job" </dev/null
is "$calls hostile calls on $what" "$out" "ok
ok
ok
cpu hub link memory refcnt stat 
gone
gone
gone"
finish
