#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the guest measured (guest.sh DIR) with the thesis and with the rig: guest.py DIR, Markdown on stdout.

The thesis' values are in tests/accuracy/thesis, the rig's in docs/fidelity/README.md and curves.csv.  Tables that DIR does not have are
listed.  Exit status 1: a median distance between guest and rig is above BOUND, or there is nothing to compare.
"""
import csv
import os
import re
import statistics
import sys
from typing import NamedTuple, Optional

BOUND = 2.0  # per cent; it allows for the clock of 800 ns, TLB refills and ticks of the kernel
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Column(NamedTuple):
    names: list  # columns that are added up, by their names in snsuite's and the thesis' CSV files
    rig: Optional[int]  # index in the rig's row

    @property
    def kind(self):
        last = self.names[-1]
        return "latency" if last.endswith("_ns") else "share" if last.endswith("_%") else "bandwidth"

    @property
    def title(self):
        return " + ".join(n.replace("_", " ") for n in self.names)

    def of(self, row):
        """None where the table has no such value."""
        values = [number(row.get(n)) for n in self.names] if row else [None]
        return None if None in values else sum(values)


class Table(NamedTuple):
    number: str
    machine: str
    file: str  # of snsuite
    key: Optional[str]  # column that names a row; None: the machine's own row
    columns: list
    thesis: Optional[str] = None  # CSV file; None: withheld


def last(*names):
    """Columns for the last values of the rig's row, in this order."""
    return [Column([n], i - len(names)) for i, n in enumerate(names)]


LOCAL = last("b2b_READ_ns", "b2b_RDEX_ns", "b2b_UPGRD_ns", "restart_READ_ns", "bw_READ_MB/s", "bw_RDEX_MB/s", "bw_zero_MB/s",
             "bw_UPGRD_MB/s")
HOPS = last("b2b_latency_ns", "READ_MB/s", "zero_MB/s")
PLACED = last("UOWN_ns", "xhops0_ns", "xhops0_dU_ns", "yhops0_ns", "yhops0_dU_ns", "zhops0_ns", "zhops0_dU_ns")
FOUR = last("UOWN_ns", "xhops0_ns", "yhops0_ns", "zhops0_ns")
DELAYS = ("stinger", "arctic", "lego-oil", "bootleg")
TABLES = [
    Table("4.6", "bitmap", "local", "state", LOCAL, "table_4_6"),
    Table("4.8", "arctic", "local", "state", LOCAL, "table_4_8"),
    *(Table("4.10", m, "contention", None,
            last("READ_latency_b-to-b_ns", "READ_latency_restart_ns", "READ_bw_1P_MB/s", "READ_bw_SysAD_MB/s", "READ_bw_memory_MB/s"),
            "table_4_10") for m in ("bitmap", "bootleg", "arctic", "bwana")),
    Table("4.13", "arctic", "remote-detail", "node",
          last("b2b_latency_ns", "restart_latency_ns", "READ_MB/s", "RDEX_MB/s", "zero_MB/s"), "table_4_13"),
    Table("4.11", "arctic", "remote", "hops", HOPS, "table_4_11"),
    Table("4.12", "stinger", "remote", "hops", HOPS, "table_4_12"),
    *(Table("4.14", m, "router-delay", "hop", [Column([m + "_delay_ns"], i)], "table_4_14") for i, m in enumerate(DELAYS)),
    Table("4.19", "arctic", "invalidations", "sharers",
          last("RDEX_latency_ns", "UPGRD_latency_ns", "RDEX_bw_MB/s", "UPGRD_bw_MB/s", "zero_bw_MB/s"), "table_4_19"),
    # The rig's `read` displaces as many modified lines as the thesis' threads did; snsuite's displaces none.
    Table("6.1", "rapture", "backoff", "threads",
          [Column(["zero_RDEX_MB/s", "zero_WB_MB/s"], 0), Column(["zero_boff_%"], 1),
           Column(["read_RDEX_MB/s", "read_WB_MB/s"], None), Column(["read_boff_%"], None)], "table_6_1"),
    Table("4.7", "bootleg", "local", "state", LOCAL),
    Table("4.9", "bwana", "local", "state", LOCAL),
    # The rig's table has a column of the unloaded model beside each.
    Table("4.15", "arctic", "cexm", "hops",
          [Column([name], 2 * i) for i, name in enumerate(("UOWN_ns", "xhops0_ns", "yhops0_ns", "zhops0_ns"))], "table_4_15"),
    Table("4.16", "arctic", "cexh", "hops", PLACED),
    Table("4.17", "arctic", "dext", "hops", PLACED),
    Table("4.18", "arctic", "dexd", "hops", FOUR, "table_4_18"),
    Table("4.20", "arctic", "single-sharer", "hops", FOUR, "table_4_20"),
]
SYSTEMS = {"bitmap": "R10K 195/130/4", "bootleg": "R10K 250/250/4", "arctic": "R12K 300/200/8", "bwana": "R12K 400/266/8"}
# Figure, machine, column of curves.csv, MHz.
CURVES = [("4.4", "bootleg", "R10K_250/250_cycles", 250), ("4.5", "bitmap", "R10K_195/130_cycles", 195),
          ("4.6", "arctic", "R12K_300/200_cycles", 300)]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def by_key(table, key):
    return {row[key]: row for row in table}


