#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counting by address costs: the host's CPU seconds for loads of which one in a hundred goes to 64 KB (tests/bench/range.c), with the memory
# model on, while the loads of those 64 KB are counted and while they are not. Both take turns in one guest. Each counted stretch is compared
# with the ones before and after it, because the host's pace changes from second to second. A pair is a round.
. "$(dirname "$0")/../lib.sh"
m=${M:-origin200}
stretches=$((2 * ${ROUNDS:-19} + 4))    # the last one only keeps the machine alive
turns=${TURNS:-1000000}
"$origin" cc -O2 -o "$tmp/range" "$root/tests/bench/range.c" -lsnpc || exit 1
mkfifo "$tmp/ends"
"$origin" run -m "$m" -s "$tmp" --range-monitor -- "./range $turns $stretches" </dev/null >"$tmp/ends" 2>"$tmp/err" &
run=$!
hz=$(getconf CLK_TCK)
for ((i = 1; i < stretches; i++)); do
    read -r _ || break
    awk -v hz="$hz" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$(pgrep -P "$run")/stat"
done <"$tmp/ends" >"$tmp/cpu" &
wait "$run" || { echo "range.sh: $(cat "$tmp/err")" >&2; exit 1; }
wait
# Every second stretch is counted; the first one includes booting.
awk 'NR > 1 { t[NR] = $1 - last } { last = $1 }
    END { for (i = 4; i < NR; i += 2) { off = (t[i - 1] + t[i + 1]) / 2; print off, t[i], t[i] / off } }' "$tmp/cpu" >"$tmp/rounds"
# shellcheck disable=SC2046
{
    figure "$((turns / 10000)) million loads on $m, no range" s $(column '$1')
    figure "$((turns / 10000)) million loads on $m, 1 % counted by address" s $(column '$2')
    figure 'loads of 64 KB counted by address/no range' '' $(column '$3')
}
