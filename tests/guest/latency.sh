#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The unloaded latency of loads, as snbench measures it in the guest, is that of the engine alone: back-to-back READ of unowned lines. Unit test
# timing compares the engine's with the thesis' tables 4.6, 4.10, 4.12 and 4.13, and docs/fidelity the guest's.
. "$(dirname "$0")/../lib.sh"

# latency MACHINE CPU NODE...: from the CPU to the memory of each node
latency() {
    m=$1 cpu=$2
    shift 2
    # Prints NODE NANOSECONDS: the least of two runs, because work of the kernel may disturb a whole run.
    run -m "$m" -- "for n in $*; do
        for i in 1 2; do snbench --csv -h \$n -l $cpu -i 3 -a 128K lmbench-read; sleep 0.1; done |
            awk -F, -v n=\$n '\$1 == \"lmbench-read\" && (!ns || \$4 < ns) { ns = \$4 } END { print n, ns }'
    done" </dev/null
    is "$m: status" "$status $err" '0 '
    # shellcheck disable=SC2046
    "$root/tests/accuracy/run.sh" alone "$m" unloaded $(for n; do echo "lmbench-read:UOWN $n $cpu -"; done) >"$tmp/alone"
    for n; do
        read -r ns <&3
        # A run measures 1024 lines. The clock has steps of 800 ns, and it may be ahead by a quantum when the run begins, because no processor reads
        # less than another one has read. In at most 5 us the kernel refills the TLB and the primary caches.
        within "$m: memory of node $n" "$(echo "$ns" | awk '{ print $1 - 1800 / 1024 }')" "$(printf '%s\n' "$out" | awk -v n="$n" '$1 == n { print $2 }')" \
            "$(echo "$ns" | awk '{ print $1 + 5000 / 1024 }')"
    done 3<"$tmp/alone"
}

latency arctic 2 1 0 2 16 6 20 14 28 30 # a node of each distance
latency stinger 0 0 1 2 6 16 14 18 22 30 # nodes in the same cube, and past a metarouter
latency bitmap 0 0 # and the other generations
latency bootleg 0 0
latency bwana 0 0
finish
