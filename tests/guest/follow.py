# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: follow.py DIR TRACE: holds the laws of docs/follow.md for the lines that were followed in a profile, and prints what it found:

  LINE transactions N messages N causes CAUSE=N... equal|differ

`equal`: the accesses of the line are those of QEMU's trace of transactions, to the tick and to the kind. What is wrong otherwise is a line
that begins with "wrong".
"""
import csv
import sys
from collections import Counter

directory, trace_file = sys.argv[1:]
hz = int(dict(csv.reader(open(f"{directory}/meta.csv")))["tick_hz"])
traced = {}
for text in open(trace_file):
    w = text.replace(":", " ").replace(",", " ").split()
    if w and w[0] == "origin_transaction":  # cpu N KIND of PA at START N ticks
        traced.setdefault(int(w[5], 16) & ~127, []).append((int(w[2]), w[3], int(w[7]), int(w[8])))


def waits(row, part):
    return sum(int(w.split()[3]) for w in row["waits"].split("; ") if w.startswith(part))


def agent_cpu(agent):
    return 2 * int(agent[:-1]) + "AB".index(agent[-1])


class Line:
    def __init__(self):
        self.entry, self.copies, self.sums, self.accesses = "UOWN", {}, Counter(), []
        self.taken, self.arrived, self.first = {}, {}, {}

    def message(self, r):
        sent, left, arrived, taken = (int(r[k]) for k in ("sent", "left", "arrived", "taken"))
        parent = int(r["parent"])
        assert sent <= left <= arrived <= taken, r
        for part, ps in (("send", left - sent), ("way", arrived - left), ("take", taken - arrived)):
            assert ps >= waits(r, part), (part, r)
        if parent:
            backs_off = r["from"] == r["req"] and r["name"] in ("INVAL", "IRDSH", "IRDEX")
            assert sent == (self.arrived if backs_off else self.taken)[parent], r
        self.first.setdefault(r["transaction"], sent)
        self.taken[int(r["number"])], self.arrived[int(r["number"])] = taken, arrived
        if r["after"] != "-":
            assert self.entry in (None, r["before"]), (self.entry, r)
            self.entry = r["after"]
        for change in r["copies"].split("; ") if r["copies"] != "-" else ():
            cpu, before, after = change.split()
            was = self.copies.get(cpu, before)
            assert was == before or (was, before) == ("E", "M"), (was, r)
            self.copies[cpu] = after
        self.sums["messages"] += 1

    def access(self, r):
        assert int(r["sent"]) == self.first[r["transaction"]] and r["cpu"] == str(agent_cpu(r["req"])), r
        ps = int(r["taken"]) - int(r["sent"])
        self.accesses.append((int(r["cpu"]), r["tx"], int(r["tick"]), ps))
        self.sums[r["cause"]] += 1


lines = {}
for row in csv.DictReader(open(f"{directory}/follow.csv")):
    line = lines.setdefault(int(row["line"], 16), Line())
    if not line.sums and not line.accesses:
        line.entry = None  # others may have had the line before
    if row["event"] in ("dropped", "flushed"):
        line.copies[row["cpu"]] = "I"
    else:
        getattr(line, row["event"])(row)
for pa, line in lines.items():
    known = traced.get(pa, [])
    start = next((i for i, t in enumerate(known) if t[:3] == line.accesses[0][:3]), 0)
    some = known[start:start + len(line.accesses)]
    # A duration in ticks is one in ps, rounded down.
    same = len(some) == len(line.accesses) and all(a[:3] == t[:3] and abs(a[3] * hz / 1e12 - t[3]) <= 1 for a, t in zip(line.accesses, some))
    causes = " ".join(f"{c}={n}" for c, n in sorted(line.sums.items()) if c != "messages")
    print(f"{pa:#x} transactions {len(line.accesses)} messages {line.sums['messages']} causes {causes}", "equal" if same else "differ")
