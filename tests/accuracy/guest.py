#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guest measured (guest.sh DIR) against the thesis and against the rig: guest.py DIR, Markdown on stdout.

The thesis' values are tests/accuracy/thesis, the rig's those of docs/fidelity/README.md.  A machine or table that DIR does not have is
said.  Status 1: a median distance between guest and rig above BOUND, or nothing to compare.
"""
import csv
import os
import re
import statistics
import sys

BOUND = 2.0  # per cent: clock of 800 ns, TLB refills, ticks of the kernel
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Title in docs/fidelity, table of the thesis, (machine, file of snsuite), key columns, columns: thesis' name, which of both have.
LOCAL = ["b2b_READ_ns", "b2b_RDEX_ns", "b2b_UPGRD_ns", "restart_READ_ns", "bw_READ_MB/s", "bw_RDEX_MB/s", "bw_zero_MB/s",
         "bw_UPGRD_MB/s"]
HOPS = ["b2b_latency_ns", "READ_MB/s", "zero_MB/s"]
TABLES = [
    ("Table 4.6", "table_4_6", [("bitmap", "local")], "state", LOCAL),
    ("Table 4.8", "table_4_8", [("arctic", "local")], "state", LOCAL),
    ("Table 4.10", "table_4_10", [(m, "contention") for m in ("bitmap", "bootleg", "arctic", "bwana")], None,
     ["READ_latency_b-to-b_ns", "READ_latency_restart_ns", "READ_bw_1P_MB/s", "READ_bw_SysAD_MB/s", "READ_bw_memory_MB/s"]),
    ("Table 4.13", "table_4_13", [("arctic", "remote-detail")], "node",
     ["b2b_latency_ns", "restart_latency_ns", "READ_MB/s", "RDEX_MB/s", "zero_MB/s"]),
    ("Table 4.11", "table_4_11", [("arctic", "remote")], "hops", HOPS),
    ("Table 4.12", "table_4_12", [("stinger", "remote")], "hops", HOPS),
    ("Table 4.19", "table_4_19", [("arctic", "invalidations")], "sharers",
     ["RDEX_latency_ns", "UPGRD_latency_ns", "RDEX_bw_MB/s", "UPGRD_bw_MB/s", "zero_bw_MB/s"]),
    ("Table 6.1", "table_6_1", [("rapture", "backoff")], "threads", None),
]


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def rig_tables():
    """Title -> rows of the model's numbers, None where the thesis has none."""
    found, title = {}, None
    for line in open(os.path.join(ROOT, "docs/fidelity/README.md")):
        head = re.match(r"## (Table \d+\.\d+)", line)
        if head:
            title = head.group(1)
            found[title] = []
        elif line.startswith("##"):
            title = None
        elif title and line.startswith("|") and " / " in line:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            found[title].append([number(c.split(" / ")[0]) if " / " in c else None for c in cells])
    return found


class Column:
    """Signed distances, in per cent or, of shares, in points."""

    def __init__(self):
        self.thesis, self.rig = [], []

    def add(self, guest, thesis, rig, points=False):
        if guest is None or thesis is None:
            return
        self.thesis.append(guest - thesis if points else (guest - thesis) * 100 / thesis)
        if rig is not None:
            self.rig.append(guest - rig if points else (guest - rig) * 100 / rig if rig else 0)


def cells_of(title, thesis, rig, columns):
    """(kind, name, thesis' value, rig's value, guest's function) of one row."""
    if columns:
        values = rig[-len(columns):] if rig else [None] * len(columns)
        for name, r in zip(columns, values):
            kind = "latency" if name.endswith("_ns") else "bandwidth"
            yield kind, name, number(thesis[name]), r, lambda g, n=name: number(g.get(n))
        return
    # 6.1: totals of what is read and written, and shares.
    for i, k in enumerate(("zero", "read")):
        a, b, s = k + "_RDEX_MB/s", k + "_WB_MB/s", k + "_boff_%"
        if k == "read":
            # snsuite's `read` displaces nothing: bw-rdex. Only the share's rise can be compared.
            continue
        yield ("bandwidth", "%s RDEX + WB" % k, number(thesis[a]) + number(thesis[b]), rig[1 + 2 * i] if rig else None,
               lambda g, a=a, b=b: None if number(g[a]) is None else number(g[a]) + number(g[b]))
        yield "share", s, number(thesis[s]), rig[2 + 2 * i] if rig else None, lambda g, s=s: number(g[s])


def main():
    if len(sys.argv) != 2:
        print("usage: guest.py DIR", file=sys.stderr)
        return 2
    rig = rig_tables()
    failed = compared = 0
    print("<!-- written by `make accuracy` -->\n# The guest's own measurement\n")
    print("snsuite and snbench in the guest, --time=full (tests/accuracy/guest.sh), against the thesis and against the rig, which runs "
          "the same experiments on the engine alone ([README.md](README.md)). Medians of absolute distances in per cent; of backoff "
          "shares in points. Guest and rig are to be within %.0f %% in the median.\n" % BOUND)
    print("| table | machine | what | values | guest to thesis | worst | guest to rig | worst |\n|---|---|---|--:|--:|--:|--:|--:|")
    lines, missing = [], []
    for title, name, sources, key, columns in TABLES:
        thesis = rows(os.path.join(HERE, "thesis", name + ".csv"))
        sums = {}
        for number_of_source, (machine, file) in enumerate(sources):
            path = os.path.join(sys.argv[1], machine, file + ".csv")
            if not os.path.exists(path):
                missing.append("%s: %s/%s.csv" % (title, machine, file))
                continue
            guest = rows(path)
            pairs = ([(number_of_source, guest[0])] if key is None else
                     [(i, g) for i, t in enumerate(thesis) for g in guest if g[key] == t[key]])
            for i, g in pairs:
                model = rig.get(title, [])
                for kind, what, t, r, of in cells_of(title, thesis[i], model[i] if i < len(model) else None, columns):
                    v = of(g)
                    sums.setdefault((machine, kind), Column()).add(v, t, r, kind == "share")
                    if v is not None and t is not None:
                        lines.append("| %s | %s | %s | %s | %.0f | %s | %.0f |" % (
                            title[6:], machine, thesis[i][key] if key else machine, what.replace("_", " "), v,
                            "" if r is None else "%.0f" % r, t))
        for (machine, kind), c in sums.items():
            if not c.thesis:
                continue
            to_thesis, to_rig = ([abs(x) for x in v] for v in (c.thesis, c.rig))
            print("| %s | %s | %s | %d | %.1f | %.1f | %s | %s |" % (
                title[6:], machine, kind, len(c.thesis), statistics.median(to_thesis), max(to_thesis),
                "%.1f" % statistics.median(to_rig) if to_rig else "", "%.1f" % max(to_rig) if to_rig else ""))
            compared += 1
            failed += bool(to_rig) and kind != "share" and statistics.median(to_rig) > BOUND
    for m in missing:
        print("\nNot measured: %s" % m)
    print("\n## Every value\n\n| table | machine | row | column | guest | rig | thesis |\n|---|---|---|---|--:|--:|--:|")
    print("\n".join(lines))
    if failed:
        print("guest.py: %d columns where guest and rig are more than %.0f %% apart" % (failed, BOUND), file=sys.stderr)
    return 1 if failed or not compared else 0


sys.exit(main())
