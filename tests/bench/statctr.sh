#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an increment of each kind of counter costs in machine time on 1 to 64 CPUs, and the events that explain it; then the same for four counters
# in the path of packets over lo. First with the unloaded time model, then with the full one (--time=full). Tables go to stdout.
# Usage: statctr.sh [-m MACHINE] [--raw PREFIX] [--docs]
#   --raw PREFIX keep the measurements in PREFIX.unloaded and PREFIX.full, or format those that exist
#   --docs       put tables and chart into docs/statctr.md and docs/statctr.svg
. "$(dirname "$0")/../lib.sh"
machine=arctic prefix=$tmp/raw docs=
while [ $# -gt 0 ]; do
    case $1 in
    -m) machine=$2; shift ;;
    --raw) prefix=$2; shift ;;
    --docs) docs=1 ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
    shift
done
title=$("$ORIGIN_DTINFO" "$ORIGIN_MACHINES/$machine.dtb" 2>/dev/null)
cpus=$(echo "$title" | awk '{ print $4 }')

# A line of the raw data is ALLOCATOR EVENT0 EVENT1 MODE and what /proc/statctr_bench prints. There are three passes:
#   cycles and graduated instructions, with interventions and invalidations that the Hubs sent, and the links;
#   external invalidations and stores to shared lines, with requests to the Hubs;
#   external interventions and L2 data misses, with the Hubs' answers.
# Each CPU makes $ops increments and sends $packets packets. Opening a link's device makes the link count micropackets.
# shellcheck disable=SC2016
job='umount /hw; for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || exit 1; done
    cd /lib/modules/$(uname -r)
    ifconfig lo 127.0.0.1 up
    insns=17; grep -q R12 /proc/cpuinfo && insns=15
    n=$(nproc)
    for a in fixed flexible; do
        insmod statctr.ko allocator=$a && insmod hwgfs.ko && insmod snpc.ko && insmod statctr_bench.ko && mount -t hwgfs hwgfs /hw || exit 1
        for l in /hw/nodenum/*/hub/ni; do [ ! -e $l ] || : <$l; done
        [ $a = fixed ] && kinds="loop global atomic percpu statctr plain" || kinds="statctr plain"
        for k in $kinds; do
            for c in 1 2 4 8 16 32 64; do
                [ $c -le $n ] || continue
                for p in "0 $insns 2" "13 31 3" "12 26 1"; do
                    echo $k $c $ops $p >/proc/statctr_bench && echo $a $p $(cat /proc/statctr_bench) || exit 1
                    [ $once = no ] || break
                done
                echo lo:$k $c $packets 0 $insns 2 >/proc/statctr_bench && echo $a 0 $insns 2 $(cat /proc/statctr_bench) || exit 1
            done
        done
        umount /hw; rmmod statctr_bench snpc hwgfs statctr
    done'
measure() { # measure TIME SETTINGS
    [ ! -s "$prefix.$1" ] || return 0
    run -m "$machine" --time="$1" -- "$2; $job" </dev/null
    [ "$status" = 0 ] || { printf '%s\n' "$err" >&2; exit 1; }
    printf '%s\n' "$out" >"$prefix.$1"
}
measure unloaded 'ops=4000 packets=100 once=no'
measure full 'ops=4000 packets=100 once=yes'

# A column for each number of CPUs, a row for each kind. The awk function val() computes a cell from the fields of a raw line
# ($5 kind, $6 CPUs, $7 operations, $8 $9 sums, $11-$16 Hub counters, $17 micropackets in $18 increments).
table() { # table FILTER VALUE FORMAT [TIME]
    awk '
    function name(alloc, kind) {
        sub(/^lo:/, "", kind)
        if (kind == "loop") return "loop alone"
        if (kind == "global") return "global"
        if (kind == "atomic") return "atomic_long_t"
        if (kind == "percpu") return "percpu_counter"
        return "statctr, " alloc (kind == "plain" ? ", plain" : "")
    }
    '"$1"' {
        k = name($1, $5)
        if (!(k in seen)) { order[++rows] = k; seen[k] }
        if (!($6 in column)) { column[$6]; at[++columns] = $6 }
        cell[k, $6] = sprintf("'"$3"'", '"$2"')
    }
    END {
        printf "| CPUs"; for (c = 1; c <= columns; c++) printf " | %d", at[c]; print " |"
        printf "|---"; for (c = 1; c <= columns; c++) printf "|---:"; print "|"
        for (r = 1; r <= rows; r++) {
            printf "| %s", order[r]
            for (c = 1; c <= columns; c++) printf " | %s", cell[order[r], at[c]]
            print " |"
        }
    }' "$prefix.${4:-unloaded}"
}

report() {
    # shellcheck disable=SC2046
    "$root/scripts/measured.py" --stamp $("$root/scripts/measured.py" --machine) tests/bench/statctr.sh
    echo "Measured on \`$machine\` ($(echo "$title" | sed 's/^[^ ]* *//; s/  */ /g')) by \`tests/bench/statctr.sh --docs\`, commit $(cat "$root/build/commit"), $(date +%F)."
    echo
    echo 'Cycles per increment, the loop included, mean of the CPUs:'
    echo
    table '$2 == 0 && $5 !~ /^lo:/' '$8 / ($6 * $7)' %.1f
    echo
    echo 'The same with contention for buses, memories and links (`--time=full`):'
    echo
    table '$2 == 0 && $5 !~ /^lo:/' '$8 / ($6 * $7)' %.1f full
    echo
    echo 'Cycles for four counters of a packet over `lo`, mean of the CPUs:'
    echo
    table '$2 == 0 && $5 ~ /^lo:/' '$8 / ($6 * $7)' %.0f
    echo
    echo 'The same with `--time=full`:'
    echo
    table '$2 == 0 && $5 ~ /^lo:/' '$8 / ($6 * $7)' %.0f full
    echo
    echo 'Micropackets that all Hubs sent to their routers per increment (routers, utilisation histograms of the ports of the nodes):'
    echo
    table '$2 == 0 && $5 !~ /^lo:/' '$17 / $18' %.2f
    echo
    echo 'Graduated instructions per increment:'
    echo
    table '$2 == 0 && $5 !~ /^lo:/' '$9 / ($6 * $7)' %.1f
    echo
    echo 'Invalidations that reached a CPU per increment (R10000 event 13):'
    echo
    table '$2 == 13' '$8 / ($6 * $7)' %.3f
    echo
    echo 'Interventions that reached a CPU per increment (event 12):'
    echo
    table '$2 == 12' '$8 / ($6 * $7)' %.3f
    echo
    echo 'L2 data misses per increment (event 26):'
    echo
    table '$2 == 12' '$9 / ($6 * $7)' %.3f
    echo
    echo 'Read requests to all Hubs per increment (MD mode 3):'
    echo
    table '$2 == 13' '$11 / ($6 * $7)' %.3f
    echo
    echo 'Interventions and invalidations that all Hubs sent per increment, backoffs included (MD mode 2):'
    echo
    table '$2 == 0 && $5 !~ /^lo:/' '($11 + $12 + $13 + $14 + $15 + $16) / ($6 * $7)' %.3f
}

