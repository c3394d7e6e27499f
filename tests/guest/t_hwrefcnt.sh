#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference counters counted by hand (refcnt.c) with 11 and 19 bits on 1 to 32 nodes, before and across overflow, fork, exec and
# migration of pages and of the process; what the devices say about the machine; permissions. tests/soak/refcnt.sh has 64 nodes.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/refcnt" "$root/tests/guest/refcnt.c" || exit 99
"$origin" cc -O2 -o "$tmp/matrix" "$root/tests/guest/matrix.c" || exit 99
"$origin" cc -O2 -o "$tmp/hostile" "$root/tests/guest/hostile.c" || exit 99
"$origin" cc -O2 -o "$tmp/policies" "$root/tests/guest/policies.c" || exit 99
"$ORIGIN_CROSS"gcc -mabi=n32 -mips4 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -static -mno-abicalls -fno-pic -I"$root/include/abi" \
    -o "$tmp/n32" "$root/tests/guest/n32.c" || exit 99

# What refcnt(5) says about its machine, for each node of a description.
info() { # info FILE.dtb
    "$ORIGIN_DTINFO" -r "$1" | awk '
        BEGIN { n = 0 }
        $1 == "node" { mb[n] = $0; sub(/ MB.*/, "", mb[n]); sub(/.* /, "", mb[n]); max[n++] = /premium/ ? 524287 : 2047 }
        END {
            for (i = 0; i < n; i++) {
                sets = mb[i] * 256
                printf "rcb %.0f %d %d 8 %d 16384 %.0f %d 4096 %d 10 %d 8 %d\n", sets * n * 8, sets, n, sets / 4, i * 4294967296, i, max[i],
                    (max[i] - 1) / 2, mb[i]
            }
        }'
}
counts() { # counts MACHINE POINTS "HOME READER ROUNDS L2MB [WHAT NODE]"...
    m=$1 points=$2
    shift 2
    job='./n32; ./refcnt info;'
    for args; do job="$job ./refcnt $args || echo \"not ok - refcnt $args\";"; done
    run -m "$m" -s "$tmp" -- "$job cat /hw/stat; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace'; true" </dev/null
    printf '%s\n' "$out" | grep -E '^(not )?ok - |^#|^Bail' >"$tmp/points"
    while IFS= read -r line; do
        case $line in
        ok\ -*) result 0 "$m: ${line#ok - }" ;;
        not\ ok\ -*) result 1 "$m: ${line#not ok - }" "$detail" ;;
        *) detail=$line ;;
        esac
    done <"$tmp/points"
    is "$m: all points, no complaint" "$status $(grep -c '^ok' "$tmp/points") $(printf '%s\n' "$out" | grep -cE 'WARNING|BUG|Oops')" "0 $points 0"
    is "$m: what the devices tell" "$(printf '%s\n' "$out" | grep '^rcb ')" "$(info "$ORIGIN_MACHINES/$m.dtb")"
    like "$m: every update came from processors that stood still" "$out" '^refcnt: sets updated while counting: 0 ='
}
counts origin200 17 "0 0 5 1" "0 0 40 1"
counts ricotta 43 "3 1 10 1" "1 6 80 1" "2 5 60 1 fork 5" "2 5 20 1 exec 3" "2 5 20 1 page 7" "2 5 20 1 process 1"
like "ricotta: interrupts are counted on the page's node" "$out" '^refcnt: counter interrupts: [0-9]+ = 0 [1-9][0-9]* [1-9][0-9]* 0 0 0 0 0$'
counts arctic 11 "17 5 4 8"
counts refcnt-example 5

# Hostile calls on all devices, by two programs of root and one of a user at a time, while modules are unloaded and loaded.
# shellcheck disable=SC2016
run -m ricotta --model=off -s "$tmp" -- './policies >p; grep -v "^ok" p; grep -c "^ok" p; chmod 755 hostile matrix; cp hostile matrix /tmp; D=$(dirname "$(find /lib/modules -name refcnt.ko)")
    ./hostile 8000 "$D" & ./hostile 4000 "$D" 2 & wait; su guest -c "/tmp/hostile 8000 $D 3"
    n=/hw/nodenum/1
    files="$n/refcnt $n/stat /hw/stat /hw/inventory /hw/mmem $n/hub/md $n/hub/io $n/hub/rtc $n/hub/mon $n/hub/ni"
    files="$files /hw/module/2/slot/r1/router/stat/6 $n/hub /proc/00001"
    ./matrix $files; ./matrix /proc/$$ | sed "s,/proc/.*,own,"; su guest -c "/tmp/matrix $files; exec /tmp/matrix /proc/\$\$" | sed "s,/proc/[1-9].*,own,"
    chmod 600 $n/refcnt; su guest -c "/tmp/matrix $n/refcnt"; chmod 444 $n/refcnt
    ls -l /hw/nodenum/7/refcnt | cut -c 1-10
    exec 3<$n/refcnt; rmmod refcnt 2>/dev/null; grep -c "^refcnt " /proc/modules; exec 3<&-
    rmmod refcnt && echo unloaded; ls /hw/nodenum/7/; ls /hw/nodenum/0/refcnt 2>&1
    dmesg | grep -E "WARNING|BUG|Oops|Call Trace"' </dev/null
is "policies of ranges, hostile calls, who may do what, unloading" "$out" "10
ok
ok
ok
rw--igs---m------------- /hw/nodenum/1/refcnt
rwt--------------------- /hw/nodenum/1/stat
rwt--------------------- /hw/stat
rwt--------------------- /hw/inventory
rw------------------c--- /hw/mmem
rw--------mM------qa---- /hw/nodenum/1/hub/md
rw--------mM------qa---- /hw/nodenum/1/hub/io
rw--------m-------q----- /hw/nodenum/1/hub/rtc
rw----------------q----- /hw/nodenum/1/hub/mon
rw----------------qa-H-- /hw/nodenum/1/hub/ni
rw----------------qa-H-- /hw/module/2/slot/r1/router/stat/6
r----------------------- /hw/nodenum/1/hub
r------hep-------G-----f /proc/00001
r------hep-------G-----f own
r---ig----m------------- /hw/nodenum/1/refcnt
r-t--------------------- /hw/nodenum/1/stat
r-t--------------------- /hw/stat
r-t--------------------- /hw/inventory
r-------------------c--- /hw/mmem
rw--------mM------qa---- /hw/nodenum/1/hub/md
rw--------mM------qa---- /hw/nodenum/1/hub/io
r---------m-------q----- /hw/nodenum/1/hub/rtc
r-----------------q----- /hw/nodenum/1/hub/mon
rw----------------qa-H-- /hw/nodenum/1/hub/ni
rw----------------qa-H-- /hw/module/2/slot/r1/router/stat/6
r----------------------- /hw/nodenum/1/hub
r----------------------- /proc/00001
r------hep-------G-----f own
------------------------ /hw/nodenum/1/refcnt
cr--r--r--
1
unloaded
cpu
hub
link
memory
stat
ls: /hw/nodenum/0/refcnt: No such file or directory"
finish
