#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a second host thread gains: seconds of the host until each of arctic's 64 processors has run a small program, on one thread and on two
# (docs/machine-time.md). `none` is booting and 64 processes that do nothing; it is taken off the others. Rounds of the bench are interleaved, and
# the medians count. On a host that does something else the figures mean nothing.
. "$(dirname "$0")/../lib.sh"
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -DSMALL=1 -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
once() { # once WORK THREADS: seconds
    local start=$EPOCHREALTIME
    "$origin" run -m arctic --threads="$2" -s "$tmp" -- "for i in \$(seq 0 63); do taskset -c \$i ./kernels $1 & done; wait" >/dev/null 2>"$tmp/err" ||
        { echo "threads: $1 does not run"; cat "$tmp/err"; exit 1; }
    echo "$EPOCHREALTIME $start" | awk '{ print $1 - $2 }'
}
for ((i = 0; i < runs; i++)); do
    for work in none sort matmul triad; do
        t=("$(once $work 1)" "$(once $work 2)")
        [ $work != none ] || none=("${t[@]}")
        echo "${t[*]} ${none[*]}" >>"$tmp/$work"
    done
done
printf '%-16s %9s %9s %9s\n' 'threads, s' 1 2 gain
for work in none sort matmul triad; do
    mv "$tmp/$work" "$tmp/rounds"
    if [ $work = none ]; then
        read -r one two gain < <(medians '$1' '$2' '$1 / $2')
    else
        read -r one two gain < <(medians '$1' '$2' '($1 - $3) / ($2 - $4)')
    fi
    printf '%-16s %9s %9s %9s\n' "$work" "$one" "$two" "$gain"
    aim "$work on two threads against one" "$gain" least "$([ $work = triad ] && echo 1.3 || echo 1.6)"
done
