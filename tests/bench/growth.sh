#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How the host's cost of a guest instruction grows with the machine: CPU seconds of QEMU while all processors do the same work together
# (tests/bench/growth.c: 1.8 billion instructions of floating point, shared by all processors, on data in their primary caches), and before that,
# while their threads are created and bound. After it the processors talk to each other: a lock that all want, a barrier, and lines that each writes
# for each other one. What that costs is told by its smallest part: one time that the lock is taken, one arrival at the barrier, one line that goes from
# a processor to another. Booting is not part of any. Machines take turns, and ratios are to the first machine within a round.
# GROWTH_MACHINES (all of them) chooses.
. "$(dirname "$0")/../lib.sh"
runs=${ROUNDS:-3}
read -ra machines <<<"${GROWTH_MACHINES:-origin200 ricotta arctic stinger}"
"$origin" cc -O2 -pthread -o "$tmp/growth" "$root/tests/bench/growth.c" || exit 1
used() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$1/stat"; } # CPU seconds of a process
once() { # once MACHINE: CPU seconds of creating threads, of their work, and of each way to talk, in $tmp/times
    local qemu='' times=()
    mkfifo "$tmp/words"
    "$origin" run -m "$1" -s "$tmp" -- ./growth </dev/null >"$tmp/words" 2>"$tmp/err" &
    while read -r _; do
        [ -n "$qemu" ] || qemu=$(pgrep -P $!)
        times+=("$(used "$qemu")")
    done <"$tmp/words"
    wait $! && [ ${#times[@]} = 7 ] || { echo "growth: it does not run on $1"; cat "$tmp/err"; exit 1; }
    rm "$tmp/words"
    echo "${times[*]}" | awk '{ for (i = 2; i <= NF; i++) printf "%s ", $i - $(i - 1); print "" }' >"$tmp/times"
}
for ((i = 0; i < runs; i++)); do
    for m in "${machines[@]}"; do
        once "$m"
        read -r create work _ talk <"$tmp/times"
        [ "$m" != "${machines[0]}" ] || first=$work
        echo "$create $work $first $talk" >>"$tmp/$m"
    done
done
for m in "${machines[@]}"; do
    mv "$tmp/$m" "$tmp/rounds"
    cpus=$("$origin" machines | awk -v m="$m" '$1 == m { print $4 }')
    # shellcheck disable=SC2046
    {
        figure "$m, creating the threads" s $(column '$1')
        figure "$m, the work" s $(column '$2')
        # growth.c has the numbers.
        [ "$m" != "${machines[0]}" ] || continue
        figure "$m, the work against ${machines[0]}" '' $(column '$2 / $3')
        # growth.c has the numbers. Two processors talk for too short a time to be measured.
        figure "$m, a lock taken" us $(column '$4 / 2048 * 1e6')
        figure "$m, an arrival at a barrier" us $(column "\$5 / (32 * $cpus) * 1e6")
        figure "$m, a line for another processor" us $(column "\$6 / (4 * $cpus * $cpus) * 1e6")
    }
done
