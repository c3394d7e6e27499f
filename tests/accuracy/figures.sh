#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Draws figures 4.4 to 4.6 from the table that accuracy.c prints: docs/fidelity/curves.csv and, with gnuplot, curves.svg.
cd "$(dirname "$0")/../../docs/fidelity" || exit 1
awk -F' *[|] *' 'BEGIN { print "work,R10K_250/250_cycles,R10K_195/130_cycles,R12K_300/200_cycles" }
    /^## Figures 4.4/ { on = 1 } on && $2 ~ /^[0-9]+$/ { print $2 "," $3 "," $4 "," $5 }' README.md >curves.csv
[ "$(wc -l <curves.csv)" -gt 30 ] || { echo "figures.sh: README.md has no curves" >&2; exit 1; }
gnuplot <<'PLOT'
set terminal svg size 760,460 background rgb "white" font "sans-serif,12"
set output "curves.svg"
set datafile separator ","
set key bottom right
set grid ytics
set xlabel "dependent adds after the load"
set ylabel "processor cycles a step"
set title "Back-to-back latency against work (thesis figures 4.4, 4.5, 4.6)"
plot [0:60] "curves.csv" skip 1 using 1:2 with steps lw 2 title "R10K 250/250/4", \
     "" skip 1 using 1:3 with steps lw 2 title "R10K 195/130/4", \
     "" skip 1 using 1:4 with steps lw 2 title "R12K 300/200/8"
PLOT
