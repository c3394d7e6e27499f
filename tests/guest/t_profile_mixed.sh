#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A line with two problems has a remedy for each (diseases/mixed_line.c), and the readers' takes their misses away. A remedy that cannot help
# is not offered: the pages of one array collide (diseases/page_colour.c), and padding does not move them.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"
source=$root/tests/guest/diseases/mixed_line.c
at() { echo "mixed_line.c:$(grep -n -F -m 1 -e "$1" "$source" | cut -d : -f 1)"; }
line="line \\(struct \\{\\.\\.\\.\\}, $(at 'line = {')\\)"

disease mixed_line
problems() { sed -n '/^PROBLEMS/,/^$/p' "$tmp/$1.report"; }
like 'first line: what costs most' "$first" "^$line: true sharing costs [0-9.]+ us, [0-9]+ % of all misses, most of it at $(at '/* LOCK */') in work\(\)$"
like 'the readers: a remedy of their own, at their line' "$(problems mixed_line | grep -E -A 1 "$line: false sharing")" "aligned\(128\)\)\); at $(at '/* LIMIT */') in [a-z_]+\\(\\)$"
like 'the writers: copies' "$(problems mixed_line | grep -E -A 1 "$line: true sharing")" "give each thread a copy .*; at $(at '/* LOCK */') in [a-z_]+\\(\\)$"
"$origin" report --format=csv "$tmp/p.mixed_line" >"$tmp/csv" 2>/dev/null
# Each miss of the variable by sharing is counted in one of the two.
is 'counts of both add up to the misses by sharing' \
    "$(problems mixed_line | sed -n "s/^ *[0-9.]* *[0-9.]* *\([0-9]*\)  line (.*sharing\$/\1/p" | paste -s -d + | bc)" \
    "$(python3 -c "import csv, sys; print(sum(int(r['count']) for r in csv.DictReader(open(sys.argv[1])) if r['object'] == 'line'
        and (r['cause'] in ('true_sharing', 'false_sharing', 'moved') or r['cause'].startswith('upgrade'))))" "$tmp/csv")"
compile mixed_line mixed_cured -DCURED
"$origin" profile -m ricotta -s "$tmp" -o "$tmp/p.cured" -- ./mixed_cured >"$tmp/cured.out" 2>&1 </dev/null
"$origin" report "$tmp/p.cured" >"$tmp/cured.report" 2>/dev/null
like 'with the remedy the other problem is left' "$(head -n 1 "$tmp/cured.report")" "^$line: true sharing costs "
unlike 'and no false sharing' "$(problems cured)" "$line: false sharing"

disease page_colour
like 'an array whose own pages collide: colours' "$(cat "$tmp/page_colour.problem")" '  use pages of different colours .*; at page_colour\.c:'
unlike 'and no padding' "$(cat "$tmp/page_colour.problem")" '  pad or shift'
finish
