#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Event counters of Hub, Router and R10000: counts against traffic computed by hand (snpc.c, r10k_perf.c), the library's counters of threads
# (perfex.c), permissions, modules in use, the extended devices. t_hwrefcnt.sh makes hostile calls.
. "$(dirname "$0")/../lib.sh"
for p in snpc r10k_perf perfex; do "$origin" cc -O2 -I"$root/include" -o "$tmp/$p" "$root/tests/guest/$p.c" -lsnpc -lpthread || exit 99; done
head -c 1048576 /dev/zero >"$tmp/mb"

points() { # points MACHINE COMMANDS [OPTION]: TAP of the guest's programs
    m=$1
    run -m "$m" ${3+"$3"} -s "$tmp" -- "$2; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace'; true" </dev/null
    printf '%s\n' "$out" | grep -E '^(not )?ok - |^#|^Bail|WARNING|BUG|Oops|Call Trace' >"$tmp/points"
    while IFS= read -r line; do
        case $line in
        ok\ -*) result 0 "$m: ${line#ok - }" ;;
        not\ ok\ -*) result 1 "$m: ${line#not ok - }" "$detail" ;;
        \#*) detail=$line ;;
        *) result 1 "$m: $line" ;;
        esac
    done <"$tmp/points"
    is "$m: the programs ran to their ends" "$status $(printf '%s\n' "$out" | grep -c '^not ')" "0 0"
}
# The memory, in MB, is many times the L2 cache, so that its two ways keep nothing.
points ricotta './snpc 24 90 mb && ./r10k_perf 24 && ./perfex && cp r10k_perf /tmp && chmod 755 /tmp/r10k_perf && su guest -c "/tmp/r10k_perf user"'
points bwana './r10k_perf 100 && ./perfex r12000; mount -t tmpfs none /sys/bus/event_source; ./perfex none'
points origin200 './r10k_perf range' --range-monitor

run -m ricotta --model=off -s "$tmp" -- 'cd /hw/nodenum/3; ls -l hub link/stat/ | awk "/^c/ {print \$1, \$NF}"
    exec 3<hub/md; rmmod snpc 2>/dev/null; grep -c "^snpc " /proc/modules; exec 3<&-
    rmmod snpc && echo unloaded; ls hub link
    insmod $(find /lib -name snpc.ko) extended=1; ls -l hub link/ | awk "/reg|ialias/ {print \$1, \$NF}"
    su guest -c "cat hub/hubreg 2>&1"; /share/snpc extended >/tmp/x; grep -c "^ok" /tmp/x; grep "^not ok" /tmp/x; rmmod snpc
    dmesg | grep -E "WARNING|BUG|Oops|Call Trace"' </dev/null
is "permissions, unloading, extended=1" "$out" "crw-rw-rw- io
crw-rw-rw- md
cr--r--r-- mon
crw-rw-rw- ni
cr--r--r-- rtc
crw-rw-rw- 1
crw-rw-rw- 2
crw-rw-rw- 3
crw-rw-rw- 4
crw-rw-rw- 5
crw-rw-rw- 6
1
unloaded
hub:

link:
1
4
5
6
crw------- hubreg
crw------- ialias
crw------- rreg
cat: can't open 'hub/hubreg': Permission denied
10"
finish
