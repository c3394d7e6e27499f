#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel patch 0015: folding the counters leaves out no processor's count for any node. Afterwards /proc/zoneinfo counts exactly as many free pages
# as are in the lists of /proc/buddyinfo. Node 0 is not compared, since the reader's own pages come from there. A node whose processors are
# busy may differ for a moment, but a count that was left out would stay wrong.
. "$(dirname "$0")/../lib.sh"
# Folding also drains page lists, which changes the counters again. So it is repeated until there is nothing left to drain.
run -m ricotta -- '
    for cpu in $(seq 0 15); do
        for node in $(seq 0 7); do
            numactl -C $cpu -m $node dd if=/dev/zero of=/dev/null bs=1M count=1 2>/dev/null
        done
    done
    sleep 2
    numactl -C 0 -m 0 sh -c "
        for i in \$(seq 60); do
            echo 1 >/proc/sys/vm/stat_refresh
        done
        for i in \$(seq 5); do
            cat /proc/buddyinfo /proc/zoneinfo
            echo 1 >/proc/sys/vm/stat_refresh
        done"' </dev/null
is "the command ends" "$status" 0
printf '%s\n' "$out" >"$tmp/zones"
awk '
    $1 == "Node" { zone = $2 " " $4 }
    NF > 5 && $1 == "Node" {
        pages[zone] = 0
        for (i = 5; i <= NF; i++)
            pages[zone] += $i * 2 ^ (i - 5)
    }
    $1 == "pages" && $2 == "free" && zone in pages && zone !~ /^0,/ && differ[zone] != "no" {
        differ[zone] = pages[zone] == $3 ? "no" : sprintf("%s %d in lists, %d counted", zone, pages[zone], $3)
    }
    END {
        for (zone in differ) {
            zones++
            if (differ[zone] != "no")
                print differ[zone]
        }
        print zones, "zones"
    }' "$tmp/zones" >"$tmp/differ"
is "free pages of each node are those in its lists" "$(cat "$tmp/differ")" "7 zones"
finish
