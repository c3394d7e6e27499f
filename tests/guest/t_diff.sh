#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report --diff of a program before and after its remedy, false sharing and padding, and of two runs of one program.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -g -o "$tmp/before" "$root/tests/guest/diseases/false_sharing.c" -lpthread &&
    "$origin" cc -O2 -g -DCURED -o "$tmp/after" "$root/tests/guest/diseases/false_sharing.c" -lpthread || exit 99
cd "$tmp" || exit 99
for run in a:before again:before b:after; do
    "$origin" profile -m ricotta -s . -o "${run%:*}" -- "./${run#*:}" >out 2>err </dev/null
    like "${run%:*}: profiled" "$? $(cat out err)" '^0 expect counters'
done
"$origin" report --diff a b >text 2>err
is "status" "$?" 0
like "first line: what changed in all, and by what" "$(head -n 1 text)" \
    '^Misses cost [0-9.]+ us instead of [0-9.]+ us, [0-9.]+ us less \(-[0-9.]+ %\); counters \(struct pair, false_sharing\.c:20\) explains most of it: [0-9.]+ us less\.$'
like "what differs: the command alone" "$(sed -n '/^Different/p' text)" '^Different commands: \./before in A, \./after in B$'
# The two counters' accesses in the remedied program: the first touch of each of two lines, and few more.
of_counters() { "$origin" report --format=csv "$1" | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["object"] == "counters"]
print(sum(int(r["count"]) for r in rows), "%.1f" % (sum(float(r["stall_ns"]) for r in rows) / 1000))'; }
is "the object: counts and times are those of the single reports" \
    "$(awk '$7 == "counters" { print $5, $2, $6, $3 }' text)" \
    "$(of_counters a) $(of_counters b)"
is "the two lines of the counters, the function and the object are in both: nothing that counts them is new or gone" \
    "$(grep -E '(false_sharing\.c:2[68] |^ .*  count \(|  counters )' text | grep -c -E '  (new|gone)  ') $(grep -c -E 'false_sharing\.c:2[68] in count\(\)  [a-z_]+=' text)" "0 2"
like "the program has another name: its function is the same" "$(cat text)" '  count \(/share/after\) \[in A count \(/share/before\)\]'
"$origin" report --diff --top 1000 a b >all 2>err
like "so is its data" "$(cat all)" '  data of /share/after \[in A data of /share/before\] '
# Its code has misses in both. They may be the same, and then it has no line.
is "so is its code: it is neither new nor gone" "$(for p in a b; do "$origin" report --format=csv $p | grep -c 'code of /share/' | sed 's/[1-9][0-9]*/some/'; done; grep -c '  code of /share/[a-z]*  ' all)" 'some
some
0'
like "threads in their order" "$(sed -n '/^THREADS/,/^$/p' text)" '^ +-[0-9.]+ .* after:[0-9]+ \[in A before:[0-9]+\]$'
like "the other way round it is worse" "$("$origin" report --diff b a 2>err | head -n 1)" '^Misses cost .* us more \(\+.*; counters .* us more\.$'
is "the same run twice: no difference" "$("$origin" report --diff a again 2>err | head -n 1 | cut -d: -f1)" "No difference"
finish
