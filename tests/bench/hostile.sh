#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A million hostile calls on all devices, on the kernel that checks itself if it was built (make debug-kernel), else on the ordinary one.
# Three programs at a time, one of root, one more of root and one of a user; on the checking kernel every 400th allocation and copy of the
# last two fails. On one machine after the other, each with other seeds. HOSTILE_CALLS, HOSTILE_SEED: another number, other calls.
. "$(dirname "$0")/../lib.sh"
calls=${HOSTILE_CALLS:-1000000} seed=${HOSTILE_SEED:-1}
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
debug=$root/build/debug-kernel/vmlinux
if [ -e "$debug" ]; then
    cp "$root"/build/debug-modules/*.ko "$tmp"
    grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"
    cp "$root/tests/debug/guest.inc" "$tmp/lib"
    what='the checking kernel' machines=2
    begin='. ./lib; before; up; injection; for d in failslab fail_page_alloc fail_usercopy; do echo 5 >$f/$d/probability; done
        fails() { echo 1 >/proc/$1/make-it-fail; }'
    end='for d in failslab fail_page_alloc fail_usercopy; do echo 0 >$f/$d/probability; done
        while read -r m args; do grep -q "^$m " /proc/modules || insmod $m.ko $args; done <load'
    check='cd /share; sound'
    sound='0
1'
else
    debug=
    what='the ordinary kernel' machines=1
    begin='cp $(find /lib/modules -name "*.ko") .; fails() { :; }'
    end=:
    check='dmesg | grep -E -A 20 "WARNING|BUG|Oops|Call Trace|INFO: |stall"'
    sound=
fi
# shellcheck disable=SC2016
job='cp * /tmp; cd /tmp; chmod 755 hostile; dmesg -c >/dev/null; '"$begin"'
    ./hostile $n . $((3 * s)) & ./hostile $n . $((3 * s + 1)) & fails $!
    su guest -c "exec ./hostile $((2 * n)) . $((3 * s + 2))" & sleep 1; fails $!; wait
    '"$end"'
    cat /hw/stat >/dev/null; ls /hw/nodenum/7 | tr "\n" " "; echo
    for m in refcnt snpc r10k_perf; do rmmod $m && echo gone; done
    [ ! -e load ] || down; '"$check"
m=0
while [ $m -lt $machines ]; do
    from=$(seconds)
    run -m ricotta --model=off ${debug:+-k "$debug"} -s "$tmp" -- "n=$((calls / machines / 4)) s=$((seed + m)); $job" </dev/null
    is "$((calls / machines)) hostile calls on $what, seed $((seed + m))" "$out" "ok
ok
ok
cpu hub link memory refcnt stat 
gone
gone
gone${sound:+
$sound}"
    echo "# $(echo "$(seconds) - $from" | bc | cut -d . -f 1) s"
    m=$((m + 1))
done
finish
