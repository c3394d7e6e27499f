#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at a page of `origin report --html` in a browser without a network: report.py PAGE.html RECORDING.csv PROFILE.csv

The page has a profile and a recording of guests. RECORDING.csv is what sndump --csv printed of the recording, PROFILE.csv what
`origin report --format=csv` printed of the profile. Prints TAP.
"""
import csv
import sys

from selenium.webdriver.common.keys import Keys

from browser import Page, Points, near

points = Points()
point = points.point


def nodes(page):
    """Label and value of each node in the picture."""
    return dict(page.js("return [...document.querySelectorAll('#view-machine g.node')].map(g => "
                        "[g.querySelector('text').textContent, g.querySelector('rect').dataset.value])"))


def machine(page, rows, name):
    labels = {r["loc"] for r in rows}
    point("every node of the recording is drawn", {l for l in labels if l[0] == "n"} <= set(nodes(page)), nodes(page))
    point("a row of lines for each object", set(page.texts("#view-lines svg.chart > text.name")) == {r["loc"] for r in rows if r[name]})
    # The slider: the values of one interval.
    page.js("const w = document.getElementById('whole'); w.checked = false; w.onchange();"
            "const t = document.getElementById('time'); t.value = 500; t.oninput();")
    when = float(page.texts("#when")[0].split()[0])
    want = {r["loc"]: r[name] for r in rows if r["loc"][0] == "n" and float(r["time"]) <= when < float(r["end"])}
    shown = nodes(page)
    point("at a time: nodes have that interval's values", want and all(near(shown[l], v) for l, v in want.items()), when, want, shown)
    # A click, and the keyboard.
    page.js("document.querySelector('g.node').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    cells = dict(page.js("return [...document.querySelectorAll('.detail td[data-metric]')].map(t => [t.dataset.metric, t.textContent])"))
    row = next(r for r in rows if r["loc"] == "n0" and float(r["time"]) <= when < float(r["end"]))
    point("a click shows the node's counters", name in cells and abs(float(cells[name]) - float(row[name])) < 6e-4 * max(1, float(row[name])), cells, row)
    page.elements("g.node")[-1].send_keys(Keys.ENTER)
    point("Enter chooses, too", page.js("return document.querySelectorAll('g.chosen').length") == 1 and
          page.js("return [...document.querySelectorAll('g.node')].pop().classList.contains('chosen')"))


def intervals(page, rows):
    where = "#view-intervals details.as-table "
    counted = lambda: int(page.texts(where + ".counted")[0].split()[0])
    ours = page.table("intervals")
    want = {(r["loc"], "%.6f" % float(r["time"])): r for r in rows}
    wrong = [(r, m) for r in ours for m in ours[0] if m not in ("time", "end", "loc") and r[m] and
             not near(r[m], want[(r["loc"], "%.6f" % float(r["time"]))][m])]
    point("the copied CSV is sndump's", len(ours) == len(rows) and not wrong, len(ours), len(rows), wrong[:3])
    page.element(where + "input").send_keys("n0")
    point("the filter keeps the rows that contain the word", 0 < counted() < len(rows), counted())
    page.element(where + "input").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    page.elements(where + "th button")[3].click()
    column = [float(v) for v in page.js("return [...document.querySelectorAll(arguments[0])].map(r => r.cells[3].textContent)", where + "tbody tr") if v]
    point("a click on a heading sorts", column == sorted(column, reverse=True) and len(set(column)) > 1, column[:5])
    # Zoom.
    page.js("document.querySelector('#view-lines svg svg').dispatchEvent(new WheelEvent('wheel', {deltaY: -500, clientX: 600, clientY: 10, bubbles: true, cancelable: true}))")
    zoomed = counted()
    page.element("#reset").click()
    point("the wheel zooms, the button shows all again", 0 < zoomed < len(rows) == counted(), zoomed, counted(), len(rows))


def look(page_file, recording, profile):
    with open(recording, encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(profile, encoding="utf-8") as f:
        misses = list(csv.DictReader(f))
    with Page(page_file) as page:
        point("the page is complete", page.js("return document.body.dataset.ready") == "yes")
        table = page.table("causes")
        point("profile: the causes are those of the CSV",
              all(int(r["count"]) == sum(int(m["count"]) for m in misses if m["cause"] == r["cause"]) for r in table) and len(table) > 3, table)
        point("profile: the machine is drawn", len(nodes(page)) == 8, nodes(page))
        page.js("document.querySelectorAll('#inputs button')[1].click()")
        name = page.js("return document.getElementById('metric').value")
        point("the first metric is a rate of the recording", name in ("mem", "sysad", "alocal") and name in rows[0], name)
        machine(page, rows, name)
        intervals(page, rows)
        point("names are text: no element came out of one", not page.elements("img, b"))
        point("no error on the console", not page.errors(), *page.errors())


look(*sys.argv[1:4])
points.end()
