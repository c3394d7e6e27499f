#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's memory that `origin whatif` takes for eight remedies of a small program, against one profiled run: the most at a time, sum of proportional
# sets, so that what futures share counts once. One run each: ROUNDS changes nothing here.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -g -o "$tmp/false_sharing" "$root/tests/guest/diseases/false_sharing.c" -lpthread || exit 99
tries=()
for remedy in 'pad counters:8' 'private counters' 'place counters 3' 'free counters' 'free counters:0.2' 'free counters:0.4' 'free counters:0.6' 'free counters:0.8'; do
    tries+=(--try "$remedy")
done
peak() {
    "$root/tests/bench/peak.py" "$origin" "$@" -- ./false_sharing || { echo "whatif.sh: origin $* failed" >&2; exit 1; }
}
one=$(peak profile -m ricotta -s "$tmp" -o "$tmp/p") || exit 1
alone=$(peak whatif -m ricotta -s "$tmp" -o "$tmp/w1" -j 1 "${tries[@]}") || exit 1
all=$(peak whatif -m ricotta -s "$tmp" -o "$tmp/w8" -j 8 "${tries[@]}") || exit 1
figure 'one profiled run' MB "$one"
figure 'eight remedies, one at a time' MB "$alone"
figure 'eight remedies, all at a time' MB "$all"
figure 'each future more, over one run' '' "$(echo "scale=3; ($all - $alone) / 7 / $one" | bc)"
