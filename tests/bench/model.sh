#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the memory model costs: the host's CPU seconds for the same kernels (tests/bench/kernels.c) with the model off and on and, with
# the model off, under QEMU's own cache plugin with caches of the same sizes. Booting is a row of its own and taken off the others.
# Bounds: geometric mean 2.0, each 3.5; the plugin at least four times slower than the model.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
m=${M:-ricotta}
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
plugin=$(dirname "$(readlink -f "$ORIGIN_QEMU")")/libcache.so
TIMEFORMAT='%U %S'
cost() { # cost KERNEL OPTIONS...: the least of some runs' CPU seconds, and what the guest's clock says
    local kernel=$1 i
    shift
    for ((i = 0; i < runs; i++)); do
        { time "$origin" run -m "$m" -s "$tmp" "$@" -- ./kernels "$kernel" </dev/null >"$tmp/sum" 2>"$tmp/err"; } 2>&1 |
            awk '{ print $1 + $2 }'
    done | sort -n | head -n 1
}
with_plugin=(--model=off --qemu-arg=-plugin
    --qemu-arg="$plugin,dcachesize=32768,dassoc=2,dblksize=32,icachesize=32768,iassoc=2,iblksize=64,l2=on,l2cachesize=1048576,l2assoc=2,l2blksize=128,cores=16"
    --qemu-arg=-d --qemu-arg=plugin --qemu-arg=-D --qemu-arg=/dev/null)
printf '%-8s %8s %8s %8s %9s %13s %9s\n' "$m" off on plugin on/off plugin/on 'MIPS on'
for k in none triad matmul sort chase fft; do
    off=$(cost $k --model=off)
    ns=$(awk '{ print $2 }' "$tmp/sum")
    on=$(cost $k --model=on)
    plug=$(RUNS=1 runs=1 cost $k "${with_plugin[@]}")
    [ $k = none ] && boot="$off $on $plug" && set -- 0 0 0 || set -- $boot
    # With memory free an instruction is one cycle of 180 MHz: processor time is instructions.
    echo "$k $off $on $plug $1 $2 $3 $ns" | awk '{
        off = $2 - $5; on = $3 - $6; plug = $4 - $7
        printf "%-8s %8.2f %8.2f %8.2f %9.2f %13.1f %9s\n", $1 == "none" ? "boot" : $1, off, on, plug, on / off, plug / on,
            $1 == "none" ? "" : sprintf("%.0f", $8 * 0.18 / 1e6 / on)
    }' | tee -a "$tmp/table"
done
awk '{ s += log($5); if ($5 > worst) worst = $5; p += log($6) }
     END { printf "geometric mean on/off %.2f (<= 2.0), worst %.2f (<= 3.5), plugin/on %.1f (>= 4)\n", exp(s / NR), worst, exp(p / NR) }' "$tmp/table"
