#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the unloaded latency of loads, as snbench measures it in the guest, with the thesis' tables: back-to-back READ of unowned lines.
. "$(dirname "$0")/../lib.sh"

# latency MACHINE PERCENT CPU [NANOSECONDS=NODE[*WEIGHT][,NODE*WEIGHT]...]...
# Tests the latency from CPU to the memory of a node; with several nodes, the mean with their weights.
latency() {
    m=$1 percent=$2 cpu=$3
    shift 3
    nodes=$(printf '%s\n' "$@" | sed 's/.*=//; s/\*[0-9]*//g; s/,/ /g' | tr '\n' ' ')
    # Prints NODE NANOSECONDS: the least of three runs, because work of the kernel may disturb a whole run.
    run -m "$m" -- "for n in $nodes; do
        for i in 1 2 3; do snbench --csv -h \$n -l $cpu -i 3 -a 128K lmbench-read; sleep 0.1; done |
            awk -F, -v n=\$n '\$1 == \"lmbench-read\" && (!ns || \$4 < ns) { ns = \$4 } END { print n, ns }'
    done" </dev/null
    is "$m: status" "$status $err" '0 '
    for row in "$@"; do
        got=$(printf '%s\n' "$out" | awk -v row="${row#*=}" '
            { ns[$1] = $2 }
            END {
                for (n = split(row, part, ","); n; n--) {
                    split(part[n] "*1", f, "*")
                    sum += ns[f[1]] * f[2]; weight += f[2]
                }
                printf "%.1f", sum / weight
            }')
        echo "# $m: node ${row#*=}: $got ns, thesis ${row%=*}"
        within "$m: memory of node ${row#*=}" "$(echo "${row%=*} $percent" | awk '{ print $1 * (1 - $2 / 100) }')" "$got" \
            "$(echo "${row%=*} $percent" | awk '{ print $1 * (1 + $2 / 100) }')"
    done
}

# Table 4.13: from node 1, nodes of each distance.
latency arctic 2 2 385=1 721=0 820=2 843=16 937=6 957=20 1054=14 1072=28 1179=30
# Table 4.12 gives means of all nodes at a distance; nodes in the same cube and nodes past a metarouter (16 and up) differ.
latency stinger 3 0 384=0 763=1 914=2 '1093=6*6,16*6' '1264=14*2,18*18' 1424=22 1575=30
# Tables 4.6 and 4.10: the local row of the other generations.
latency bitmap 3 0 476=0
latency bootleg 3 0 425=0
latency bwana 3 0 384=0
finish
