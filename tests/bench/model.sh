#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the memory model costs: the host's CPU seconds for the same kernels (tests/bench/kernels.c) in four ways: with the model off, with it on,
# with the full time model (--time=full), and with the model off under QEMU's own cache plugin with caches of the same sizes. Booting is a row
# of its own and is subtracted from the others. A host may change its pace within minutes, so each round boots and runs each way once, ratios
# are taken within a round, and the median of the rounds counts. A kernel for one processor is bound to it and so stays near its memory: where
# Linux would move it depends on timing, and far memory is more work for the model.
# Bounds: on/off geometric mean 2.0, each 3.5; full/off each 4; the plugin at least four times slower than the model.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
runs=${RUNS:-3}
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || exit 1
plugin=$(dirname "$(readlink -f "$ORIGIN_QEMU")")/libcache.so
TIMEFORMAT='%U %S'
once() { # once KERNEL OPTIONS...: one run's CPU seconds; what the guest says in $tmp/out
    local kernel=$1 where='numactl -C 2'
    shift
    [ "$kernel" != fft ] || where=
    # shellcheck disable=SC2086
    { time "$origin" run -m "$m" -s "$tmp" "$@" -- $where ./kernels "$kernel" </dev/null >"$tmp/out" 2>"$tmp/err"; } 2>&1 |
        awk '{ print $1 + $2 }'
}
net() { # net KERNEL OPTIONS...: without booting
    local kernel=$1 boot=0
    shift
    [ "$kernel" = none ] || boot=$(once none "$@")
    echo "$(once "$kernel" "$@")" "$boot" | awk '{ print $1 - $2 }'
}
with_plugin=(--model=off --qemu-arg=-plugin
    --qemu-arg="$plugin,dcachesize=32768,dassoc=2,dblksize=32,icachesize=32768,iassoc=2,iblksize=64,l2=on,l2cachesize=1048576,l2assoc=2,l2blksize=128,cores=16"
    --qemu-arg=-d --qemu-arg=plugin --qemu-arg=-D --qemu-arg=/dev/null)
printf '%-8s %8s %8s %8s %8s %8s %8s %10s %8s\n' "$m" off on full plugin on/off full/off plugin/on 'MIPS on'
for k in none triad matmul sort chase fft; do
    : >"$tmp/rounds"
    for ((i = 0; i < runs; i++)); do
        off=$(net $k --model=off)
        ns=$(awk '{ print $2 }' "$tmp/out")
        on=$(net $k) full=$(net $k --time=full) plug=$(net $k "${with_plugin[@]}")
        echo "$off $on $full $plug" >>"$tmp/rounds"
    done
    read -r off on full plug onoff fulloff plugon < <(medians '$1' '$2' '$3' '$4' '$2 / $1' '$3 / $1' '$4 / $2')
    [ $k = none ] && k=boot ns=
    # With the model off an instruction takes one cycle of 180 MHz, so processor time gives the number of instructions.
    printf '%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %10.2f %8s\n' $k "$off" "$on" "$full" "$plug" "$onoff" "$fulloff" "$plugon" \
        "$([ -z "$ns" ] || awk "BEGIN { printf \"%.0f\", $ns * 0.18 / 1e6 / $on }")" | tee -a "$tmp/table"
done
awk '{ for (i = 2; i < 6; i++) sum[i] += $i } END { printf "%-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %10.2f\n", "all six", sum[2], sum[3], sum[4], sum[5],
    sum[3] / sum[2], sum[4] / sum[2], sum[5] / sum[3] }' "$tmp/table"
read -r mean worst full plug < <(awk '{ s += log($6); p += log($8); if ($6 > worst) worst = $6; if ($7 > full) full = $7 }
    END { printf "%.2f %.2f %.2f %.2f\n", exp(s / NR), worst, full, exp(p / NR) }' "$tmp/table")
aim 'model on/off, geometric mean' "$mean" most 2.0
aim 'model on/off, worst' "$worst" most 3.5
aim '--time=full/model off, worst' "$full" most 4
aim 'cache plugin/model, geometric mean' "$plug" least 4
