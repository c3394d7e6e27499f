#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Machine time: idle time costs the host nothing, and every clock of the guest shows it.
. "$(dirname "$0")/../lib.sh"
m=ricotta

mono="awk '{ print \$1 }' /proc/uptime"

minute="$mono; date +%s; snroi night sleep 60; $mono; date +%s
    date +%Y-%m-%d; date +%s%N; cat /proc/uptime; cat /proc/sys/kernel/random/uuid; cat /proc/interrupts"
run -m $m --regions="$tmp/regions" -- "$minute" </dev/null
# What a minute's sleep costs the host is measured by `make bench T=boot`.
awake=$(awk -F, '$2 == "end" && /"night"/ { print $7 / (16 * 180e6 * 60) }' "$tmp/regions")
within 'sleep 60: 16 CPUs execute less than a thousandth of what they could' 1e-9 "$awake" 0.001
up=$(printf '%s\n' "$out" | awk 'NR == 1 { u = $1 } NR == 3 { print $1 - u }')
within 'CLOCK_MONOTONIC advances by 60 s' 59.95 "$up" 60.5
day=$(printf '%s\n' "$out" | awk 'NR == 2 { d = $1 } NR == 4 { print $1 - d }')
within 'date advances by 60 s' 60 "$day" 61
is 'the date does not come from the host' "$(printf '%s\n' "$out" | sed -n 5p)" 2001-05-07
first=$out
run -m $m --regions="$tmp/again" -- "$minute" </dev/null
is 'clock, random numbers and interrupts are the same in every run' "$out" "$first"
like 'interrupts among them' "$out" 'CPU15'

# 16 CPUs that work for one second of machine time each take one second, not sixteen.
run -m $m -- "$mono; for i in \$(seq 16); do (taskset -c \$((i - 1)) sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done') & done; wait; $mono;
    taskset -c 0 sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done'; $mono"
ratio=$(printf '%s\n' "$out" | awk 'NR == 1 { a = $1 } NR == 2 { b = $1 } NR == 3 { print (b - a) / ($1 - b) }')
within '16 CPUs work in parallel: time of 16 loops over time of one' 0.5 "$ratio" 4

# A chain of loads at 180 MHz in the primary cache: two cycles for each.
"$origin" cc -O2 -Wall -o "$tmp/chase" "$root/tests/guest/chase.c" || exit 99
run -m origin200 -s "$tmp" -- './chase 16 32' </dev/null
within 'a chain of loads that hit the primary cache: two cycles each' 11 "$(printf '%s\n' "$out" | awk '{ print $(NF - 1) }')" 11.6

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
