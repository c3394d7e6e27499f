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
    field "$("$origin" run -m ricotta -s "$tmp/share" "$@" -- "./$s_program" 2>"$tmp/err" </dev/null)" 5
}
mkdir "$tmp/share"

# The gains agree within 3 %, or the fourth argument. What differs is the code: a cured program computes other addresses.
agree() {
    a_gain=$((before - $2)) a_cured=$((before - $3)) a_apart=$(echo "scale=2; ${4:-3} / 100" | bc)
    within "$1: the remedy gains what the source does" "$(echo "$a_cured * (1 - $a_apart)" | bc)" "$a_gain" "$(echo "$a_cured * (1 + $a_apart)" | bc)"
    echo "# $1: $before us, with the remedy $2 us, changed $3 us"
}

compile false_sharing share/false_sharing
compile false_sharing share/cured -DCURED
futures false_sharing --future plain --future pad --set remedy='pad counters:8' --future nobody --set remedy='free 0x20000-0x2ffff' \
    --future all --set remedy='free counters:1' --future half --set remedy='free counters:0.5' --future free --set remedy='free counters' \
    --future count --set remedy='free count'
before=$(us plain)
agree 'pad' "$(us pad)" "$(spent cured)"
is 'a future has the time of a run by itself' "$(us pad)" "$(spent false_sharing --remedy='pad counters:8')"
is 'a remedy of what nobody uses changes nothing' "$(us nobody)" "$before"
futures false_sharing --future nobody --set remedy='free 0x20000-0x2ffff'
is 'and says so' "$(cat "$tmp/err")" "origin: future nobody: --remedy 'free 0x20000-0x2ffff' has changed nothing: no miss in it"
is 'and so in a run by itself' "$(spent false_sharing --remedy='free 0x20000-0x2ffff'; cat "$tmp/err")" "$before
origin: --remedy 'free 0x20000-0x2ffff' has changed nothing: no miss in it"

# free: of one object, or of a part of its cost. All of it is the run itself, nothing less than half.
free=$(us free)
is 'free: a factor of 1 changes nothing' "$(us all)" "$before"
less 'free: half of the cost is less than all of it' "$(us half)" "$before"
less 'free: nothing is less than half' "$free" "$(us half)"
# The threads do nothing else but miss counters, in count().
within 'free: a function without misses is as good' "$((free * 9 / 10))" "$(us count)" "$((free * 11 / 10))"

compile contended_lock share/contended_lock
compile contended_lock share/cured -DCURED
futures contended_lock --future plain --future private --set remedy='private lock'
before=$(us plain)
agree 'private' "$(us private)" "$(spent cured)"

# 192 pages, which the program's main thread touches first: the change is dplace's, whose pages the profile chose, as `best` does.
compile first_touch share/first_touch
"$origin" whatif -m ricotta -s "$tmp/share" -o "$tmp/f" --try 'place array best' -j 1 --csv -- ./first_touch >"$tmp/table" 2>"$tmp/err" </dev/null
is 'place: status' "$?" 0
before=$(field "$(cat "$tmp/f/before.stdout")" 5)
"$origin" report --placement "$tmp/f/before" >"$tmp/share/place"
placed=$(field "$("$origin" run -m ricotta -s "$tmp/share" -- dplace -place place ./first_touch 2>/dev/null </dev/null)" 5)
# dplace also places other variables of the program, so here the times agree within 3 %.
within 'place: the time is as by dplace' "$(echo "$placed * 0.97" | bc)" "$(field "$(cat "$tmp/f/try1.stdout")" 5)" "$(echo "$placed * 1.03" | bc)"
less 'place: both gain' "$placed" "$before"

# The cured program reads other pages. So that they do not conflict, all have colours of their own. `huge pool` is not all that it gains: entries of the pool
# still go into the TLB. 1024 of them a round push an entry of the others out with a probability of 1/64 each, and two others are in use all the time, the
# code's and the table's: 2 * 16 refills in each of 40 rounds stay. A refill has its handler and what that misses, up to 0.7 us: 900 us, a tenth of the gain.
# `huge all` has none of them. What is left are words on 2048 pages, whose lines push others out of the L2, the kernel's too: up to 800 misses of 0.5 us, 4 %.
compile tlb_thrash share/tlb_thrash
compile tlb_thrash share/cured -DCURED
colour='remedy=colour pool,where'
futures tlb_thrash --future plain --set "$colour" --future huge --set "$colour" --set remedy='huge pool' --future endless --set "$colour" --set remedy='huge all' --future nobody --set "$colour" --set remedy='huge 0x20000-0x2ffff'
like 'huge: what nobody uses' "$(cat "$tmp/err")" "^origin: future nobody: --remedy 'huge 0x20000-0x2ffff' has changed nothing"
before=$(us plain)
is 'huge: and nothing changes' "$(us nobody)" "$before"
cured=$(spent cured --remedy='colour packed,where')
agree 'huge: all' "$(us endless)" "$cured" 4
agree 'huge' "$(us huge)" "$cured" 10
less 'huge: entries of the pool push others out' "$(us endless)" "$(us huge)"

# All of it is as of runs that each start by themselves: the table, what the command printed, the profile.
"$origin" whatif --no-futures -m ricotta -s "$tmp/share" -o "$tmp/alone" --top 1 -j 1 -- ./false_sharing >"$tmp/table" 2>"$tmp/err" </dev/null
"$origin" whatif -m ricotta -s "$tmp/share" -o "$tmp/w" --top 1 -j 1 --csv -- ./false_sharing >"$tmp/table" 2>"$tmp/err" </dev/null
is 'whatif: status' "$?" 0
like 'whatif: the finding, its remedy and granule' "$(cat "$tmp/table")" '^pad counters:8,false sharing,'
# The line changes hands at least once in a few dozen increments (false_sharing.c): a tenth of the command's time is the least.
within 'whatif: gains' 10 "$(sed -n 's/^pad [^,]*,[^,]*,[^,]*,[^,]*,[^,]*,\([^,]*\),.*/\1/p' "$tmp/table")" 99
like 'whatif: the next problem is another one' "$(cat "$tmp/table")" ',[0-9.]+,data of [^,]*,'
is 'whatif: the table is kept' "$(cat "$tmp/w/whatif.csv")" "$(cat "$tmp/table")"
# run.csv has options and meta.csv a path, which differ.
is 'whatif: a start for each run makes no difference' "$(diff -rq -x run.csv -x meta.csv "$tmp/alone" "$tmp/w" | grep -v '^Only in .*: launcher.stderr$')" ''

refuses() {
    r_name=$1 r_pattern=$2
    shift 2
    "$origin" run -s "$tmp/share" "$@" -- ./false_sharing >"$tmp/out" 2>"$tmp/err" </dev/null
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
refuses 'of a future: unknown variable' "has no variable 'countrs': did you mean counters\\?$" --split="$tmp/no" --split-at=command --future a --set remedy='pad countrs'
refuses 'of the run, which splits' "^origin: --remedy does not go with --split: each future has its own: --set remedy=$" --split="$tmp/no" --future a --remedy='pad counters'
refuses 'one object twice' "^origin: --remedy 'pad counters,counters': two objects of it are about the same addresses$" --remedy='pad counters,counters'
finish
