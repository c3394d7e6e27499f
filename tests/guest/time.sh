#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Machine time: idle time costs the host nothing, and every clock of the guest shows it.
. "$(dirname "$0")/../lib.sh"
m=ricotta

minute="snroi night sh -c 'read up x </proc/uptime; echo \$up; date +%s; sleep 60; read up x </proc/uptime; echo \$up; date +%s'
    date +%Y-%m-%d; date +%s%N; cat /proc/uptime; cat /proc/sys/kernel/random/uuid; cat /proc/interrupts"
run -m $m --regions="$tmp/regions" -- "$minute" </dev/null
# What a minute's sleep costs the host is measured by `make bench T=boot`.
awake=$(awk -F, '$2 == "end" && /"night"/ { print $7 / (16 * 180e6 * 60) }' "$tmp/regions")
less 'sleep 60: 16 CPUs execute less than a thousandth of what they could' "$awake" 0.001
# The region is longer than what lies between the clock's two readings, which are cut to hundredths of a second and to seconds.
region=$(awk -F, '$2 == "end" && /"night"/ { print $6 / 1e9 }' "$tmp/regions")
up=$(printf '%s\n' "$out" | awk 'NR == 1 { u = $1 } NR == 3 { print $1 - u }')
within 'CLOCK_MONOTONIC advances by the 60 s of machine time' 59.99 "$up" "$(echo "$region" | awk '{ print $1 + 0.01 }')"
day=$(printf '%s\n' "$out" | awk 'NR == 2 { d = $1 } NR == 4 { print $1 - d }')
within 'date advances by 60 s' 60 "$day" 61
less 'what is besides the sleep takes less than a second' "$region" 61
is 'the date does not come from the host' "$(printf '%s\n' "$out" | sed -n 5p)" 2001-05-07
first=$out
run -m $m --regions="$tmp/again" -- "$minute" </dev/null
is 'clock, random numbers and interrupts are the same in every run' "$out" "$first"
like 'interrupts among them' "$out" 'CPU15'

# Threads that each work on a processor of their own take as long as one does. If only two of them worked one after the other, it would be twice as long.
# The thread that starts them reads the clock at their beginning, so it has a processor of its own.
"$origin" cc -O2 -Wall -o "$tmp/snload" "$root/tests/guest/snload.c" -lnuma -lpthread || exit 99
run -m $m -s "$tmp" -- 'taskset -c 0 ./snload threads 1 1000000; taskset -c 0 ./snload threads 14 1000000' </dev/null
less 'the time of 14 threads, one on each processor, is less than that of two loops' "$(echo "$out" | tail -n 1)" "$(echo "$out" | awk 'NR == 1 { print 2 * $1 }')"

# A chain of loads at 180 MHz in the primary cache: two cycles for each. Of 64 loads, the loop around them hides at most one cycle, and adds at most four.
"$origin" cc -O2 -Wall -o "$tmp/chase" "$root/tests/guest/chase.c" || exit 99
# The least of three: 1.4 ms of loads may have a clock tick or the boot's last work in them.
run -m origin200 -s "$tmp" -- 'for i in 1 2 3; do ./chase 16 32; done' </dev/null
within 'a chain of loads that hit the primary cache: two cycles each' 11.02 "$(printf '%s\n' "$out" | awk '{ print $(NF - 1) }' | sort -n | head -n 1)" 11.46

run -m stinger --console "$tmp/log1" -- true
is 'stinger, first run' "$status" 0
run -m stinger --console "$tmp/log2" -- true
is 'stinger, second run' "$status" 0
ok 'console logs are byte-identical' cmp "$tmp/log1" "$tmp/log2"
ok 'and not empty' test -s "$tmp/log1"
run -m $m -a loglevel=8 --console "$tmp/log1" -- 'dmesg; cat /proc/interrupts /proc/vmstat'
cp "$tmp/out" "$tmp/out1"
run -m $m -a loglevel=8 --console "$tmp/log2" -- 'dmesg; cat /proc/interrupts /proc/vmstat'
ok 'whole kernel log on the console: identical' cmp "$tmp/log1" "$tmp/log2"
ok 'it is the whole log' test "$(wc -l <"$tmp/log1")" -gt 100
ok 'interrupt and memory statistics: identical' cmp "$tmp/out1" "$tmp/out"
finish
