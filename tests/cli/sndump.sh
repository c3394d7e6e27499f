#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What sndump says on standard error about metrics that need counters of nodes: intervals of more than 100 %, and time without samples. Perfetto's
# format against the JSON.
. "$(dirname "$0")/../lib.sh"
host=$root/build/host
gcc -O1 -std=gnu11 -Wall -I"$root/lib/trace" -o "$tmp/mkthread" "$root/tests/cli/mkthread.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" ||
    { echo 'Bail out! mkthread.c does not compile'; exit 99; }
"$tmp/mkthread" "$tmp/node" "$tmp/thread" || { echo 'Bail out! no traces'; exit 99; }
out=$("$host/sndump" --csv --local -t0 "$tmp/node" "$tmp/thread" 2>"$tmp/err")
err=$(cat "$tmp/err")
is 'local in each interval' "$(printf '%s\n' "$out" | sed 1d | cut -d, -f4 | tr '\n' ' ')" \
    "$(printf ' %.0s' 1 2; printf '100.000000 %.0s' 1 2 3 4 5 6 7; printf '500.000000 ')"
is 'more than 100 %: in how many intervals, and why' "$(printf '%s\n' "$err" | grep -c '^sndump: t0: --local is over 100 % in 1 of 10 intervals: counts of its node are interpolated between the node.s samples, and include other programs$')" 1
is 'time without samples of the node' "$(printf '%s\n' "$err" | grep -c '^sndump: t0: local metrics leave out 0.010 of 0.050 s, without samples of its nodes$')" 1
is 'the total is over what both cover' "$("$host/sndump" --csv --total --local -t0 "$tmp/node" "$tmp/thread" 2>/dev/null | tail -n 1 | cut -d, -f4)" \
    "$(awk 'BEGIN { printf "%.6f", 100 * 4000 / 3600 }')"
cp "$root/tests/fuzz/corpus/trace/thread.snt" "$tmp/traced"
for f in node traced; do
    "$host/sndump" --chrome "$tmp/$f" >"$tmp/json" 2>/dev/null
    like "perfetto: what the JSON has ($f)" "$("$host/sndump" --perfetto "$tmp/$f" 2>/dev/null | python3 "$root/tests/cli/perfetto.py" "$tmp/json" 2>&1)" \
        '^same [1-9][0-9]* counters [0-9]+ slices$'
done
finish
