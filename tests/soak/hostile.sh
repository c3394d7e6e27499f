#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten million hostile calls on ricotta and stinger, on the kernel that checks itself if it was built (make debug-kernel), else on the ordinary one.
# On each machine three programs (tests/guest/hostile.c) run at a time, two of root and one of a user, and a fourth of the n32 ABI (hostile/n32.c).
# Modules are unloaded and loaded, and a processor goes and comes, meanwhile. On the checking kernel, every 400th allocation and copy of two of the
# programs fails. The calls are the same for each seed, but where processes meet depends on all that runs in the machine.
# hostile/*.txt describe our requests for a fuzzer of system calls.
#   HOSTILE_CALLS      number of calls of all machines together
#   HOSTILE_MACHINES   which; both run at once
#   HOSTILE_SEED       another seed makes other calls
# Ten million take hours: make soak T=hostile TEST_TIMEOUT=36000.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
calls=${HOSTILE_CALLS:-10000000} machines=${HOSTILE_MACHINES:-ricotta stinger} seed=${HOSTILE_SEED:-1}
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
    begin='. ./lib; before; up; injection; for d in failslab fail_page_alloc fail_usercopy; do echo 5 >$f/$d/probability; done
        starving() { (echo 1 >/proc/self/make-it-fail; exec "$@"); }'
    end='for d in failslab fail_page_alloc fail_usercopy; do echo 0 >$f/$d/probability; done
        while read -r m args; do grep -q "^$m " /proc/modules || insmod $m.ko $args; done <load'
    check='cd /share; sound'
    sound='0
1'
else
    debug=
    what='the ordinary kernel'
    begin='cp $(find /lib/modules -name "*.ko") .; starving() { "$@"; }'
    end=:
    check='dmesg | grep -E -A 20 "WARNING|BUG|Oops|Call Trace|INFO: |detected stall|soft lockup"'
    sound=
fi
# Calls are made in pieces of 1000. A piece that is killed because memory is short does not count and is replaced by another, up to a limit.
# shellcheck disable=SC2016
pieces='pieces() { # NAME CALLS SEED COMMAND...: how many were made, to the file NAME
        name=$1 all=$2 s=$3 made=0 tries=$((10 + $2 / 300)); shift 3
        while [ $made -lt $all ] && [ $((tries = tries - 1)) -gt 0 ]; do
            k=$((all - made > 1000 ? 1000 : all - made))
            said=$("$@" "./hostile -f $k . $s" 2>&1)
            case $said in
            ok) made=$((made + k)) ;;
            *allowed*) echo "$name $made $said" >$name; break ;;
            esac
            s=$((s + 10)); echo "$name $made" >$name
        done
    }'
# shellcheck disable=SC2016
job='cp * /tmp; cd /tmp; chmod 755 hostile n32; dmesg -c >/dev/null; . ./hotplug.inc; '"$begin"'
    '"$pieces"'
    touch busy
    (while [ -e busy ]; do off 3; sleep 2; on 3; sleep 5; done) >hotplug 2>&1 &
    (while [ -e busy ]; do ./n32; sleep 1; done | sort -u) >small &
    pieces root $n $s sh -c & r=$!
    pieces starved $n $((s + 3)) starving sh -c & t=$!
    pieces user $((2 * n)) $((s + 6)) starving su guest -c & u=$!
    wait $r $t $u; rm busy; wait
    cat root starved user small hotplug
    '"$end"'
    cat /hw/stat >/dev/null; ls /hw/nodenum/7 | tr "\n" " "; echo
    for m in refcnt snpc r10k_perf; do rmmod $m && echo gone; done
    [ ! -e load ] || down; '"$check"
machine() { # machine NAME: what it printed to $tmp/out.NAME, err.NAME, its seconds to took.NAME
    mkdir "$tmp/$1"
    cp "$tmp"/files/* "$tmp/$1"
    from=$(seconds)
    "$origin" run -m "$1" --model=off ${debug:+-k "$debug"} -s "$tmp/$1" -- "n=$n s=$seed; $job" </dev/null >"$tmp/out.$1" 2>"$tmp/err.$1"
    echo "$(seconds) - $from" | bc | cut -d . -f 1 >"$tmp/took.$1"
}
# shellcheck disable=SC2086
set -- $machines
n=$((calls / $# / 4))
for m; do machine "$m" & done
wait
for m; do
    is "$m: $((4 * n)) hostile calls on $what, seed $seed" "$(cat "$tmp/out.$m")" "root $n
starved $n
user $((2 * n))
ok
cpu hub link memory refcnt stat 
gone
gone
gone${sound:+
$sound}"
    [ ! -s "$tmp/$m/leaks" ] || sed 's/^/# /' "$tmp/$m/leaks" | head -n 60
    sed 's/^/# /' "$tmp/err.$m" | tail -n 30
    echo "# $(cat "$tmp/took.$m") s"
done
finish
