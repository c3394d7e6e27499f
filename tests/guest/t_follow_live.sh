#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin run --view --follow: the life of a line while its program runs. A reader steps back and forward in a browser, and what he sees, while the program
# runs and after it, is what origin follow prints of the same run.
. "$(dirname "$0")/../lib.sh"
# Five times as long as there, so that a browser sees some of it.
sed 's/^#define TIMES 20000/#define TIMES 100000/' "$root/tests/guest/diseases/false_sharing.c" >"$tmp/false_sharing.c"
"$origin" cc -O2 -g -I"$root/tests/guest/diseases" -o "$tmp/false_sharing" "$tmp/false_sharing.c" -lpthread || { echo 'Bail out! a program does not compile'; exit 99; }
# Room for all of its steps, so that more come after those that the browser has seen
"$origin" run --view=paused --follow counters --follow-max=1000000 -o "$tmp/life" -s "$tmp" -- ./false_sharing >"$tmp/out" 2>"$tmp/err" </dev/null &
run=$!
python3 "$root/tests/guest/view.py" followed "$tmp/err" "$tmp/seen" ${SCREENSHOT:+"$SCREENSHOT"} >"$tmp/points" 2>"$tmp/said" || kill $run
wait $run
is 'the run: status' $? 0
points_of browser "$tmp/points" "$tmp/said"
"$origin" follow "$tmp/life" >"$tmp/text"
# Three times 30 steps while it runs, twice 30 after that
is 'its steps are those of origin follow' "$(python3 "$root/tests/guest/follow_live.py" "$tmp/seen" "$tmp/text" 2>&1)" \
    "90 steps while it ran, 60 after that, of $(grep -cE '^ +[0-9]+\.[0-9]{6} ' "$tmp/text")"
finish
