#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# snrun and all its processes are killed at 100 different moments. Each time, every trace file can be read to its last whole record, and the next
# snrun gets the counters. With all processors busy, a sampler with realtime priority drops nothing, from whichever seed the machine began.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -Wall -o "$tmp/snload" "$root/tests/guest/snload.c" -lnuma -lpthread || exit 99
cat >"$tmp/kills.sh" <<'END'
L=/share/snload
mkdir /tmp/t; cd /tmp/t
awk 'BEGIN { srand(1); for (i = 0; i < 100; i++) print int(rand() * 400000) }' >../moments
while read -r us; do
    rm -f *; snrun -q -s1 -n1 --alocal $L forever 2>../said & until set -- snload.out.snp.*; [ -e "$1" ]; do usleep 3000; done
    usleep $us; kill -9 $(pgrep snrun) $(pgrep snload) 2>/dev/null; wait 2>/dev/null
    cat ../said # "process N is using these counters", if it does not wait
    sninfo snload.out* >../o 2>&1 || echo "$us: $(cat ../o)"
    grep 'damaged\|not a trace' ../o
    files=$((files + $(ls snload.out* | wc -l)))
    samples=$((samples + $(grep -c 'ticks' ../o)))
    rounds=$((rounds + 1))
done <../moments
echo "$rounds rounds"; echo "$files files"; echo "$samples with samples"
dmesg | grep -E "WARNING|BUG|Oops|Call Trace"
END
run -m ricotta -s "$tmp" -- sh kills.sh </dev/null
is "100 kills: no complaint" "$(printf '%s\n' "$out" | grep -v '^[0-9]* \(rounds\|files\|with samples\)$')" ""
is "100 kills: rounds" "$(printf '%s\n' "$out" | sed -n 's/ rounds$//p')" 100
within "100 kills: files" 200 "$(printf '%s\n' "$out" | sed -n 's/ files$//p')" 200
within "100 kills: files that hold samples" 150 "$(printf '%s\n' "$out" | sed -n 's/ with samples$//p')" 200
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run -m ricotta --seed=$seed -s "$tmp" -- 'cd /tmp; snrun -s1 -n all --mem --rtprio=1 -o busy /share/snload threads 32 3000000 2>&1 | grep dropped' </dev/null
    is "all processors are busy, seed $seed: no sample is dropped" "$out" ""
done
finish
