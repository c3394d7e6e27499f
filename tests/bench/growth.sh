#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How the host's cost of a guest instruction grows with the machine: CPU seconds of QEMU while all processors do the same work together
# (tests/bench/growth.c: 1.8 billion instructions of floating point, shared by all processors, on data in their primary caches), and before that,
# while their threads are created and bound. Booting is not part of either. Machines take turns, and ratios are to the smallest machine within a round.
. "$(dirname "$0")/../lib.sh"
runs=${ROUNDS:-3}
machines=(origin200 ricotta arctic stinger)
"$origin" cc -O2 -pthread -o "$tmp/growth" "$root/tests/bench/growth.c" || exit 1
used() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$1/stat"; } # CPU seconds of a process
once() { # once MACHINE: CPU seconds of creating threads and of their work, in $tmp/times
    local qemu='' times=()
    mkfifo "$tmp/words"
    "$origin" run -m "$1" -s "$tmp" -- ./growth </dev/null >"$tmp/words" 2>"$tmp/err" &
    while read -r _; do
        [ -n "$qemu" ] || qemu=$(pgrep -P $!)
        times+=("$(used "$qemu")")
    done <"$tmp/words"
    wait $! && [ ${#times[@]} = 3 ] || { echo "growth: it does not run on $1"; cat "$tmp/err"; exit 1; }
    rm "$tmp/words"
    echo "${times[*]}" | awk '{ print $2 - $1, $3 - $2 }' >"$tmp/times"
}
for ((i = 0; i < runs; i++)); do
    for m in "${machines[@]}"; do
        once "$m"
        read -r create work <"$tmp/times"
        [ "$m" != "${machines[0]}" ] || first=$work
        echo "$create $work $first" >>"$tmp/$m"
    done
done
for m in "${machines[@]}"; do
    mv "$tmp/$m" "$tmp/rounds"
    # shellcheck disable=SC2046
    {
        figure "$m, creating the threads" s $(column '$1')
        figure "$m, the work" s $(column '$2')
        [ "$m" = "${machines[0]}" ] || figure "$m, the work against ${machines[0]}" '' $(column '$2 / $3')
    }
done
