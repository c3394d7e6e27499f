#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a second host thread gains: seconds of the host until each of arctic's 64 processors has run a small program, on one thread and on two
# (docs/machine-time.md). *None* is booting and 64 processes that do nothing; it is taken off the others. *FFT* is one program with 16 threads
# that meet at a barrier; *boot* is taken off it. Runs on one thread and on two take turns. On a host that does something else the figures mean
# nothing.
. "$(dirname "$0")/../lib.sh"
runs=${ROUNDS:-3}
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
for work in none sort matmul triad boot fft; do
    mv "$tmp/$work" "$tmp/rounds"
    base='0 0' name=$work
    [ $work = none ] || [ $work = boot ] || base='$3 $4'
    [ $work != fft ] || name=FFT
    # shellcheck disable=SC2046
    {
        figure "$name, 1 thread" s $(column '$1')
        figure "$name, 2 threads" s $(column '$2')
        [ $work = boot ] || figure "$name, gain" '' $(column "(\$1 - ${base% *}) / (\$2 - ${base#* })")
    }
done