def rig_tables():
    """Maps the number of a table and the name of a row to the model's values, with None for empty cells."""
    found, table = {}, None
    for line in open(os.path.join(ROOT, "docs/fidelity/README.md")):
        head = re.match(r"## (?:Predicted: t|T)able (\d+\.\d+)", line)
        if head:
            table = found.setdefault(head.group(1), {})
        elif line.startswith("##"):
            table = None
        elif table is not None and line.startswith("|"):
            name, *cells = [c.strip() for c in line.strip()[1:-1].split("|")]
            table[name] = [number(c.split(" / ")[0]) for c in cells]
    return found


class Value(NamedTuple):
    row: str
    column: Column
    guest: Optional[float]
    rig: Optional[float]
    thesis: Optional[float]

    def distance(self, other):
        """Signed, in per cent or, of shares, in points; None without either."""
        if self.guest is None or other is None or (other == 0 and self.column.kind != "share"):
            return None
        return self.guest - other if self.column.kind == "share" else (self.guest - other) * 100 / other


def values_of(table, guest, rig):
    thesis = rows(os.path.join(HERE, "thesis", table.thesis + ".csv")) if table.thesis else None
    if table.key is None:
        guest, thesis = {table.machine: guest[0]}, {table.machine: by_key(thesis, "system")[SYSTEMS[table.machine]]}
    else:
        guest, thesis = by_key(guest, table.key), by_key(thesis, table.key) if thesis else None
    for name in thesis or guest:
        model = rig.get(table.number, {}).get(name)
        for column in table.columns:
            value = Value(name, column, column.of(guest.get(name)),
                          model[column.rig] if model and column.rig is not None else None,
                          column.of(thesis[name]) if thesis else None)
            if thesis is None or value.thesis is not None:
                yield value


def median_and_worst(distances):
    found = [abs(d) for d in distances if d is not None]
    return ("%.1f" % statistics.median(found), "%.1f" % max(found)) if found else ("", "")


def number_cell(value, digits=0):
    return "" if value is None else "%.*f" % (digits, value)


class Summary:
    def __init__(self):
        self.failed = self.compared = 0

    def line(self, what, machine, kind, values):
        values = [v for v in values if v.guest is not None]
        if not values:
            return
        rig = median_and_worst(v.distance(v.rig) for v in values)
        print("| %s | %s | %s | %d | %s | %s | %s | %s |" % (
            (what, machine, kind, len(values)) + median_and_worst(v.distance(v.thesis) for v in values) + rig))
        self.compared += 1
        self.failed += kind != "share" and rig[0] != "" and float(rig[0]) > BOUND


def curve_values(directory, machine, column, mhz):
    rig = by_key(rows(os.path.join(ROOT, "docs/fidelity/curves.csv")), "work")
    for row in rows(os.path.join(directory, machine, "curve.csv")):
        if row["work"] in rig:
            yield Value(row["work"], Column(["b2b_ns"], None), number(row["b2b_ns"]) * mhz / 1e3, number(rig[row["work"]][column]), None)


