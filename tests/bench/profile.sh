#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What writing a profile costs: the host's CPU seconds of booting, of a sort on one processor and of an FFT on all sixteen (tests/bench/kernels.c),
# with the model on, and with a profile besides. Writing the tables is in each of them. The sort and the FFT begin with kept boots, the profile's
# with all that was recorded of it; the boot is a cold one both ways, as a kept one is read from a file in place of being made. One thread runs all,
# because threads that wait for each other use processor time, too; the rows with `seconds` are by the clock, with as many threads as users have. A host
# may change its pace within minutes, so each round runs both ways, and ratios are taken within a round.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
runs=${ROUNDS:-3}
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
once() { # once KERNEL COMMAND...: CPU seconds of one run
    local TIMEFORMAT='%U %S'
    timed "$@" --threads=1
}
clock() { # the same: seconds, with the threads that users have
    local TIMEFORMAT='%R'
    timed "$@"
}
timed() {
    local kernel=$1 where='numactl -C 2' boot=kept
    shift
    [ "$kernel" != none ] || boot=cold
    [ "$kernel" != fft ] || where=
    # shellcheck disable=SC2086
    { time "$origin" "$@" --boot=$boot -m "$m" -s "$tmp" -- $where ./kernels "$kernel" </dev/null >"$tmp/out" 2>"$tmp/err"; } 2>&1 |
        awk '{ print $1 + $2 }'
}
# The first machine of a kind keeps its boot for the others. No round may be the one that does.
once sort run >"$tmp/first"
once sort profile -o "$tmp/p" >"$tmp/first"
for k in none sort fft; do
    : >"$tmp/rounds"
    for ((i = 0; i < runs; i++)); do
        echo "$(once $k run) $(once $k profile -o "$tmp/p")" >>"$tmp/rounds"
    done
    name=$k
    [ $k != none ] || name=boot
    # shellcheck disable=SC2046
    {
        figure "on, $name" s $(column '$1')
        figure "profile, $name" s $(column '$2')
        figure "profile/on, $name" '' $(column '$2 / $1')
        figure "rows, $name" '' "$(sed -n 's/^rows,//p' "$tmp/p/meta.csv")"
    }
done
: >"$tmp/rounds"
for ((i = 0; i < runs; i++)); do
    echo "$(clock fft run) $(clock fft profile -o "$tmp/p")" >>"$tmp/rounds"
done
# shellcheck disable=SC2046
{
    figure 'on, seconds, fft' s $(column '$1')
    figure 'profile, seconds, fft' s $(column '$2')
    figure 'profile/on, seconds, fft' '' $(column '$2 / $1')
}
