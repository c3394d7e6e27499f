#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Virtual remedies (docs/whatif.md) against the same change made in the source: scripts/remedies has the rows, their bounds, and why these are not 3 %.
# And CG, of which the estimate is large and the gain is not.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"

# value TABLE COLUMN: of the first remedy
value() {
    python3 -c 'import csv, sys; print(next(csv.DictReader(open(sys.argv[1])))[sys.argv[2]])' "$@"
}

"$root/scripts/remedies" --points >"$tmp/points" 2>"$tmp/err" </dev/null
grep '^# ' "$tmp/points"
points_of 'remedies' "$tmp/points" "$tmp/err"

# The vector's misses are waits of threads that then wait at the next barrier.
"$origin" cc -O2 -g -o "$tmp/share/cg" "$root/examples/cg.c" -lpthread -lm || exit 99
"$origin" whatif -m ricotta -s "$tmp/share" -o "$tmp/c" --top 1 -j 1 --csv -- ./cg -p 8 -n 1400 -t 1 >"$tmp/table" 2>"$tmp/err" </dev/null
is 'cg: status' "$?" 0
less 'cg: the estimate is large, the gain a third of it at most' "$(echo "3 * $(value "$tmp/table" gain_us)" | bc)" "$(value "$tmp/table" estimate_us)"
within 'cg: the gain is nearly none' -4 "$(value "$tmp/table" gain_percent)" 4
finish
