#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Virtual remedies (docs/whatif.md): what the model believes gains what the change of the source gains, in processor time of all threads since main()
# began; a remedy without an access changes nothing; origin whatif finds the remedy by itself.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"

# spent PROGRAM OPTION...: us
spent() {
    s_program=$1
    shift
    field "$("$origin" run -m ricotta -s "$tmp" "$@" -- "./$s_program" 2>"$tmp/err" </dev/null)" 5
}

# The gains agree within 3 %, or the fourth argument. What differs is the code: a cured program computes other addresses.
agree() {
    a_gain=$((before - $2)) a_cured=$((before - $3)) a_apart=$(echo "scale=2; ${4:-3} / 100" | bc)
    within "$1: the remedy gains what the source does" "$(echo "$a_cured * (1 - $a_apart)" | bc)" "$a_gain" "$(echo "$a_cured * (1 + $a_apart)" | bc)"
    echo "# $1: $before us, with the remedy $2 us, changed $3 us"
}

compile false_sharing false_sharing
compile false_sharing cured -DCURED
before=$(spent false_sharing)
agree 'pad' "$(spent false_sharing --remedy='pad counters:8')" "$(spent cured)"
is 'a remedy of what nobody uses changes nothing' "$(spent false_sharing --remedy='free 0x20000-0x2ffff')" "$before"
like 'and says so' "$(cat "$tmp/err")" "^origin: --remedy 'free 0x20000-0x2ffff' has changed nothing: no miss in it\$"

# free: of one object, or of a part of its cost. All of it is the run itself, nothing less than half.
free=$(spent false_sharing --remedy='free counters') half=$(spent false_sharing --remedy='free counters:0.5')
is 'free: a factor of 1 changes nothing' "$(spent false_sharing --remedy='free counters:1')" "$before"
less 'free: half of the cost is less than all of it' "$half" "$before"
less 'free: nothing is less than half' "$free" "$half"
# The threads do nothing else but miss counters, in count().
within 'free: a function without misses is as good' "$((free * 9 / 10))" "$(spent false_sharing --remedy='free count')" "$((free * 11 / 10))"

compile contended_lock contended_lock
compile contended_lock cured -DCURED
before=$(spent contended_lock)
agree 'private' "$(spent contended_lock --remedy='private lock')" "$(spent cured)"

# 192 pages, which the program's main thread touches first: the change is dplace's, whose pages the profile chose, as `best` does.
compile first_touch first_touch
before=$(spent first_touch)
"$origin" whatif -m ricotta -s "$tmp" -o "$tmp/f" --try 'place array best' -j 1 --csv -- ./first_touch >"$tmp/table" 2>"$tmp/err" </dev/null
is 'place: status' "$?" 0
"$origin" report --placement "$tmp/f/before" >"$tmp/place"
placed=$(field "$("$origin" run -m ricotta -s "$tmp" -- dplace -place place ./first_touch 2>/dev/null </dev/null)" 5)
# dplace also places other variables of the program, so here the times agree within 3 %.
within 'place: the time is as by dplace' "$(echo "$placed * 0.97" | bc)" "$(field "$(cat "$tmp/f/try1.stdout")" 5)" "$(echo "$placed * 1.03" | bc)"
less 'place: both gain' "$placed" "$before"

# The cured program reads other pages. So that they do not conflict, all have colours of their own. It also has 32 MB less that the kernel fills with zeros,
# and that displaces what the measured rounds then read again: up to a miss of 0.5 us for each of the 2048 words, a tenth of the gain.
compile tlb_thrash tlb_thrash
compile tlb_thrash cured -DCURED
before=$(spent tlb_thrash --remedy='colour pool,where')
agree 'huge' "$(spent tlb_thrash --remedy='colour pool,where' --remedy='huge pool')" "$(spent cured --remedy='colour packed,where')" 10
is 'huge: pages that nobody uses' "$(spent tlb_thrash --remedy='colour pool,where' --remedy='huge 0x20000-0x2ffff')" "$before"
like 'huge: and says so' "$(cat "$tmp/err")" "^origin: --remedy 'huge 0x20000-0x2ffff' has changed nothing"

"$origin" whatif -m ricotta -s "$tmp" -o "$tmp/w" --top 1 -j 1 --csv -- ./false_sharing >"$tmp/table" 2>"$tmp/err" </dev/null
is 'whatif: status' "$?" 0
like 'whatif: the finding, its remedy and granule' "$(cat "$tmp/table")" '^pad counters:8,false sharing,'
# The line changes hands at least once in a few dozen increments (false_sharing.c): a tenth of the command's time is the least.
within 'whatif: gains' 10 "$(sed -n 's/^pad [^,]*,[^,]*,[^,]*,[^,]*,[^,]*,\([^,]*\),.*/\1/p' "$tmp/table")" 99
like 'whatif: the next problem is another one' "$(cat "$tmp/table")" ',[0-9.]+,data of [^,]*,'
is 'whatif: the table is kept' "$(cat "$tmp/w/whatif.csv")" "$(cat "$tmp/table")"

refuses() {
    r_name=$1 r_pattern=$2
    shift 2
    "$origin" run -s "$tmp" "$@" -- ./false_sharing >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$r_name: status" "$?" 2
    like "$r_name: says why" "$(cat "$tmp/err")" "$r_pattern"
    is "$r_name: one line" "$(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "1 0"
}
refuses 'unknown variable' "has no variable 'countrs': did you mean counters\\?$" --remedy='pad countrs'
refuses 'a variable like no other' "has no variable 'xyzzy'$" --remedy='pad xyzzy'
refuses 'unknown function' "has no variable or function, and the model no cause, 'cont': did you mean count\\?$" --remedy='free cont'
refuses 'unknown cause' "no cause, 'conflct': did you mean conflict\\?$" --remedy='free conflct'
refuses 'unknown kind' "^origin: --remedy 'mend counters': " --remedy='mend counters'
refuses 'no node' "^origin: --remedy 'place counters': " --remedy='place counters'
refuses 'beyond the nodes' "^origin: --remedy 'place counters 8': the machine has nodes 0 to 7" --remedy='place counters 8'
refuses 'no granule' "^origin: --remedy 'pad counters:0': " --remedy='pad counters:0'
refuses 'a factor beyond 1' "^origin: --remedy 'free counters:1.5': a factor is from 0 to 1" --remedy='free counters:1.5'
refuses 'a cause without a profile' "^origin: --remedy 'free conflict': causes are known" --remedy='free conflict'
refuses 'no such line' "^origin: --remedy 'free false_sharing.c:9999': the program has no code of this line; the nearest one that has is [0-9]+$" --remedy='free false_sharing.c:9999'
refuses 'no such file' "^origin: --remedy 'free true_sharing.c:9': the program has no code of this line, or no debug information$" --remedy='free true_sharing.c:9'
refuses 'too far ahead' "^origin: --remedy 'prefetch counters:65': at most 64" --remedy='prefetch counters:65'
refuses 'two of one object' "^origin: --remedy 'free counters[+]4': 'pad counters' is about the same addresses$" --remedy='pad counters' --remedy='free counters+4'
refuses 'one object twice' "^origin: --remedy 'pad counters,counters': two objects of it are about the same addresses$" --remedy='pad counters,counters'
finish