# Columns for gnuplot: CPUs, then one for each kind.
columns() { # columns TIME
    awk '$2 == 0 && $5 !~ /^lo:/ && $5 != "loop" && $5 != "plain" { k = $5 == "statctr" ? $1 : $5; v[$6, k] = $8 / ($6 * $7); if (!($6 in s)) { s[$6]; o[++n] = $6 } }
        END { for (i = 1; i <= n; i++) print o[i], v[o[i], "global"], v[o[i], "atomic"], v[o[i], "percpu"], v[o[i], "fixed"], v[o[i], "flexible"] }' "$prefix.$1"
}

# cost KIND CPUS [TIME]: cycles per increment
cost() {
    awk -v k="$1" -v c="$2" '$1 == "fixed" && $2 == 0 && $5 == k && $6 == c { print $8 / ($6 * $7) }' "$prefix.${3:-unloaded}"
}
ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'
}
figures() {
    figure 'one CPU: a global counter/a statctr' '' "$(ratio "$(cost global 1)" "$(cost statctr 1)")"
    for t in unloaded full; do
        figure "a statctr on all CPUs/on one ($t)" '' "$(ratio "$(cost statctr "$most" $t)" "$(cost statctr 1 $t)")"
        figure "two CPUs: a global counter/a statctr ($t)" '' "$(ratio "$(cost global 2 $t)" "$(cost statctr 2 $t)")"
    done
}
most=$(awk '$6 > m { m = $6 } END { print m }' "$prefix.unloaded")

report >"$tmp/report"
if [ -z "$docs" ]; then cat "$tmp/report"; figures; exit 0; fi
figures
columns unloaded >"$tmp/columns"
columns full >"$tmp/loaded"
gnuplot <<G || exit 1
set terminal svg size 1000,480 font "sans,13" background rgb "white"
set output "$root/docs/statctr.svg"
set multiplot layout 1,2 title "Cost of an increment on $machine ($cpus CPUs)"
set xlabel "CPUs counting at once"; set ylabel "cycles per increment, loop included"
set logscale xy; set grid; set key left top; set yrange [4:200000]
set xtics (1, 2, 4, 8, 16, 32, 64)
do for [t = 1:2] {
    f = t == 1 ? "$tmp/columns" : "$tmp/loaded"
    set title t == 1 ? "latencies only" : "with contention"
    plot f using 1:2 with linespoints title "global", "" using 1:3 with linespoints title "atomic\\_long\\_t", \
         "" using 1:4 with linespoints title "percpu\\_counter", "" using 1:5 with linespoints title "statctr, fixed", \
         "" using 1:6 with linespoints title "statctr, flexible"
}
unset multiplot
G
awk -v report="$tmp/report" '
    /<!-- end of measurements -->/ { skip = 0 }
    !skip
    /<!-- measurements -->/ { while ((getline l < report) > 0) print l; skip = 1 }' "$root/docs/statctr.md" >"$tmp/md" && cp "$tmp/md" "$root/docs/statctr.md"
