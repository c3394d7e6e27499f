#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What threads wait for: programs that wait measure it by the guest's own clocks (diseases/waiter.h), and the report's first line names it.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/guest/diseases

# waiter NAME [US [BEFORE...]]: a point for each kind of wait of each thread, two where the number of waits is known. blocked.csv has the time from the switch away
# from a thread to the switch back. The guest's clocks lack what its scheduler does before and after these, 10 to 22 us, hence 30, and have a
# resolution of 0.8 us, twice for each clock. A page comes while its thread is still on the way to the switch, which makes the scheduler's part
# 42 us, hence 60. The other way, Linux lets a thread's clock run from the moment that schedule() begins (rq_clock_task()), and switches to the thread when it
# has chosen it: up to 23 us later if a processor that was idle has lost the scheduler's lines, hence 25.
waiter() {
    "$origin" cc -O2 -g -Wall -o "$tmp/$1" "$here/$1.c" -lpthread || exit 99
    out=$("$origin" profile -m ricotta -s "$tmp" -o "$tmp/p.$1" -- "${@:3}" "./$1" 2>&1 </dev/null)
    is "$1: runs" "$? ${out%% *}" '0 waited'
    "$origin" report "$tmp/p.$1" >"$tmp/$1.report" 2>/dev/null
    "$origin" report --format=blocked "$tmp/p.$1" >"$tmp/$1.csv" 2>/dev/null
    first=$(head -n 1 "$tmp/$1.report")
    while IFS='|' read -r what tid times ns; do
        # The barrier at which all threads begin is not measured.
        read -r count ticks <<<"$(python3 - "$tmp/$1.csv" "$what" "$tid" <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["what"] == sys.argv[2] and r["tid"] == sys.argv[3] and r["object"] != "disease"]
print(sum(int(r["count"]) for r in rows if r["state"] == "ready"), round(sum(float(r["ns"]) for r in rows)))
END
        )"
        within "$1: $tid $what: as long as the guest's clocks say" $((ns - ${2:-30} * 1000 * times)) "$ticks" $((ns + 25000 * times))
        case $what in sleep | pipe) is "$1: $tid $what: as often" "$count" "$times" ;; esac
    done <<<"${out//waited /}"
}
at() { echo "$1.c:$(grep -n -F -m 1 -e "$2" "$here/$1.c" | cut -d : -f 1)"; }
first() { like "$1: the first line names what it waits for, and where" "$first" "^$2: $3 blocked for [0-9.]+ us, [0-9]+ % of all threads' time, most of it at $(at "$1" 'WAIT(') in $4\(\)$"; }
blocked() { sed -n '/^BLOCKED/,/^$/p' "$tmp/$1.report" | grep -A 1 -E "  $2"; }

waiter held_mutex
first held_mutex "held \\(pthread_mutex_t, $(at held_mutex 'held =')\\)" '[23] threads are' work
like 'held_mutex: threads hand it over' "$(blocked held_mutex 'held .*: futex;')" '^ +woken by ([23] threads [0-9]+ times, most often by )?[0-9]+ held_mutex,? [0-9]+ times$'

waiter slow_barrier
first slow_barrier "meeting \\(pthread_barrier_t, $(at slow_barrier 'meeting;')\\)" '3 threads are' work
slow=$(printf '%s\n' "$out" | tail -n 1 | cut -d '|' -f 2)
like 'slow_barrier: the slow one lets all others go, each time' "$(blocked slow_barrier 'meeting .*: futex;')" "^ +woken by $slow slow_barrier 12 times$"

waiter pipe_consumer
first pipe_consumer 'read\(\) of a pipe' '1 thread is' work
like 'pipe_consumer: the producer ends each wait' "$(blocked pipe_consumer 'read.*: pipe;')" '^ +woken by [0-9]+ pipe_consumer 20 times$'

waiter sleeper
first sleeper 'clock_nanosleep\(\)' '1 thread is' main
like 'sleeper: the timer ends each wait' "$(blocked sleeper clock_nanosleep)" '^ +woken by interrupts 19 times$'

# CPU 0 takes the interrupts of the file's server. There they come before the thread sleeps, and no page is waited for.
waiter page_waiter 60 taskset -c 1-15
like 'page_waiter: the wait for pages is known by their mapping, and the line that reads them' "$(blocked page_waiter 'a page of mmap')" \
    " a page of mmap\\(\\) of /share/pages in main \\($(at page_waiter 'map = mmap')\\): page_fault; at $(at page_waiter 'WAIT(') in main\\(\\)$"

# --- laws ---
for name in held_mutex page_waiter; do
    while read -r status line; do
        [ "$status" = ok ]
        result $? "$name: ${line#ok }"
    done < <(python3 "$root/tests/guest/profile.py" "$tmp/p.$name" lives)
done

# --- who looks ---
# The tables so far, asked for again and again, change nothing of those at the end: no row, and not the order of any.
cat >"$tmp/look.py" <<'END'
import sys
import time
from qmp import Qmp

qmp, looks = Qmp(sys.argv[1]), 0
try:
    while "error" not in qmp.ask("qom-set", path="/machine", property="profile-now", value=sys.argv[2]):
        looks += 1
        time.sleep(0.1)
