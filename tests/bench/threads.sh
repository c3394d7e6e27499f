#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a second host thread gains: seconds of the host until each of arctic's 64 processors has run a small program, in turns on one thread, and in
# rounds on one and on two (docs/machine-time.md). `none` is booting and 64 processes that do nothing; it is taken off the others. Rounds of the
# bench are interleaved, and the medians count. On a host that does something else the figures mean nothing.
. "$(dirname "$0")/../lib.sh"
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -DSMALL=1 -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
once() { # once WORK [OPTION]: seconds
    local start=$EPOCHREALTIME
    "$origin" run -m arctic ${2:+"$2"} -s "$tmp" -- "for i in \$(seq 0 63); do taskset -c \$i ./kernels $1 & done; wait" >/dev/null 2>"$tmp/err" ||
        { echo "threads: $1 does not run"; cat "$tmp/err"; exit 1; }
    echo "$EPOCHREALTIME $start" | awk '{ print $1 - $2 }'
}
for ((i = 0; i < runs; i++)); do
    for work in none sort matmul triad; do
        t=("$(once $work)" "$(once $work --threads=1)" "$(once $work --threads=2)")
        [ $work != none ] || none=("${t[@]}")
        echo "${t[*]} ${none[*]}" >>"$tmp/$work"
    done
done
printf '%-16s %9s %9s %9s %9s %9s\n' 'threads, s' turns 1 2 1/turns 1/2
for work in none sort matmul triad; do
    mv "$tmp/$work" "$tmp/rounds"
    if [ $work = none ]; then
        read -r turns one two cost gain < <(medians '$1' '$2' '$3' '$2 / $1' '$2 / $3')
    else
        read -r turns one two cost gain < <(medians '$1' '$2' '$3' '($2 - $5) / ($1 - $4)' '($2 - $5) / ($3 - $6)')
    fi
    printf '%-16s %9s %9s %9s %9s %9s\n' "$work" "$turns" "$one" "$two" "$cost" "$gain"
    aim "$work in rounds on one thread against turns" "$cost" most 1.15
    aim "$work on two threads against one" "$gain" least "$([ $work = triad ] && echo 1.3 || echo 1.6)"
done
