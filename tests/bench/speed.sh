#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's CPU seconds for the same guest work (tests/bench/work.c) under QEMU's stock round robin, with machine time, and
# with machine time and the memory model. The boot is measured alone and taken off.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
"$origin" cc -O2 -pthread -o "$tmp/work" "$root/tests/bench/work.c" || exit 1
TIMEFORMAT='%U %S'
cost() { # cost OPTIONS... -- COMMAND...: CPU seconds, user and system
    { time "$origin" run -m "$m" -s "$tmp" "$@" </dev/null >"$tmp/sum" 2>/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
declare -A boot
for mode in '--quantum=off --model=off' '--quantum=1000 --model=off' '--quantum=5000 --model=off' '--quantum=1000 --model=on'; do
    # shellcheck disable=SC2086
    boot[$mode]=$(cost $mode -- true)
done
printf '%-34s %9s %9s %9s %9s %15s\n' "speed on $m" 'stock' '1 us' '5 us' 'model on' 'machine time'
for w in '16 16 6000' '16 256 300' '1 16 90000' '1 4096 300'; do
    # shellcheck disable=SC2086
    set -- $w
    line=
    for mode in '--quantum=off --model=off' '--quantum=1000 --model=off' '--quantum=5000 --model=off' '--quantum=1000 --model=on'; do
        # shellcheck disable=SC2086
        t=$(cost $mode -- ./work "$@")
        line="$line $(echo "$t ${boot[$mode]}" | awk '{ printf "%.2f", $1 - $2 }')"
    done
    # shellcheck disable=SC2086
    set -- $line
    printf '%-34s %9s %9s %9s %9s %7s (<= 1.8)\n' "CPUs, KB each, turns: $w" "$@" \
        "$(awk "BEGIN { if ($1 > 0) printf \"%.2f\", $2 / $1; else print \"-\" }")"
done
