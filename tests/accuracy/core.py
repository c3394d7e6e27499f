#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what instructions take in the guest (core.sh DIR) with the figures of the processors' manual: core.py DIR, Markdown on stdout.

core/published.csv has what others measured on real machines: program, preset of the same processor and clock, value, unit, what was measured
on, source ("the same": the row's above). Nothing is expected of these.

Exit status 1: a row is more than a cycle from its figure, a loop more than a tenth from the reference, or something was not measured.
"""
import csv
import os
import sys

CYCLE, TENTH = 1.0, 0.1
MACHINES = [("ricotta", "R10000", 180), ("arctic", "R12000", 300)]
PRESETS = [("ricotta", "R10000", 180), ("bitmap", "R10000", 195), ("bootleg", "R10000", 250), ("arctic", "R12000", 300), ("bwana", "R12000", 400)]
# The loop of tests/guest/core.c or returns.c, what it is, and the cycles of an operation by the manual on the R10000 and R12000
ROWS = [
    ("addu", "integer addition, chain", 1, 1), ("sll", "shift, chain", 1, 1), ("two_addu", "two additions, stream: a unit for each", 1, 1),
    ("load", "load from L1, chain", 2, 2), ("loads", "loads, stream", 1, 1), ("stores", "stores, stream", 1, 1),
    ("mult", "`mult`, `mflo`", 6, 6), ("multu", "`multu`, `mflo`", 7, 7), ("dmult", "`dmult`, `mflo`", 10, 10),
    ("div32", "`div`, `mflo`", 35, 35), ("div64", "`ddiv`, `mflo`", 67, 67),
    ("addd", "floating-point addition, chain", 2, 2), ("muld", "multiplication, chain", 2, 2),
    ("madd_addend", "`madd`, chain of the addend", 2, 2), ("madd_factor", "`madd`, chain of a factor", 4, 4),
    ("divs", "`div.s`, chain: its repeat rate is more than its latency of 12", 14, 14), ("divd", "`div.d`, chain: likewise, 19", 21, 21),
    ("divd_add", "`div.d` and two additions, chain", 23, 23), ("sqrtd", "`sqrt.d`, chain: likewise, 33", 35, 35),
    ("cvtsw", "`cvt.s.w`, chain", 4, 4), ("moves", "`mtc1`, `mfc1`, chain", 5, 5), ("llsc", "`ll`, addition, `sc`", 6, 6),
    ("nops", "`nop`: four a cycle, and the loop's three", 0.375, 0.3125),
    ("four", "add, multiply, load, integer addition", 1.125, 1.0625),
    ("flat", "a call and its return, and the loop", 6, 3), ("nested", "two of them: the R10000 predicts one return", 13, 5),
    ("jumps16", "16 jumps: the R12000's cache knows their targets", 34, 17), ("jumps64", "64 jumps: it has 32 places", 130, 130),
]
LOOPS = {"axpy": "y += a x", "block": "4 x 4 matrix block", "dot": "dot product", "stencil": "five-point stencil", "strcpy": "string copy", "walk": "list walk"}
PROGRAMS = [
    ("stream-copy", "STREAM, three vectors of 8 MB: copy", "MB/s"), ("stream-scale", "scale", "MB/s"), ("stream-add", "add", "MB/s"),
    ("stream-triad", "triad", "MB/s"), ("matrix-naive", "matrix multiplication, 192 rows, three loops", "Mflop/s"),
    ("matrix-blocked", "the same in blocks of 4 x 4", "Mflop/s"), ("fft", "FFT, 4096 complex points, radix 2", "Mflop/s"),
    ("n-body", "256 bodies, all pairs, 20 operations a pair", "Mflop/s"), ("linpack-100-C", "LINPACK's 100 equations, C", "Mflop/s"),
    ("linpack-100-Fortran", "the same in Fortran", "Mflop/s"), ("sort", "quicksort of 100000 keys", "million keys/s"),
    ("records", "records, strings, calls and branches", "million turns/s"),
]
HEAD = """<!-- written by `make accuracy-core` -->
# The processor's own time against its manual

Measured in guests with `--time=full` ([core.md](../core.md) has the model and the sources of the figures). A value is cycles, measured / manual.

## Instructions

A chain uses each result as the next operand; a stream has no dependences. The clock that the guest reads, the timer's interrupts and the loop around 16 operations are in
the values.
"""


def measured(path):
    with open(path, encoding="ascii") as f:
        return {line.split()[0]: line.split()[1:] for line in f if line.split()}


def table(titles, rows):
    # Columns of words stand to the left.
    print("\n| " + " | ".join(titles) + " |\n|" + "|".join("---" if not any(c.isdigit() for c in str(rows[0][i])[:1]) and rows[0][i][:1] not in "+-" else "--:"
                                                            for i in range(len(titles))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def instructions(got):
    far = 0
    rows = []
    for name, text, *want in ROWS:
        row = [text]
        for (machine, _, _), w in zip(MACHINES, want):
            value = float(got[machine][name][0])
            # A row of several jumps or calls is of so many instructions that a hundredth of it is the interrupts'.
            far += abs(value - w) > max(CYCLE, 0.01 * w)
            row.append("%.2f / %.4g" % (value, w))
        rows.append(row)
    table(["operation"] + ["%s, %s, %d MHz" % (m[0], m[1], m[2]) for m in MACHINES], rows)
    print("\nA branch that is taken every other turn costs %s cycles more than one that is always taken." % " and ".join(
        "%.1f (%s)" % (float(got[m]["alternate"][0]) - float(got[m]["always"][0]), chip) for m, chip, _ in MACHINES))
    return far


def loops(path):
    far = 0
    rows = {}
    with open(path, encoding="ascii") as f:
        for line in f:
            name, _, want, value = line.split()
            far += abs(float(value) / float(want) - 1) > TENTH
            rows.setdefault(name, [LOOPS[name]]).append("%s / %s (%+.1f %%)" % (value, want, 100 * (float(value) / float(want) - 1)))
    print("\n## Loops\n\nCycles of an iteration: the model's schedule / `tests/core/reference.py`, which follows each instruction cycle by cycle and takes "
          "nothing from the model. At most a tenth apart.")
    table(["loop", "R10000", "R12000"], [rows[name] for name in LOOPS])
    return far


def programs(got):
    print("\n## Whole programs\n\n`tests/accuracy/core`, compiled by `origin cc` and `origin fortran` with `-O3 -march=r10000`: MIPS IV, scheduled by GCC for the R10000. One "
          "thread. A value is the rate and,\nbehind it, IPC: instructions of a cycle, in user mode. Peak is 2 floating-point operations a cycle.")
    rows = []
    for name, text, unit in PROGRAMS:
        row = [text, unit]
        for machine, _, _ in PRESETS:
            values = got[machine][name]
            row.append("%.4g" % float(values[0]) + (" (%.2f)" % (int(values[3]) / int(values[2])) if len(values) > 3 else ""))
        rows.append(row)
    table(["program", "unit"] + ["%s, %s, %d MHz" % p for p in PRESETS], rows)


PUBLISHED = """
## What others published

The same algorithms on real machines of the same processor and clock, compiled by SGI's compiler of the time. Ours are `tests/accuracy/core/published.c`, compiled as above, so
that a distance is the compiler's, too, except for the delay loop, whose two instructions are the same everywhere: a turn takes two cycles on an R10000 and one on an
R12000, whose target cache knows the branch.
`tests/accuracy/core/published.csv` has these figures. Reports with tables of LINPACK and STREAM for these machines exist, but
none could be read, so none is here.
"""


def published(got, path):
    rows, source = [], ""
    with open(path, encoding="ascii", newline="") as f:
        for r in csv.DictReader(f):
            source = source if r["source"] == "the same" else r["source"]
            values = got[r["machine"]][r["program"]]
            value, want = float(values[0]), float(r["published"])
            rows.append([r["program"], r["measured on"], "%.4g %s" % (want, r["unit"]), "%.4g" % value, "%+.0f %%" % (100 * (value / want - 1)),
                         "%.2f" % (int(values[3]) / int(values[2])), r["machine"], source])
    print(PUBLISHED, end="")
    table(["program", "real machine", "published", "here", "distance", "IPC here", "preset", "source"], rows)


def main():
    d = sys.argv[1]
    got = {machine: measured(os.path.join(d, machine + ".txt")) for machine, _, _ in PRESETS}
    print(HEAD, end="")
    far = instructions(got) + loops(os.path.join(d, "loops"))
    programs(got)
    published(got, os.path.join(os.path.dirname(os.path.abspath(__file__)), "core", "published.csv"))
    with open(os.path.join(d, "measured"), encoding="ascii") as f:
        print("\n" + f.read(), end="")
    if far:
        print("core.py: %d values are further from their figures than they are meant to be" % far, file=sys.stderr)
    return far > 0


sys.exit(main())
