#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the estimate of a profile and the truth part (docs/whatif.md): two problems side by side, of which only both together gain, and a lock that
# alone determines the time.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"

# value TABLE REMEDY COLUMN
value() {
    python3 -c 'import csv, sys; print(next((r[sys.argv[3]] for r in csv.DictReader(open(sys.argv[1])) if r["remedy"] == sys.argv[2]), "no row"))' "$@"
}

compile two_problems two_problems
"$origin" whatif -m ricotta -s "$tmp" -o "$tmp/w" --pairs=2 --try 'place left best' --try 'place right best' -j 1 --csv -- ./two_problems >"$tmp/table" 2>"$tmp/err" </dev/null
is 'pairs: status, and nothing else is said' "$? $(cat "$tmp/err")" '0 '
is 'pairs: the rows, the best first' "$(sed '1d; s/,.*//; 3,4s/left\|right/one/' "$tmp/table")" 'place left best + place right best
place one best
place one best'
for one in left right; do
    # All but the wait of the other thread is the same, and what else runs on the two processors: in the run without a remedy a thread is ready, but
    # without a processor, for 5.5 ms of 324 (THREADS of its report), in the others at other times. Two per cent are 6.5 ms.
    within "pairs: $one alone gains nothing" -2 "$(value "$tmp/table" "place $one best" gain_percent)" 2
    # The estimate counts this thread's misses, which are half of all.
    less "pairs: but the estimate says so for $one" "$(($(value "$tmp/table" "place $one best" before_us | cut -d. -f1) / 5))" "$(value "$tmp/table" "place $one best" estimate_us)"
done
both='place left best + place right best'
# Two hops less of 16 MB of misses, one after the other: a third of what they take, at least.
within 'pairs: both together gain' 20 "$(value "$tmp/table" "$both" gain_percent)" 60
is 'pairs: what they gain by themselves is beside it' "$(value "$tmp/table" "$both" alone_us)" \
    "$(echo "$(value "$tmp/table" 'place left best' gain_us) + $(value "$tmp/table" 'place right best' gain_us)" | bc | sed 's/^\(-*\)\./\10./')"
sum=$(echo "$(value "$tmp/table" 'place left best' estimate_us) + $(value "$tmp/table" 'place right best' estimate_us)" | bc) # with a zero at its end, perhaps
within 'pairs: the estimate is the sum' "$sum" "$(value "$tmp/table" "$both" estimate_us)" "$sum"

compile lock_convoy lock_convoy
"$origin" whatif -m ricotta -s "$tmp" -o "$tmp/c" --pairs --try 'private board' --try 'free board:0.5' -j 1 --csv -- ./lock_convoy >"$tmp/table" 2>"$tmp/err" </dev/null
is 'convoy: status' "$?" 0
# The misses of all threads take half as long as the program, and more.
less 'convoy: the estimate is large' "$(($(value "$tmp/table" 'private board' before_us | cut -d. -f1) / 2))" "$(value "$tmp/table" 'private board' estimate_us)"
# What is left are the first turns, before the threads queue, and the beginning of the program.
within 'convoy: the gain is not' -4 "$(value "$tmp/table" 'private board' gain_percent)" 4
is 'two remedies of one object are no pair' "$(wc -l <"$tmp/table")" 3
finish
