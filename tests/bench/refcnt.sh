#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the reference counters cost on ricotta: reading them, and a program whose memory is counted. *Host* is user time beyond booting. One run each:
# ROUNDS changes nothing here.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/refcnt-bench" "$root/tests/bench/refcnt.c" || exit 99
timed() { # timed JOB: host seconds of CPU in $host, output in $out
    TIMEFORMAT=%U
    host=$({ time run -m ricotta -s "$tmp" -- "$1" </dev/null; } 2>&1)
    out=$(cat "$tmp/out")
}
timed true
boot=$host
beyond() { # the host's seconds of the last job, without booting
    echo "$host - $boot" | bc
}
timed './refcnt-bench proc'
read -r hardware extended _ <<<"$out"
figure '64 MB through /proc, hardware counters' 'ms of machine time' "$hardware"
figure 'the same, extended counters' 'ms of machine time' "$extended"
figure 'both, host' s "$(beyond)"
timed './refcnt-bench mmap'
read -r first again _ <<<"$out"
figure "a node's by mmap, first time" 'ms of machine time' "$first"
figure 'the same once more' 'ms of machine time' "$again"
timed './refcnt-bench run'
figure 'what counting a page costs its user' % "$(echo "$out" | awk '{ printf "%.3f", ($2 / $1 - 1) * 100 }')"
