#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a million hostile calls on all devices, on the kernel that checks itself if it was built (make debug-kernel), else on the ordinary one.
# Three programs run at a time, two of root and one of a user. On the checking kernel, every 400th allocation and copy of the last two fails.
# Two machines run at once, with different seeds.
#   HOSTILE_CALLS      number of calls
#   HOSTILE_MACHINES   number of machines
#   HOSTILE_SEED       another seed makes other calls
. "$(dirname "$0")/../lib.sh"
calls=${HOSTILE_CALLS:-1000000} machines=${HOSTILE_MACHINES:-2} seed=${HOSTILE_SEED:-1}
mkdir "$tmp/files"
"$origin" cc -O2 -o "$tmp/files/hostile" "$root/tests/guest/hostile.c" || exit 99
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
    check='dmesg | grep -E -A 20 "WARNING|BUG|Oops|Call Trace|INFO: |stall"'
    sound=
fi
# Calls are made in pieces of 1000. A piece that is killed because memory is short does not count and is replaced
# by another, up to a limit.
# shellcheck disable=SC2016
pieces='pieces() { # NAME CALLS SEED COMMAND...: how many were made, to the file NAME
        name=$1 all=$2 s=$3 made=0 tries=$((10 + $2 / 300)); shift 3
        while [ $made -lt $all ] && [ $((tries = tries - 1)) -gt 0 ]; do
            k=$((all - made > 1000 ? 1000 : all - made))
            said=$("$@" "./hostile $k . $s" 2>&1)
            case $said in
            ok) made=$((made + k)) ;;
            *allowed*) echo "$name $made $said" >$name; break ;;
            esac
            s=$((s + 10)); echo "$name $made" >$name
        done
    }'
# shellcheck disable=SC2016
job='cp * /tmp; cd /tmp; chmod 755 hostile; dmesg -c >/dev/null; '"$begin"'
    '"$pieces"'
    pieces root $n $s sh -c & pieces starved $n $((s + 3)) starving sh -c &
    pieces user $((2 * n)) $((s + 6)) starving su guest -c & wait
    cat root starved user
    '"$end"'
    cat /hw/stat >/dev/null; ls /hw/nodenum/7 | tr "\n" " "; echo
    for m in refcnt snpc r10k_perf; do rmmod $m && echo gone; done
    [ ! -e load ] || down; '"$check"
machine() { # machine SEED: what it printed to $tmp/out.SEED, err.SEED, its seconds to took.SEED
    mkdir "$tmp/$1"
    cp "$tmp"/files/* "$tmp/$1"
    from=$(seconds)
    "$origin" run -m ricotta --model=off ${debug:+-k "$debug"} -s "$tmp/$1" -- "n=$n s=$1; $job" </dev/null \
        >"$tmp/out.$1" 2>"$tmp/err.$1"
    echo "$(seconds) - $from" | bc | cut -d . -f 1 >"$tmp/took.$1"
}
n=$((calls / machines / 4))
last=$((seed + machines - 1))
for s in $(seq "$seed" $last); do machine "$s" & done
wait
for s in $(seq "$seed" $last); do
    is "$((calls / machines)) hostile calls on $what, seed $s" "$(cat "$tmp/out.$s")" "root $n
starved $n
user $((2 * n))
cpu hub link memory refcnt stat 
gone
gone
gone${sound:+
$sound}"
    [ ! -s "$tmp/$s/leaks" ] || sed 's/^/# /' "$tmp/$s/leaks" | head -n 60
    sed 's/^/# /' "$tmp/err.$s" | tail -n 30
    echo "# $(cat "$tmp/took.$s") s"
done
finish