except (OSError, ValueError):
    pass  # the machine has ended
print(looks)
END
mkdir "$tmp/now"
mv "$tmp/p.held_mutex" "$tmp/alone"
"$origin" profile -m ricotta --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -s "$tmp" -o "$tmp/p.held_mutex" -- ./held_mutex \
    >/dev/null 2>&1 </dev/null &
profiled=$!
python3 "$tmp/look.py" "$tmp/qmp" "$tmp/now" >"$tmp/looks"
wait $profiled
within 'somebody looks' 10 "$(cat "$tmp/looks")" 100000
is 'the profile is the same, to the byte' "$(diff -r -q -x run.csv "$tmp/alone" "$tmp/p.held_mutex")" ''

# --- interrupts: what misses wait for in them, by call path, is less than they take, by the switches, and most of it ---
"$origin" report --format=csv "$tmp/p.held_mutex" >"$tmp/csv" 2>/dev/null
took=$(awk -F, '$5 == "interrupt" { ns += $NF } END { printf "%d", ns }' "$tmp/held_mutex.csv")
within 'misses in interrupts' $((took / 2)) "$(awk -F, '$NF == "interrupt" { ns += $(NF - 1) } END { printf "%d", ns }' "$tmp/csv")" "$took"

# --- a region ---
# Only what threads did in it: the first thread's sleeps there, not those before and behind.
cat >"$tmp/region.c" <<'END'
#include <sn_roi.h>
#include <unistd.h>

int main(void)
{
    usleep(3000);
    sn_roi_begin("nap");
    usleep(2000);
    sn_roi_end();
    usleep(4000);
    return 0;
}
END
"$origin" cc -O2 -g -o "$tmp/region" "$tmp/region.c" -lsnpc || exit 99
"$origin" profile -m origin200 -s "$tmp" -o "$tmp/p.region" -- ./region >/dev/null 2>&1 </dev/null
"$origin" report --region nap --format=blocked "$tmp/p.region" >"$tmp/csv" 2>/dev/null
is 'a region: one sleep' "$(awk -F, '$5 == "blocked" && $6 == "sleep" { n += $(NF - 1) } END { print n }' "$tmp/csv")" 1
# The timer is set to 2 ms from before the switch on, which takes 10 to 40 us.
within 'a region: of 2 ms' 1940000 "$(awk -F, '$5 == "blocked" && $6 == "sleep" { ns += $NF } END { print ns }' "$tmp/csv")" 2060000

# --- a layout that lies: other functions, of whose arguments none is a task, and members outside of all memory ---
mkdir "$tmp/mad"
symbol() { "${ORIGIN_CROSS:-mips64-linux-gnuabi64-}nm" "$root/build/kernel/vmlinux" | awk -v n="$1" '$3 == n { print "0x" $1 }'; }
sed "s/^symbol.resume .*/symbol.resume $(symbol enqueue_task_fair)/; s/^symbol.enqueue_task_fair .*/symbol.enqueue_task_fair $(symbol memcpy)/
    s/^symbol.plat_irq_dispatch .*/symbol.plat_irq_dispatch $(symbol strlen)/; s/^fdtable.fd .*/fdtable.fd 0x7fffffffffffffff/
    s/^task_struct.files .*/task_struct.files 0xfffffffffffffff0/; s/^pt_regs.cp0_cause .*/pt_regs.cp0_cause 0xffffffffffffff00/
    s/^task_struct.__state .*/task_struct.__state 0xfff/; s/^task_struct.clear_child_tid .*/task_struct.clear_child_tid 0x3/" "$root/build/kernel.layout" >"$tmp/layout"
run -m origin200 --qemu-arg=-machine --qemu-arg="profile=$tmp/mad,profile-kernel=$tmp/layout" -- echo sane
is 'a layout that lies: the guest and its profile come to their end' "$status $out $(grep ^complete "$tmp/mad/meta.csv")" '0 sane complete,yes'
"$origin" report "$tmp/mad" >/dev/null 2>&1
is 'and it can be read' $? 0

# --- a kernel whose layout lacks what this needs ---
mkdir "$tmp/blind"
sed '/^symbol.resume /d' "$root/build/kernel.layout" >"$tmp/layout"
run -m origin200 --qemu-arg=-machine --qemu-arg="profile=$tmp/blind,profile-kernel=$tmp/layout" -- true
is 'without resume(): the run ends, with the reason' "$status $(grep ^blocked_why "$tmp/blind/meta.csv") $(ls "$tmp/blind/blocked.csv" 2>&1 | grep -c 'No such')" \
    '0 blocked_why,the kernel has no symbol.resume 1'
"$origin" report "$tmp/blind" >"$tmp/out" 2>/dev/null
like 'and the report says so' "$(cat "$tmp/out")" '^What threads wait for is not known: the kernel has no symbol.resume$'
is '--format=blocked says so, too' "$("$origin" report --format=blocked "$tmp/blind" 2>&1; echo $?)" \
    "origin: $tmp/blind: no blocked.csv: this profile does not say what threads wait for
1"
finish
