#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the memory model costs: the host's CPU seconds for the same kernels (tests/bench/kernels.c) with the model off, on, on with the
# second stage of its time (--time=full) and, with the model off, under QEMU's own cache plugin with caches of the same sizes. Booting is
# a row of its own and taken off the others. The runs are interleaved, the least of each counts.
# Bounds: on/off geometric mean 2.0, each 3.5; full/off each 4; the plugin at least four times slower than the model.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"
m=${M:-ricotta}
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
plugin=$(dirname "$(readlink -f "$ORIGIN_QEMU")")/libcache.so
TIMEFORMAT='%U %S'
once() { # once WAY KERNEL OPTIONS...: one run's CPU seconds; what the guest says in $tmp/WAY
    local way=$1 kernel=$2
    shift 2
    { time "$origin" run -m "$m" -s "$tmp" "$@" -- ./kernels "$kernel" </dev/null >"$tmp/$way" 2>"$tmp/err"; } 2>&1 |
        awk '{ print $1 + $2 }' >>"$tmp/$way.$kernel"
}
least() { sort -n "$tmp/$1.$2" | head -n 1; }
with_plugin=(--model=off --qemu-arg=-plugin
    --qemu-arg="$plugin,dcachesize=32768,dassoc=2,dblksize=32,icachesize=32768,iassoc=2,iblksize=64,l2=on,l2cachesize=1048576,l2assoc=2,l2blksize=128,cores=16"
    --qemu-arg=-d --qemu-arg=plugin --qemu-arg=-D --qemu-arg=/dev/null)
printf '%-8s %8s %8s %8s %8s %8s %8s %10s %8s\n' "$m" off on full plugin on/off full/off plugin/on 'MIPS on'
for k in none triad matmul sort chase fft; do
    for ((i = 0; i < runs; i++)); do
        once off $k --model=off
        once on $k
        [ $i -ge 2 ] || once full $k --time=full
        [ $i -ge 1 ] || once plugin $k "${with_plugin[@]}"
    done
    ns=$(awk '{ print $2 }' "$tmp/off")
    now="$(least off $k) $(least on $k) $(least full $k) $(least plugin $k)"
    [ $k = none ] && boot=$now base='0 0 0 0' || base=$boot
    # With memory free an instruction is one cycle of 180 MHz: processor time is instructions.
    echo "$k $now $base $ns" | awk '{
        off = $2 - $6; on = $3 - $7; full = $4 - $8; plug = $5 - $9
        printf "%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %10.1f %8s\n", $1 == "none" ? "boot" : $1, off, on, full, plug, on / off,
            full / off, plug / on, $1 == "none" ? "" : sprintf("%.0f", $10 * 0.18 / 1e6 / on)
    }' | tee -a "$tmp/table"
done
read -r mean worst full plug < <(awk '{ s += log($6); p += log($8); if ($6 > worst) worst = $6; if ($7 > full) full = $7 }
    END { printf "%.2f %.2f %.2f %.1f\n", exp(s / NR), worst, full, exp(p / NR) }' "$tmp/table")
aim 'model on/off, geometric mean' "$mean" most 2.0
aim 'model on/off, worst' "$worst" most 3.5
aim '--time=full/model off, worst' "$full" most 4
aim 'cache plugin/model, geometric mean' "$plug" least 4
