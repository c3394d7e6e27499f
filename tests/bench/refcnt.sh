#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the reference counters cost on ricotta: reading them, and a program whose memory is counted.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/refcnt-bench" "$root/tests/bench/refcnt.c" || exit 99
timed() { # timed JOB: host seconds of CPU in $host, output in $out
    TIMEFORMAT=%U
    host=$({ time run -m ricotta -s "$tmp" -- "$1" </dev/null; } 2>&1)
    out=$(cat "$tmp/out")
}
timed true
boot=$host
printf '%-52s %12s %12s\n' '' 'machine ms' 'host s'
timed './refcnt-bench proc'
printf '%-52s %12s %12s\n' '64 MB through /proc, hardware and extended' "$out" "$(echo "$host - $boot" | bc)"
timed './refcnt-bench mmap'
printf '%-52s %12s %12s\n' "a node's by mmap: first time, again, size" "$out" "$(echo "$host - $boot" | bc)"
timed './refcnt-bench run'
printf '%-52s %12s\n' 'work on remote memory, not counted and counted, us' "$out"
aim 'what counting a page costs its user' "$(echo "$out" | awk '{ printf "%.3f", ($2 / $1 - 1) * 100 }')" most 1 %
