#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at pages of differences, for report_diff.sh: report_diff.py PROFILES.html PROFILES.csv RECORDINGS.html

PROFILES.csv is what `origin report --diff --format=csv` printed of the same profiles.
"""
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from browser import Page, Points, near  # noqa: E402

points = Points()
point = points.point
WIDTH = 560  # of the longest bar, as difference.js has it
VIEWS = "changed change-causes change-objects change-members change-functions change-lines change-parts change-threads change-regions change-homes change-links axis made".split()


def sections(page):
    return [s[5:] for s in page.js("return [...document.querySelectorAll('#views > section')].map(s => s.id)")]


def bars(page, view):
    """(side, value, width) of each bar."""
    return [(s, float(v), float(w)) for s, v, w in page.js("return [...document.querySelectorAll(arguments[0])].map(e => [e.dataset.side, e.dataset.value, e.getAttribute('width')])",
                                                           "#view-%s svg.pairs rect[data-side]" % view)]


def one_scale(drawn):
    scales = [w / v for _, v, w in drawn if v]
    return len(scales) > 1 and all(near(s, scales[0]) for s in scales) and near(max(w for _, _, w in drawn), WIDTH)


def profiles(page, rows):
    point("profiles: the views", sections(page) == VIEWS, sections(page))
    point("profiles: the headline", "Misses cost 21.0 us instead of 53.0 us" in page.texts(".headline")[0], page.texts(".headline"))
    point("profiles: what differs", len(page.texts(".note")) == 6, page.texts(".note"))
    for view in "causes", "objects", "members", "functions", "lines", "homes":
        table = page.table("change-" + view)
        want = {(r["name"], r["quantity"]): tuple(float(r[k]) for k in ("a", "b", "change")) for r in rows if r["table"] == view and r["quantity"] in ("stall", "count")}
        name = next(iter(table[0]))
        got = {(r[name], q): tuple(float(r[f"{q}_{k}"]) for k in ("a", "b", "change")) for r in table for q in ("stall", "count")}
        point("profiles: the table of %s is the CSV's" % view, got == want, got, want)
    drawn = bars(page, "change-objects")
    point("profiles: objects that changed, by the change", [(s, v) for s, v, _ in drawn] == [("a", 35), ("b", 15), ("a", 17.6), ("b", 1.6), ("a", 0), ("b", 4)], drawn)
    point("profiles: A and B have one scale", one_scale(drawn), drawn)
    page.element("#view-change-objects select option[value=count]").click()
    drawn = bars(page, "change-objects")
    point("profiles: counts when they are chosen, on one scale", [(s, v) for s, v, _ in drawn] == [("a", 35), ("b", 15), ("a", 24), ("b", 4), ("a", 0), ("b", 5)] and one_scale(drawn), drawn)
    lives = page.js("return [...document.querySelectorAll('#view-axis rect.lived')].map(e => [e.dataset.side, +(+e.dataset.from).toFixed(6), +(+e.dataset.to).toFixed(6), +e.getAttribute('x'), +e.getAttribute('width')])")
    point("profiles: threads begin at their command's begin, A before B", [l[:3] for l in lives] == [["A", 0, .004], ["B", 0, .004], ["A", .001, .004], ["B", .001, .003]], lives)
    point("profiles: they stand on one axis", all(near(l[4], (l[2] - l[1]) * lives[0][4] / .004) and near(l[3], lives[0][3] + l[1] * lives[0][4] / .004) for l in lives), lives)
    page.js("document.querySelectorAll('#inputs button')[2].click()")
    point("profiles: the third tab is B", "false sharing costs 15.0 us" in page.texts(".headline")[0] and "objects" in sections(page), page.texts(".headline"))


def recordings(page):
    point("recordings: the views", sections(page) == "changed change-rates change-sums change-counts change-threads axis made".split(), sections(page))
    table = page.table("change-rates")
    point("recordings: means over the whole time", [(r["metric"].split()[0], r["metric"].split()[2], float(r["value_a"]), float(r["value_b"])) for r in table if float(r["value_change"])] ==
          [("mem", "n3", 19, 14.5)], table)

    def lines():
        return page.js("return [...document.querySelectorAll('#view-axis g.chart')].map(g => [...g.querySelectorAll('path.over')].map(p => {"
                       "const b = p.getBBox(); return [p.dataset.side, +p.dataset.to, b.width, b.height]; }))")
    drawn = lines()
    point("recordings: a chart for each node, A and B in it", [[p[0] for p in c] for c in drawn] == [["a", "b"]] * 4, drawn)
    point("recordings: one axis: B takes twice as long", all(near(c[0][1], .1) and near(c[1][1], .2) and near(2 * c[0][2], c[1][2]) for c in drawn), drawn)
    point("recordings: one scale: both peaks are as high, of the last node only", drawn[3][0][3] > 50 and near(drawn[3][0][3], drawn[3][1][3]) and drawn[0][0][3] == 0, drawn)
    page.element("#view-axis select option[value=mdidle]").click()
    heights = [c[0][3] for c in lines()]
    point("recordings: another metric", heights[0] == 0 and heights[3] > 50, heights)


with Page(sys.argv[1]) as shown, open(sys.argv[2], encoding="utf-8") as f:
    profiles(shown, list(csv.DictReader(f)))
    point("profiles: names are text: no element came out of one", not shown.elements("#views i"))
    point("profiles: no error on the console", not shown.errors(), *shown.errors())
with Page(sys.argv[3]) as shown:
    recordings(shown)
    point("recordings: names are text: no element came out of one", not shown.elements("#views i, #views b:not([class])"))
    point("recordings: no error on the console", not shown.errors(), *shown.errors())
points.end()
