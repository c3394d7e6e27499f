#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses one by one: as many as the profile adds up and the event counters count, in all and by region; each of a loop's loads and stores in order; the formats of two
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

# --- hits and misses are those that the processors' event counters count ------------------
# Loads (event 18) and stores (19) in user mode, of a loop and of none: what is beside the loop is the same in both, with names of one length, once the library's functions are bound.
cat >counted.c <<'END'
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <sn_roi.h>

#define N 5000

static volatile long in[N], out[N];

static long count(int type, int event, const char *region, int n)
{
    struct perf_event_attr a = {
        .size = sizeof(a), .type = type, .config = event, .disabled = 1, .exclude_kernel = 1
    };
    int fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    long counted = -1;

    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    sn_roi_begin(region);
    for (int i = 0; i < n; i++)
        out[i] = in[i] + in[n - 1 - i];
    sn_roi_end();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &counted, sizeof(counted)) != sizeof(counted))
        return -1;
    close(fd);
    return counted;
}

int main(void)
{
    FILE *f = fopen("/sys/bus/event_source/devices/r10k/type", "r");
    int type;

    if (!f || fscanf(f, "%d", &type) != 1)
        return 1;
    sn_roi_begin("all");
    for (int event = 18; event <= 19; event++) {
        count(type, event, "first", N);
        long none = count(type, event, event == 18 ? "load0" : "store0", 0);
        printf("%ld\n", count(type, event, event == 18 ? "load1" : "store1", N) - none);
    }
    sn_roi_end();
    return 0;
}
END
"$origin" cc -O1 -o share/counted counted.c -lsnpc || { echo 'Bail out! counted.c does not compile'; exit 99; }
"$origin" profile -m origin200 --accesses=all --accesses-from=all -s share -o counted -- ./counted >counters 2>err </dev/null
is 'counted: recorded' "$? $(cat err)" '0 '
cat >sums.py <<'END'
import collections, csv, gzip

regions = {r["region"]: r["name"] for r in csv.DictReader(open("counted/regions.csv"))}
rows = collections.Counter()
for r in csv.DictReader(gzip.open("counted/accesses.csv.gz", "rt")):
    if int(r["pc"], 16) < 1 << 62:
        rows[regions[r["region"]], r["kind"]] += 1
print(rows["load1", "load"] - rows["load0", "load"])
print(rows["store1", "store"] - rows["store0", "store"])
END
is 'as many loads and stores as the counters count' "$(python3 sums.py)" "$(cat counters)"
within 'of the loop, loads' 10000 "$(head -n 1 counters)" 10010
within 'of the loop, stores' 5000 "$(tail -n 1 counters)" 5010

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
