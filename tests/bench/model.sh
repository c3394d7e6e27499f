#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the memory model costs: the host's CPU seconds for the same kernels (tests/bench/kernels.c) in four ways: with the model off, with it on,
# with the full time model (--time=full), and with the model off under QEMU's own cache plugin with caches of the same sizes. Booting is a row
# of its own and is subtracted from the others. A host may change its pace within minutes, so each round boots and runs each way once, and ratios
# are taken within a round. A kernel for one processor is bound to it and so stays near its memory: where Linux would move it depends on timing,
# and far memory is more work for the model. The plugin has neither a directory nor latencies.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
runs=${ROUNDS:-3}
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
: >"$tmp/product"
for k in none triad matmul sort chase fft; do
    for ((i = 0; i < runs; i++)); do
        off=$(net $k --model=off)
        ns=$(awk '{ print $2 }' "$tmp/out")
        # With the model off an instruction takes one cycle of 180 MHz, so processor time gives the number of instructions.
        echo "$off $(net $k) $(net $k --time=full) $(net $k "${with_plugin[@]}") ${ns:-0}" | awk '{ $5 *= 0.18 / 1e6; print }'
    done >"$tmp/rounds"
    [ "$(awk 'NF == 5' "$tmp/rounds" | wc -l)" -eq "$runs" ] || exit 1
    # Of each round, the products of the ratios so far, and how many.
    paste -d ' ' "$tmp/rounds" "$tmp/product" |
        awk 'NF == 5 { $6 = $7 = 1; $8 = 0 } { print $6 * $2 / $1, $7 * $4 / $2, $8 + 1 }' >"$tmp/next" && mv "$tmp/next" "$tmp/product"
    name=$k
    [ $k != none ] || name=boot
    # shellcheck disable=SC2046
    {
        figure "off, $name" s $(column '$1')
        figure "on, $name" s $(column '$2')
        figure "full, $name" s $(column '$3')
        figure "plugin, $name" s $(column '$4')
        figure "on/off, $name" '' $(column '$2 / $1')
        figure "full/off, $name" '' $(column '$3 / $1')
        figure "plugin/on, $name" '' $(column '$4 / $2')
        [ $k = none ] || figure "on, $name, million instructions a second" '' $(column '$5 / $2')
    }
done
mv "$tmp/product" "$tmp/rounds"
# shellcheck disable=SC2046
{
    figure 'on/off, geometric mean' '' $(column 'exp(log($1) / $3)')
    figure 'plugin/on, geometric mean' '' $(column 'exp(log($2) / $3)')
}
