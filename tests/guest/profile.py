# SPDX-License-Identifier: GPL-2.0-or-later
"""Check a profile (docs/profile-format.md): its laws, to the last digit, and questions about it.

profile.py DIR laws                  one line a law: "ok NAME" or "not ok NAME: got, want"
profile.py DIR count COMM CAUSE|any KIND FROM BYTES   misses of processes of that name at these addresses: how many, and of these,
                                                  how many by a thread that is not the first of its process
profile.py DIR lives                              one line a law about blocked.csv
profile.py DIR maps COMM             the paths that are mapped in the address spaces of processes of that name
"""

import collections
import csv
import json
import sys


def table(directory, name):
    with open(f"{directory}/{name}.csv", newline="") as f:
        return list(csv.DictReader(f))


def rows(directory, name, *columns):
    """Rows of a large table whose fields are never in quotes: tuples of these columns."""
    with open(f"{directory}/{name}.csv") as f:
        header = next(f).rstrip("\r\n").split(",")
        at = [header.index(c) for c in columns]
        for line in f:
            field = line.rstrip("\r\n").split(",")
            yield [field[i] for i in at]


MISSES = ["cause", "kind", "tx", "cpu", "home", "hops", "thread", "region", "pc", "path", "address", "bytes",
          "block", "count", "backoff", "latency_ns", "stall_ticks", "mode"]


class Laws:
    def __init__(self):
        self.broken = []

    def same(self, what, got, want):
        if got != want:
            self.broken.append(f"{what}: {got}, want {want}")

    def end(self, name):
        print(f"not ok {name}: {'; '.join(self.broken[:5])}" if self.broken else f"ok {name}")
        self.broken = []


PARTS = {
    "clean_hit": "clean", "clean_miss": "clean", "dirty_downgrade": "dirty", "dirty_transfer": "dirty",
    "invalidate": "invalidate", "upgrade": "invalidate", "bus_error": "refused",
}


