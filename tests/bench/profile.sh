#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What writing a profile costs: the host's CPU seconds of booting, of a sort on one processor and of an FFT on all sixteen (tests/bench/kernels.c),
# with the model on, and with a profile besides. Booting is in each of them, and so is writing the tables. A host may change its pace within
# minutes, so each round runs both ways, ratios are taken within a round, and the median of the rounds counts.
# Bounds: 1.5 each; 64 bytes for each row.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
TIMEFORMAT='%U %S'
once() { # once KERNEL COMMAND...: CPU seconds of one run
    local kernel=$1 where='numactl -C 2'
    shift
    [ "$kernel" != fft ] || where=
    # shellcheck disable=SC2086
    { time "$origin" "$@" -m "$m" -s "$tmp" -- $where ./kernels "$kernel" </dev/null >"$tmp/out" 2>"$tmp/err"; } 2>&1 |
        awk '{ print $1 + $2 }'
}
printf '%-8s %8s %8s %10s %10s\n' "$m" on profile profile/on rows
for k in none sort fft; do
    : >"$tmp/rounds"
    for ((i = 0; i < runs; i++)); do
        echo "$(once $k run) $(once $k profile -o "$tmp/p")" >>"$tmp/rounds"
    done
    read -r on profile ratio < <(medians '$1' '$2' '$2 / $1')
    name=$k
    [ $k != none ] || name=boot
    printf '%-8s %8.2f %8.2f %10.2f %10d\n' "$name" "$on" "$profile" "$ratio" "$(sed -n 's/^rows,//p' "$tmp/p/meta.csv")"
    aim "profile/model on, $name" "$ratio" most 1.5
done
