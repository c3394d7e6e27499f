#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Locks by name: how often they were taken, from whom they came and over how many links, to the last one as the program saw it; how long threads held
# them and waited for them, by the guest's clocks.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/guest/diseases
cat >"$tmp/check.py" <<'END'
import collections, csv, sys

directory, out = sys.argv[1:]
table = lambda name: csv.DictReader(open("%s/%s.csv" % (directory, name)))
hops = {(r["from"], r["to"]): int(r["hops"]) for r in table("hops")}
want, got, bad = collections.Counter(), collections.Counter(), 0
for line in open(out):
    if line.startswith("held"):
        continue
    lock, source, to, times = line.split()[1].split("|")
    want[int(lock, 16), source, to] += int(times)
for r in table("locks"):
    node = str(int(r["cpu"]) // 2)
    bad += r["hops"] != ("-" if r["from"] == "-" else str(hops[r["from"], node]))
    got[int(r["address"], 16), r["from"].replace("-", "-1"), node] += int(r["count"])
for lock in sorted({key[0] for key in want}):
    of = lambda counts: {key[1:]: n for key, n in counts.items() if key[0] == lock}
    over = {key: n for key, n in of(want).items() if key[0] != "-1"}
    print("0x%x %s %d %d %d" % (lock, "same" if of(want) == of(got) else "other", sum(of(want).values()), sum(over.values()),
                                sum(n * hops[key] for key, n in over.items())))
print("bad %d" % bad)
END
"$origin" cc -O2 -g -Wall -o "$tmp/handed_locks" "$here/handed_locks.c" -lpthread || exit 99
"$origin" profile -m ricotta -s "$tmp" -o "$tmp/p" -- ./handed_locks >"$tmp/out" 2>&1 </dev/null
is 'handed_locks: runs' "$? $(grep -v -c -E '^(handed|held) 0x' "$tmp/out")" '0 0'
python3 "$tmp/check.py" "$tmp/p" "$tmp/out" >"$tmp/said"
is 'each lock: from whom it came to whom, as often as the program says' "$(grep -c ' same ' "$tmp/said")" 3
is 'between nodes with as many links' "$(tail -n 1 "$tmp/said")" 'bad 0'
"$origin" report "$tmp/p" >"$tmp/report" 2>/dev/null
locks() { sed -n '/^LOCKS/,/^$/p' "$1"; }
# Each lock has other numbers of hand-overs, so these tell which is which: the program prints them in this order. The clock is read behind the call that takes
# a lock, and before the one that gives it back; reading it takes 1 to 4 us with its misses.
n=0
for lock in held spun awaited; do
    n=$((n + 1))
    read -r address ns <<END
$(grep '^held 0x' "$tmp/out" | tr '|' ' ' | sed -n "${n}s/held //p")
END
    read -r held waited taken contended handed hops threads rest <<END
$(locks "$tmp/report" | grep " $lock (struct lock")
END
    is "$lock: the report: taken, handed over, hops" "$taken $handed $hops $threads" "$(grep "^$address " "$tmp/said" | cut -d ' ' -f 3-) 4"
    within "$lock: held as long as the guest's clock says" $((ns / 1000)) "$held" $((ns / 1000 + 8 * taken))
    like "$lock: at the line that takes it" "$rest" "^$lock \\(struct lock, handed_locks.c:[0-9]+\\); at handed_locks.c:[0-9]+ in (work|take_turn)\\(\\)$"
done

# Three threads sleep under a mutex in turn, and wait for it by the guest's clocks. These lack what the scheduler does before and after a wait, 10 to 22 us
# (t_profile_blocked.sh), and the call's own time, hence 40 us. The first of each turn finds it free, the two others do not.
"$origin" cc -O2 -g -Wall -o "$tmp/held_mutex" "$here/held_mutex.c" -lpthread || exit 99
"$origin" profile -m ricotta -s "$tmp" -o "$tmp/h" -- ./held_mutex >"$tmp/out" 2>&1 </dev/null
"$origin" report "$tmp/h" >"$tmp/report" 2>/dev/null
read -r held waited taken contended rest <<END
$(locks "$tmp/report" | grep ' held (pthread_mutex_t')
END
waited_for() { awk -F '|' -v what="waited $1" '$1 == what { ns += $4 } END { printf "%d", ns / 1000 }' "$tmp/out"; }
is 'held_mutex: taken' "$taken" 15
is 'held_mutex: found taken' "$contended" 10
less 'held_mutex: held for the sleeps, and longer' "$(waited_for sleep)" "$held"
within 'held_mutex: waited for' "$(waited_for futex)" "$waited" $(($(waited_for futex) + 15 * 40))
like 'held_mutex: at the line that takes it' "$rest" "; at held_mutex.c:$(grep -n -F 'WAIT(me, FUTEX' "$here/held_mutex.c" | cut -d : -f 1) in work\\(\\)$"
finish
