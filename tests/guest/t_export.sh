#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses one by one: as many as the profile adds up, in all and by region; each of a loop's loads and stores in order; the formats of two
# simulators, read as those read them; and the run is the same.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/walk.c" <<'END'
#include <stdio.h>
#include <sn_roi.h>

#define N      1000
#define ROUNDS 3

static volatile long in[N] __attribute__((aligned(128))), out[N] __attribute__((aligned(128)));

int main(void)
{
    for (int i = 0; i < N; i++)
        in[i] = i;
    sn_roi_begin("walk");
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++)
            out[i] = in[i] + round;
    sn_roi_end();
    printf("%p %p\n", (void *)in, (void *)out);
    return 0;
}
END
mkdir "$tmp/share"
"$origin" cc -O1 -o "$tmp/share/walk" "$tmp/walk.c" -lsnpc || { echo 'Bail out! walk.c does not compile'; exit 99; }
cd "$tmp" || exit 99
record() { # record DIR OPTION...
    dir=$1
    shift
    "$origin" profile -m origin200 "$@" -s share -o "$dir" -- ./walk </dev/null >"$dir.out" 2>"$dir.err"
    is "recorded: ${*:-no accesses}" "$? $(cat "$dir.err")" '0 '
}
record plain
record misses --accesses=misses
record all --accesses=all --accesses-from=walk

for f in truth.json misses.csv; do
    ok "$f is the same with misses" cmp plain/$f misses/$f
    ok "$f is the same with all" cmp plain/$f all/$f
done
ok 'without the option there is no file' test ! -e plain/accesses.csv.gz

cat >check.py <<'END'
import collections, csv, gzip, struct, subprocess, sys

origin = sys.argv[1]
N, ROUNDS = 1000, 3


def rows(directory):
    return list(csv.DictReader(gzip.open(directory + "/accesses.csv.gz", "rt")))


def added(region=None):
    sums = collections.Counter()
    for r in csv.DictReader(open("misses/misses.csv")):
        if region is None or r["region"] == region:
            sums[r["kind"], r["tx"], r["cpu"], r["thread"]] += int(r["count"])
    return sums


def key(r):
    return r["kind"], r["tx"], r["cpu"], r["thread"]


misses, every = rows("misses"), rows("all")
print("as many as the profile adds up:", collections.Counter(map(key, misses)) == added(), len(misses) > 100000)
print("in the region alone:", collections.Counter(key(r) for r in every if r["tx"] != "-") == added("1"), sum(added("1").values()) > 30)

# The loop: a load of in[i], then a store to out[i], three times each.
base = [int(x, 16) for x in open("all.out").read().split()]
loop = [(r["kind"], int(r["address"], 16), r["bytes"]) for r in every if r["kind"] != "fetch"
        and any(b <= int(r["address"], 16) < b + 8 * N for b in base)]
want = [(kind, b + 8 * i, "8") for _ in range(ROUNDS) for i in range(N) for kind, b in zip(("load", "store"), base)]
print("the loop, access by access:", loop == want, len(loop))
ticks = [int(r["tick"]) for r in every if r["kind"] != "fetch" and any(b <= int(r["address"], 16) < b + 8 * N for b in base)]
print("their times ascend:", all(a <= b for a, b in zip(ticks, ticks[1:])))


def report(form, *args):
    done = subprocess.run([origin, "report", "--format=" + form, *args, "all"], capture_output=True, check=True)
    return done.stdout, done.stderr.decode().strip()


label = {"store": 1, "sc": 1, "fetch": 2}
threads = {r["thread"] for r in csv.DictReader(open("all/threads.csv")) if r["comm"] == "walk"}
ours = [r for r in every if r["thread"] in threads]
out, said = report("din", "--region", "walk")
din = [tuple(line.split()) for line in out.decode().splitlines()]
print("din:", din == [(str(label.get(r["kind"], 0)), r["physical"][2:]) for r in ours])
count = collections.Counter(label.get(r["kind"], 0) for r in ours)
print("its count:", said == "origin: %d accesses: %d reads, %d writes, %d fetches" % (len(ours), count[0], count[1], count[2]) or said)
out, said = report("champsim")
# ip, is_branch, branch_taken, destination and source registers, two and four addresses
records = list(struct.iter_unpack("<QBB2B4B2Q4Q", out))
data = [r for r in ours if r["kind"] != "fetch"]
print("champsim:", [(r[0], r[9], r[11]) for r in records] ==
      [(int(r["pc"], 16), *((int(r["address"], 16), 0) if r["kind"] in ("store", "sc") else (0, int(r["address"], 16)))) for r in data],
      not any(any(r[1:9]) or r[10] or any(r[12:]) for r in records))
print("of each processor alone:", sum(len(report("din", "--processor=%d" % c)[0].splitlines()) for c in (0, 1)) == len(ours))
END
python3 check.py "$origin" >said 2>&1
is 'what is in the files' "$(cat said)" 'as many as the profile adds up: True True
in the region alone: True True
the loop, access by access: True 6000
their times ascend: True
din: True
its count: True
champsim: True True
of each processor alone: True'

# --- what cannot be ----------------------------------------------------------------------
refused() { # refused NAME STATUS MESSAGE ARG...
    name=$1 want="$2 $3"
    shift 3
    "$origin" "$@" >/dev/null 2>err </dev/null
    is "$name" "$? $(cat err)" "$want"
}
refused 'a profile without accesses' 1 'origin: plain has no accesses: record it with --accesses' report --format=din plain
refused 'a region that is not there' 1 "origin: all: the profile has no region 'x'" report --format=din --region x all
refused 'a processor of another format' 2 'origin: report: --processor is of --format=din and champsim (origin report --help)' report --processor=1 all
refused 'a difference' 2 'origin: report: --diff prints text, csv or json, not din (origin report --help)' report --diff --format=din plain all
cp -r all cut && head -c 1000 all/accesses.csv.gz >cut/accesses.csv.gz
"$origin" report --format=din cut >out 2>err
is 'a file that was cut off' "$? $(tail -n 1 err)" '1 origin: cut/accesses.csv.gz is damaged or cut off: what is behind is missing'
ok 'and what it has is printed' test -s out
{ zcat all/accesses.csv.gz | head -n 9; head -c 1000 /dev/zero | tr '\0' 1; echo; } | gzip >cut/accesses.csv.gz
"$origin" report --format=din cut >out 2>err
is 'a row that is too long' "$? $(tail -n 1 err)" '1 origin: cut/accesses.csv.gz is damaged or cut off: what is behind is missing'
echo x >cut/accesses.csv.gz
refused 'another file' 1 'origin: cut/accesses.csv.gz: not a file of accesses' report --format=din cut
finish
