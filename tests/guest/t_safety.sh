#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What programs must not be able to do with the Hub's registers, with the counters and pages of others, and to each other (safety.c).
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/safety" "$root/tests/guest/safety.c" -lpthread || exit 99

# refcnt.ko with slow_walk.h in it. Its symbols of hwgfs.ko and statctr.ko are found when it is loaded.
cp -r "$root/driver/refcnt" "$tmp/refcnt"
# shellcheck disable=SC2016
make -C "$root/build/kernel" M="$tmp/refcnt" ARCH=mips CROSS_COMPILE="$ORIGIN_CROSS" KBUILD_MODPOST_WARN=1 modules \
    KCFLAGS="-I$root/driver/include -I$root/include -I$root/include/abi -include $root/tests/guest/slow_walk.h" >"$tmp/make.log" 2>&1
cp "$tmp/refcnt/refcnt.ko" "$tmp" || { cat "$tmp/make.log"; exit 99; }

points() { # points POINTS ARGS... COMMANDS: TAP of the guest's program
    points=$1
    shift
    run -t 100 -s "$tmp" "$@" </dev/null
    printf '%s\n' "$out" | grep -E '^(not )?ok - |^#|^Bail' >"$tmp/points"
    while IFS= read -r line; do
        case $line in
        ok\ -*) result 0 "${line#ok - }" ;;
        not\ ok\ -*) result 1 "${line#not ok - }" "$detail" ;;
        *) detail=$line ;;
        esac
    done <"$tmp/points"
    is "all points; no complaint" "$status $(grep -c '^ok' "$tmp/points") $(printf '%s\n' "$out" | grep -E 'WARNING|BUG|Oops|Call Trace')" "0 $points "
}
# With the pipeline a sample takes so little time that the kernel never allows fewer.
points 41 -m origin200 --model=off --cpu=simple -- 'cp safety /tmp; chmod 755 /tmp/safety; rmmod refcnt; insmod refcnt.ko; ./safety walk; ./safety samples
    su guest -c "/tmp/safety futex"; dmesg'
points 15 -m ricotta -- 'c=/tmp/groups; mkdir $c; mount -t cgroup2 c $c; echo +cpuset >$c/cgroup.subtree_control
    mkdir $c/half; echo 0-3 >$c/half/cpuset.mems; ./safety rights; ./safety busy; dmesg'
finish
