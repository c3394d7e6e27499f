#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counting by address costs: the host's CPU seconds for loads of which one in a hundred goes to 64 KB (tests/bench/range.c), the memory
# model on, without a range monitor, with one that does nothing, and with the loads of those 64 KB counted. Booting is taken off. The three
# take turns, and each turn has a ratio of its own, because the host's pace changes from minute to minute; the middle one counts.
# Bound: at most 1.2 times the model without ranges.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
m=${M:-origin200}
runs=${RUNS:-5}
turns=${TURNS:-5000000}
"$origin" cc -O2 -o "$tmp/range" "$root/tests/bench/range.c" -lsnpc || exit 1
TIMEFORMAT='%U %S'
once() { # once COMMAND OPTIONS...: CPU seconds
    local command=$1
    shift
    { time "$origin" run -m "$m" -s "$tmp" "$@" -- "$command" </dev/null >"$tmp/sum" 2>"$tmp/err"; } 2>&1 | awk '{ print $1 + $2 }'
    [ -s "$tmp/sum" ] || { echo "range.sh: $command $*: $(cat "$tmp/err")" >&2; exit 1; }
}
for ((i = 0; i < runs; i++)); do
    echo "$(once './range 0') $(once "./range $turns") $(once "./range $turns" --range-monitor) $(once "./range $turns count" --range-monitor)"
done >"$tmp/runs"
awk 'NF != 4 { exit 1 }' "$tmp/runs" || exit 1
awk '{ printf "%.3f %.3f %.3f %.2f\n", $2 - $1, $3 - $1, $4 - $1, ($4 - $1) / ($2 - $1) }' "$tmp/runs" | sort -n -k4 >"$tmp/turns"
read -r none idle counted ratio < <(sed -n "$(((runs + 1) / 2))p" "$tmp/turns")
printf '%-34s %9s %9s %9s %9s\n' "ranges on $m, CPU s" 'none' 'idle' 'counted' 'ratio' \
    "$((turns / 10000)) million loads, 1 % of 64 KB" "$none" "$idle" "$counted" "$ratio"
aim 'loads of 64 KB counted by address/no range' "$ratio" most 1.2
