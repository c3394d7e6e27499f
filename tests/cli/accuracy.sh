#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The full time model against the thesis' tables (tests/accuracy): the medians of the errors are within their bounds, and docs/fidelity is
# what this code computes.
. "$(dirname "$0")/../lib.sh"
"$root/tests/accuracy/run.sh" --check "$tmp/tap" >"$tmp/tables"
grep -v '^1\.\.' "$tmp/tap" >"$tmp/check"
while read -r verdict rest; do
    [ "$verdict" = ok ]
    result $? "${rest#*- }"
done <"$tmp/check"
is "docs/fidelity/README.md is what make accuracy writes" "$(cmp "$tmp/tables" "$root/docs/fidelity/README.md" 2>&1)" ''

# guest.py gets the thesis' own values, as if a guest had measured them.
mkdir -p "$tmp/guest/arctic"
cp "$root/tests/accuracy/thesis/table_4_8.csv" "$tmp/guest/arctic/local.csv"
cp "$root/tests/accuracy/thesis/table_4_13.csv" "$tmp/guest/arctic/remote-detail.csv"
cp "$root/tests/accuracy/thesis/table_4_18.csv" "$tmp/guest/arctic/dexd.csv"
cp "$root/tests/accuracy/thesis/table_4_20.csv" "$tmp/guest/arctic/single-sharer.csv"
"$root/tests/accuracy/guest.py" "$tmp/guest" >"$tmp/out" 2>"$tmp/err"
is "the thesis' own values are near the rig's" "$? $(cat "$tmp/err")" '0 '
like 'no distance to the thesis' "$(cat "$tmp/out")" '^\| 4\.8 \| arctic \| latency \| 17 \| 0\.0 \| 0\.0 \| [0-9.]+ \| [0-9.]+ \|$'
like 'of any row' "$(cat "$tmp/out")" '^\| 4\.13 \| arctic \| bandwidth \| 96 \| 0\.0 \| 0\.0 \| [0-9.]+ \| [0-9.]+ \|$'
like 'of interventions' "$(cat "$tmp/out")" '^\| 4\.18 \| arctic \| latency \| 24 \| 0\.0 \| 0\.0 \| [0-9.]+ \| [0-9.]+ \|$'
like 'and invalidations' "$(cat "$tmp/out")" '^\| 4\.20 \| arctic \| latency \| 24 \| 0\.0 \| 0\.0 \| [0-9.]+ \| [0-9.]+ \|$'
like 'what was not measured is said' "$(cat "$tmp/out")" '^Not measured: Table 4\.12 on stinger$'

# The same guest with latencies that are a tenth longer. The rig's are within 2 % of the thesis'.
mkdir -p "$tmp/slow/arctic"
awk -F, -v OFS=, 'NR > 1 { $2 *= 1.1; $3 *= 1.1; $4 *= 1.1; $5 *= 1.1 } { print }' "$tmp/guest/arctic/local.csv" >"$tmp/slow/arctic/local.csv"
"$root/tests/accuracy/guest.py" "$tmp/slow" >"$tmp/out" 2>"$tmp/err"
is 'the guest may not be far from the rig' "$? $(cat "$tmp/err")" '1 guest.py: 1 columns where guest and rig are more than 2 % apart'
finish