def laws(d):
    meta = {r["key"]: r["value"] for r in table(d, "meta")}
    cpus = table(d, "cpus")
    truth = json.load(open(f"{d}/truth.json"))
    sums, part, miss = collections.Counter(), collections.Counter(), collections.Counter()
    keys, n = set(), 0
    law = Laws()

    law.same("complete", meta["complete"], "yes")
    law.same("format", meta["format"], "1")
    law.same("lost", meta["lost"], "0")
    law.end("the profile is complete")
    for r in rows(d, "misses", *MISSES):
        tx, cpu, home = r[2:5]
        cpu, count, backoff = int(cpu), int(r[13]), r[14]
        remote = home != str(cpu // 2)
        sums[cpu, tx, "remote" if remote else "local"] += count
        sums[cpu, tx, "ns"] += int(r[15])
        sums[cpu, "backoff"] += int(backoff)
        what = "backoff" if backoff != "0" else PARTS.get(tx, "remote" if remote else "local")
        part[cpu, what, "count"] += count
        part[cpu, what] += int(r[16])
        miss[cpu] += count
        keys.add(hash((*r[:13], r[17], backoff != "0")))
        n += 1
    for t in truth["cpus"]:
        for tx, v in t["transactions"].items():
            for where in "local", "remote":
                law.same(f"cpu {t['cpu']} {tx} {where}", sums[t["cpu"], tx, where], v[where])
            law.same(f"cpu {t['cpu']} {tx} ns", sums[t["cpu"], tx, "ns"], v["latency_ns_sum"])
        law.same(f"cpu {t['cpu']} backoff", sums[t["cpu"], "backoff"], t["backoff"])
    law.end("transactions and latencies are the ground truth's")
    got = collections.Counter()
    for cpu, name, of, ticks, count in rows(d, "stalls", "cpu", "part", "of", "ticks", "count"):
        queued = of != "-"
        got[int(cpu), of if queued else name] += int(ticks)
        got[int(cpu), name, "count"] += int(count)
        law.same("ticks", int(ticks) >= 0, True)
        law.same("queues", queued, name in ("sysad", "memory", "ni", "link"))
        law.same("queues", queued and meta["time"] != "full", False)
    for c in cpus:
        for p in "local", "remote", "clean", "dirty", "invalidate", "backoff", "refused":
            key = int(c["cpu"]), p
            law.same(f"cpu {key}", got[key], part[key])
            law.same(f"cpu {key} count", got[key + ("count",)], part[key + ("count",)])
    law.end("stalls of transactions are those of the misses")
    for c in cpus:
        cpu = int(c["cpu"])
        law.same(f"cpu {cpu}", sum(v for k, v in got.items() if k[0] == cpu and len(k) == 2), int(c["stall_ticks"]))
        law.same(f"cpu {cpu} clock", int(c["busy_ticks"]) + int(c["stall_ticks"]) + int(c["idle_ticks"]), int(c["ticks"]))
        law.same(f"cpu {cpu} idle", int(c["idle_ticks"]) >= 0, True)
    law.end("the parts of a processor's time add up to its clock")
    for t in truth["cpus"]:
        # L1 misses of loads and stores, and of fetches (events 25 and 9 of ev_r10k.h.inc), hit the L2 or make a transaction.
        hits = got[t["cpu"], "l2", "count"]
        total = t["events"][25] + t["events"][9]
        law.same(f"cpu {t['cpu']}", hits <= total <= hits + miss[t["cpu"]], True)
    law.end("L2 hits are L1 misses without a transaction")
    law.same("rows", len(keys), n)
    law.end("rows are aggregated")


def lives(d):
    meta = {r["key"]: r["value"] for r in table(d, "meta")}
    threads = {r["thread"]: r for r in table(d, "threads")}
    life, ran = collections.Counter(), collections.Counter()
    law = Laws()

    for r in table(d, "blocked"):
        running = r["state"] in ("user", "kernel", "interrupt")
        life[r["thread"]] += int(r["ticks"])
        law.same(f"thread {r['thread']} {r['state']}: cpu", r["cpu"] != "-", running)
        law.same(f"thread {r['thread']} {r['state']}: what", r["what"] == "none", running)
        if running:
            ran[r["cpu"]] += int(r["ticks"])
    law.end("what runs has a processor, and what waits has something to wait for")
    for t in threads.values():
        if t["begun_tick"] != "-":
            law.same(f"thread {t['thread']}", life[t["thread"]], int(t["ended_tick"]) - int(t["begun_tick"]))
    law.same("lost", meta["blocked_lost"], "0")
    law.end("the states of a thread add up to its life")
    for c in table(d, "cpus"):
        # Before a processor's first switch nobody knows what it does.  It switches from its idle thread, which has no processes' number.
        idle = [int(t["begun_tick"]) for t in threads.values() if t["tid"] == "0" and t["begun_tick"] != "-" and t["comm"] == f"swapper/{c['cpu']}"]
        law.same(f"cpu {c['cpu']}", ran[c["cpu"]] + sum(idle), int(c["ticks"]))
    law.end("what threads ran on a processor adds up to its clock, since its first switch")
    waited, mode = collections.Counter(), collections.Counter()
    for cpu, thread, what, ticks in rows(d, "stalls", "cpu", "thread", "mode", "ticks"):
        waited[thread, cpu, what] += int(ticks)
        law.same(f"thread {thread}: its mode", what in ("user", "kernel", "interrupt"), True)
    for r in table(d, "blocked"):
        mode[r["thread"], r["cpu"], r["state"]] += int(r["ticks"])
    for (thread, cpu, what), ticks in waited.items():
        # Before a processor's first switch, which is from its idle thread, it waits as a thread that has no life yet.
        if thread != "0" and threads[thread]["begun_tick"] != "-" and threads[thread]["tid"] != "0":
            law.same(f"thread {thread} on cpu {cpu}: {ticks} of {mode[thread, cpu, what]} {what}", ticks <= mode[thread, cpu, what], True)
    law.end("a thread waits for memory in no mode longer than it runs in it")


def count(d, comm, cause, kind, start, size, tx=""):
    threads = {r["thread"]: r for r in table(d, "threads") if r["comm"] == comm}
    total = others = 0
    for why, how, by, thread, size_of, address, n in rows(d, "misses", "cause", "kind", "tx", "thread", "bytes", "address", "count"):
        if cause in ("any", why) and how == kind and tx in ("", by) and thread in threads and size_of == "1":
            if start <= int(address, 16) < start + size:
                total += int(n)
                others += int(n) * (threads[thread]["tid"] != threads[thread]["pid"])
    print(total, others)


def main():
    d, what = sys.argv[1:3]
    if what == "laws":
        laws(d)
    elif what == "lives":
        lives(d)
    elif what == "count":
        count(d, *sys.argv[3:6], int(sys.argv[6], 0), int(sys.argv[7], 0), *sys.argv[8:])
    else:
        spaces = {r["mm"] for r in table(d, "threads") if r["comm"] == sys.argv[3]} - {"0"}
        print("\n".join(sorted({r["path"] for r in table(d, "maps") if r["mm"] in spaces})))


main()
