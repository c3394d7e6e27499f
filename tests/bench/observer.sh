#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an observer of messages costs those who have none: the instructions of misses in the engine alone (tests/bench/observer.c), over those in an
# engine from whose sources the notes about messages have been taken out. Valgrind counts them, so they are the same on any host and in each round.
# ROUNDS changes nothing here.
# depends: qemu-origin/engine
. "$(dirname "$0")/../lib.sh"
engine=$root/qemu-origin/engine
cp -r "$engine" "$tmp/without" || exit 1
# The notes of nobody: the compiler removes what would write them.
find "$tmp/without" -name '*.c' -exec sed -i -E '/m->seen = /!s/\b(t->)?m->seen\b/((struct sn_seen *)NULL)/g' {} +
for e in "$engine" "$tmp/without"; do
    # shellcheck disable=SC2046
    gcc -std=gnu11 -O2 -g -I"$e" -I"$root/tests/unit" -I"$root/include" -o "$tmp/observer-$(basename "$e")" "$root/tests/bench/observer.c" \
        $(sed "s,^,$e/," "$e/SOURCES") || exit 1
done
count() { # count ENGINE WHAT MODEL: instructions
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=work "$tmp/observer-$1" "$2" "$3" 2>&1 >"$tmp/misses-$1" |
        awk '/Collected/ { print $NF }'
}
for what in private shared; do
    for model in unloaded full; do
        with=$(count engine $what $model) without=$(count without $what $model)
        cmp "$tmp/misses-engine" "$tmp/misses-without" || exit 1
        figure "instructions of a miss, $what lines, $model" '' "$(echo "$with $(cat "$tmp/misses-engine")" | awk '{ printf "%.1f", $1 / $2 }')"
        figure "with/without an observer's notes, $what lines, $model" '' "$(echo "$with $without" | awk '{ printf "%.4f", $1 / $2 }')"
    done
done
