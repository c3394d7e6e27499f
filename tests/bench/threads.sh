#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a second host thread gains: seconds of the host until each of arctic's 64 processors has run a small program, on one thread and on two
# (docs/machine-time.md). `none` is booting and 64 processes that do nothing; it is taken off the others. `fft` is one program with 16 threads
# that meet at a barrier; `boot` is taken off it. Rounds of the bench are interleaved, and the medians count. On a host that does something else
# the figures mean nothing.
. "$(dirname "$0")/../lib.sh"
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -DSMALL=1 -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
"$origin" cc -O2 -pthread -o "$tmp/large" "$root/tests/bench/kernels.c" -lm || exit 1
once() { # once WORK THREADS: seconds
    local start=$EPOCHREALTIME command="for i in \$(seq 0 63); do taskset -c \$i ./kernels $1 & done; wait"
    case $1 in
    boot) command=true ;;
    fft) command='./large fft' ;;
    esac
    "$origin" run -m arctic --threads="$2" -s "$tmp" -- "$command" >/dev/null 2>"$tmp/err" </dev/null ||
        { echo "threads: $1 does not run"; cat "$tmp/err"; exit 1; }
    echo "$EPOCHREALTIME $start" | awk '{ print $1 - $2 }'
}
for ((i = 0; i < runs; i++)); do
    for work in none sort matmul triad boot fft; do
        t=("$(once $work 1)" "$(once $work 2)")
        [ $work != none ] && [ $work != boot ] || none=("${t[@]}")
        echo "${t[*]} ${none[*]}" >>"$tmp/$work"
    done
done
printf '%-16s %9s %9s %9s\n' 'threads, s' 1 2 gain
for work in none sort matmul triad boot fft; do
    mv "$tmp/$work" "$tmp/rounds"
    if [ $work = none ] || [ $work = boot ]; then
        read -r one two gain < <(medians '$1' '$2' '$1 / $2')
    else
        read -r one two gain < <(medians '$1' '$2' '($1 - $3) / ($2 - $4)')
    fi
    printf '%-16s %9s %9s %9s\n' "$work" "$one" "$two" "$gain"
    case $work in
    boot) ;;
    triad | fft) aim "$work on two threads against one" "$gain" least 1.3 ;;
    *) aim "$work on two threads against one" "$gain" least 1.6 ;;
    esac
done
