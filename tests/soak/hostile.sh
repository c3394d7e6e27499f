#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten million hostile calls on ricotta and stinger, on the kernel that checks itself if it was built (make debug-kernel), else on the ordinary one.
# Three programs (tests/guest/hostile.c) run at a time: root's makes three tenths of the calls, a user's four and a half, and root's with failing
# allocations one and a half, on the checking kernel. A fourth one, of the n32 ABI (hostile/n32.c), makes a tenth. Modules are unloaded and loaded,
# and a processor goes and comes, meanwhile. What costs much (fork, moving pages, loading modules) is one call in some hundreds.
# The calls are the same for each seed, but where processes meet depends on all that runs in the machine.
# hostile/*.txt describe our requests for a fuzzer of system calls.
#   HOSTILE_CALLS      number of calls of all machines together
#   HOSTILE_MACHINES   which; all run at once
#   HOSTILE_SEED       another seed makes other calls
#   HOSTILE_LEAKS      1: the checking kernel also looks for lost memory (kmemleak) and keeps who allocated each object. A call then costs three
#                      times as much, for the kernel walks its stack at each allocation. Without it the unreclaimable slab memory is compared.
# Ten million take hours: make soak T=hostile TEST_TIMEOUT=36000. What each program has made is printed every minute.
. "$(dirname "$0")/../lib.sh"
calls=${HOSTILE_CALLS:-10000000} machines=${HOSTILE_MACHINES:-ricotta stinger} seed=${HOSTILE_SEED:-1}
args=
mkdir "$tmp/files"
"$origin" cc -O2 -o "$tmp/files/hostile" "$root/tests/guest/hostile.c" || exit 99
"$ORIGIN_CROSS"gcc -mabi=n32 -mips4 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -static -mno-abicalls -fno-pic -I"$root/include/abi" \
    -o "$tmp/files/n32" "$root/tests/soak/hostile/n32.c" || exit 99
cp "$root/tests/guest/hotplug.inc" "$tmp/files"
debug=$root/build/debug-kernel/vmlinux
if [ -e "$debug" ]; then
    cp "$root"/build/debug-modules/*.ko "$tmp/files"
    grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/files/load"
    cp "$root/tests/debug/guest.inc" "$tmp/files/lib"
    what='the checking kernel'
    scan=
    [ "${HOSTILE_LEAKS:-0}" = 1 ] || what="$what without kmemleak" args='kmemleak=off slub_debug=FZP' scan='scan() { :; }; '
    begin=". ./lib; $scan"'before; up; injection; for d in failslab fail_page_alloc fail_usercopy; do echo 5 >$f/$d/probability; done; fails=-a'
    end='for d in failslab fail_page_alloc fail_usercopy; do echo 0 >$f/$d/probability; done
        while read -r m args; do grep -q "^$m " /proc/modules || insmod $m.ko $args; done <load'
    check='cd /share; sound'
    sound='0
1'
else
    debug=
    what='the ordinary kernel'
    begin='cp $(find /lib/modules -name "*.ko") .; fails='
    end=:
    check='dmesg | grep -E -A 20 "WARNING|BUG|Oops|Call Trace|INFO: |detected stall|soft lockup"'
    sound=
fi
# The programs say on standard error how many calls they have made.
# shellcheck disable=SC2016
job='cp * /tmp; cd /tmp; chmod 755 hostile n32; dmesg -c >/dev/null; . ./hotplug.inc; '"$begin"'
    slab() { sed -n "s/^SUnreclaim: *//p" /proc/meminfo >>/share/slab; }
    slab; touch busy
    (while [ -e busy ]; do off 3; sleep 2; on 3; sleep 5; done) >hotplug 2>&1 &
    (i=0; while [ $i -lt $((n / 10)) ]; do ./n32 $((s + i)); i=$((i + 20000)); echo $i >&2; sleep 1; done | sort -u) >small 2>/share/made.n32 &
    hostile="./hostile -f -r 20 -p 10000"
    $hostile $((3 * n / 10)) . $s >root 2>/share/made.root & r=$!
    $hostile $fails $((3 * n / 20)) . $((s + 3)) >starved 2>/share/made.starved & t=$!
    su guest -c "$hostile $((9 * n / 20)) . $((s + 6))" >user 2>/share/made.user & u=$!
    wait $r $t $u; rm busy; wait
    cat root starved user small hotplug
    '"$end"'
    cat /hw/stat >/dev/null; ls /hw/nodenum/7 | tr "\n" " "; echo
    for m in refcnt snpc r10k_perf; do rmmod $m && echo gone; done
    [ ! -e load ] || down; slab; '"$check"
machine() { # machine NAME: what it printed to $tmp/out.NAME, err.NAME, its seconds to took.NAME
    mkdir "$tmp/$1"
    cp "$tmp"/files/* "$tmp/$1"
    from=$(seconds)
    "$origin" run -m "$1" --model=off ${debug:+-k "$debug"} ${args:+-a "$args"} -s "$tmp/$1" -- "n=$n s=$seed; $job" </dev/null >"$tmp/out.$1" 2>"$tmp/err.$1"
    echo "$(seconds) - $from" | bc | cut -d . -f 1 >"$tmp/took.$1"
}
# shellcheck disable=SC2086
set -- $machines
n=$((calls / $#))
for m; do machine "$m" & done
while sleep 60; jobs >"$tmp/jobs"; grep -q Running "$tmp/jobs"; do
    for m; do for p in root starved user n32; do echo "# $m, $p: $(tail -n 1 "$tmp/$m/made.$p" 2>/dev/null) calls"; done; done
done
wait
for m; do
    is "$m: $n hostile calls on $what, seed $seed" "$(sed -E 's/ of [0-9]+ processes, [0-9]+ killed$//' "$tmp/out.$m")" "$((3 * n / 10)) calls
$((3 * n / 20)) calls
$((9 * n / 20)) calls
ok
cpu hub link memory refcnt stat 
gone
gone
gone${sound:+
$sound}"
    sed -nE 's/.* calls (of [0-9]+ processes, [0-9]+ killed)$/\1/p' "$tmp/out.$m" >"$tmp/processes"
    unlike "$m: only processes whose allocations fail are killed" "$(sed 2d "$tmp/processes")" ', [1-9][0-9]* killed'
    sed 's/^/# /' "$tmp/processes"
    [ ! -s "$tmp/$m/leaks" ] || sed 's/^/# /' "$tmp/$m/leaks" | head -n 60
    sed 's/^/# /' "$tmp/err.$m" | tail -n 30
    echo "# slab memory that cannot be reclaimed, before and after: $(paste -s -d ' ' "$tmp/$m/slab")"
    echo "# $(cat "$tmp/took.$m") s"
done
finish