def print_measured(directory, machines):
    """Of which sources the figures of each machine are, as guest.sh noted it; machines of one measurement together."""
    groups = {}
    for machine in machines:
        try:
            with open(os.path.join(directory, machine, "measured")) as f:
                stamp, where = f.read().splitlines()
        except (OSError, ValueError):
            stamp, where = "<!-- measured unknown of tests/accuracy -->", "commit not noted"
        groups.setdefault((stamp, where), []).append(machine)
    for (stamp, where), names in groups.items():
        print("%s\n`make accuracy-guest` on %s: %s. Machine time has no spread, and is the same on any host.\n" % (stamp, ", ".join(names), where))


def print_withheld(table, values):
    print("\n### Table %s, %s\n\n| %s | %s |\n|---|%s" % (
        table.number, table.machine, table.key, " | ".join(c.title for c in table.columns), "--:|" * len(table.columns)))
    line = []
    for v in values:
        line.append("" if v.guest is None else number_cell(v.guest) + ("" if v.rig is None else " / %.0f" % v.rig))
        if len(line) == len(table.columns):
            print("| %s | %s |" % (v.row, " | ".join(line)))
            line = []


def main():
    if len(sys.argv) != 2:
        print("usage: guest.py DIR", file=sys.stderr)
        return 2
    directory = sys.argv[1]
    rig = rig_tables()
    measured, missing = [], []
    for table in TABLES:
        path = os.path.join(directory, table.machine, table.file + ".csv")
        guest = rows(path) if os.path.exists(path) else []
        if guest:
            measured.append((table, list(values_of(table, guest, rig))))
        else:
            missing.append("Table %s on %s" % (table.number, table.machine))

    print("<!-- written by `make accuracy` -->\n# The guest's own measurement\n")
    print("snsuite and snbench in the guest with --time=full (tests/accuracy/guest.sh), compared with the thesis and with the rig, "
          "which runs the same experiments on the engine alone ([README.md](README.md)). Distances are medians of absolute values, in "
          "per cent; of backoff shares, in points. The median between guest and rig must be at most %.0f %%. Tables without a distance "
          "to the thesis are predictions.\n" % BOUND)
    print_measured(directory, sorted({t.machine for t, _ in measured}))
    print("| table | machine | what | values | guest to thesis | worst | guest to rig | worst |\n|---|---|---|--:|--:|--:|--:|--:|")
    summary = Summary()
    for table, values in measured:
        for kind in ("latency", "bandwidth", "share"):
            summary.line(table.number, table.machine, kind, [v for v in values if v.column.kind == kind])
    for figure, machine, column, mhz in CURVES:
        if os.path.exists(os.path.join(directory, machine, "curve.csv")):
            summary.line("figure " + figure, machine, "curve", list(curve_values(directory, machine, column, mhz)))
        else:
            missing.append("Figure %s on %s" % (figure, machine))
    for m in missing:
        print("\nNot measured: %s" % m)

    given = [(t, v) for t, values in measured if t.thesis for v in values if v.guest is not None]
    far = sorted((x for x in given if x[1].column.kind != "share" and x[1].distance(x[1].thesis) is not None),
                 key=lambda x: -abs(x[1].distance(x[1].thesis)))
    print("\n## The ten farthest from the thesis\n\n[engine.md](../engine.md#distance-from-the-thesis) has the reasons.\n\n"
          "| table | machine | row | column | guest | thesis | % |\n|---|---|---|---|--:|--:|--:|")
    for t, v in far[:10]:
        print("| %s | %s | %s | %s | %.0f | %.0f | %+.1f |" % (
            t.number, t.machine, v.row, v.column.title, v.guest, v.thesis, v.distance(v.thesis)))
    print("\n## Predicted tables, guest / rig")
    for table, values in measured:
        if not table.thesis:
            print_withheld(table, values)
    print("\n## Every value of the given tables\n\n| table | machine | row | column | guest | rig | thesis |\n|---|---|---|---|--:|--:|--:|")
    for t, v in given:
        print("| %s | %s | %s | %s | %.0f | %s | %.0f |" % (
            t.number, t.machine, v.row, v.column.title, v.guest, number_cell(v.rig), v.thesis))
    if summary.failed:
        print("guest.py: %d columns where guest and rig are more than %.0f %% apart" % (summary.failed, BOUND), file=sys.stderr)
    return 1 if summary.failed or not summary.compared else 0


sys.exit(main())
