#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at a page of a profile, a recording and counters of pages: report_page.py PAGE.html PROFILE.csv RECORDING.csv PICTURES

PROFILE.csv is what `origin report --format=csv` printed of the profile, RECORDING.csv what sndump --csv printed of the recording. PICTURES
has the pictures of the views as browser.py reads them; with RECORD=1 in the environment they are written instead of compared.
"""
import collections
import csv
import os
import sys

from selenium.webdriver.common.keys import Keys

from browser import Page, Points, near

PROFILE = "problems machine causes objects functions time regions threads mix latency matrix pages contended types source made".split()
RECORDING = "machine overview lines moments counts intervals made".split()
points = Points()
point = points.point


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def sums(rows, key, value):
    total = collections.defaultdict(float)
    for r in rows:
        total[key(r)] += float(r[value])
    return {k: round(v, 6) for k, v in total.items()}


def tab(page, number):
    page.js("document.querySelectorAll('#inputs button')[arguments[0]].click()", number)


def sections(page):
    return [s[5:] for s in page.js("return [...document.querySelectorAll('#views > section')].map(s => s.id)")]


def compare_pictures(page, prefix, views, known, drawn):
    """Each view against the picture that was recorded: alike in the mean, and nowhere something else."""
    for v in views:
        grid = drawn[prefix + v] = page.drawn(v)
        want = known.get(prefix + v)
        if want:
            off = [abs(a - b) for a, b in zip(grid, want)]
            if sum(off) > 8 * len(off) or max(off) > 120:
                yield "%s%s: mean %.1f, most %d" % (prefix, v, sum(off) / len(off), max(off))
        else:
            yield prefix + v + ": no picture is known"


def profile_tables(page, misses):
    """Every table against the rows of misses that it sums up."""
    ns = lambda key: {k: v / 1000 for k, v in sums(misses, key, "stall_ns").items()}
    table = page.table("causes")
    point("causes: stalls are those of the profile", {r["cause"]: float(r["stall"]) for r in table} == ns(lambda r: r["cause"]), table)
    point("causes: counts, too", {r["cause"]: float(r["count"]) for r in table} == sums(misses, lambda r: r["cause"], "count"))
    bars = {k: float(v) for k, v in zip(page.values("#view-causes rect[data-part]", "part"), page.values("#view-causes rect[data-part]", "value"))}
    point("causes: the bars are as long as the table says", bars == ns(lambda r: r["cause"]), bars)
    colours = page.js("return [...document.querySelectorAll('#view-causes .swatch')].map(s => getComputedStyle(s).backgroundColor)")
    point("causes: no two parts have one colour", len(set(colours)) == len(colours) > 2, colours)
    table = page.table("objects")
    point("objects: stalls", {r["object"]: float(r["stall"]) for r in table} == ns(lambda r: r["object"]), table)
    point("objects: the causes add up", all(near(r["stall"], sum(float(r[c]) for c in r if c not in ("object", "type", "where", "what", "count", "stall")))
                                            for r in table), table)
    table = page.table("mix")
    point("transactions: by processor and kind",
          {(r["cpu"], r["kind"]): float(r["local"]) + float(r["remote"]) for r in table} == sums(misses, lambda r: (r["cpu"], r["tx"]), "count"), table)
    table = page.table("matrix")
    known = [r for r in misses if r["home"] != "-"]
    point("nodes and homes: counts", {(r["node"], r["home"]): float(r["count"]) for r in table} == sums(known, lambda r: (r["node"], r["home"]), "count"), table)
    drawn = {(n, h): float(v) for n, h, v in zip(*(page.values("#view-matrix rect[data-node]", k) for k in ("node", "home", "value")))}
    want = {k: v / 1000 for k, v in sums(known, lambda r: (r["node"], r["home"]), "stall_ns").items()}
    point("nodes and homes: the fields are the table's", drawn == want, drawn, want)
    table = page.table("pages")
    point("pages: home, user, what a better home saves",
          sorted((r["page"], r["home"], r["user"], r["count"], r["saves"]) for r in table)[-1] == ("0x50004000", "1", "0", "20", "8"), table)
    table = page.table("contended")
    point("contended lines: accesses by offset, thread, node and source line",
          sorted((r["offset"], r["tid"], r["node"], r["cause"], r["count"]) for r in table) ==
          [("0", "20", "0", "false_sharing", "30"), ("80", "21", "1", "false_sharing", "5")] and all("</script>.c:" in r["at"] or "script>.c" in r["at"] for r in table), table)
    table = page.table("types")
    point("types and members: offset, size, cost, and who is to be kept apart",
          sorted((r["type"], r["member"], r["offset"], r["size"], r["group"], r["count"]) for r in table) ==
          [("struct outer", ".tag", "0", "1", "1", "35")], table)
    point("types: the layout is the table's", sorted(zip(page.values("#view-types g.member rect", "member"), page.values("#view-types g.member rect", "value"))) == [(".tag", "35")],
          page.values("#view-types g.member rect", "value"))
    point("types: the proposal", page.texts("#view-types p.remedy") == ["apart: each element on lines of its own, for different threads use them"],
          page.texts("#view-types p.remedy"))
    table = page.table("source")
    by_line = {k: v / 1000 for k, v in sums([r for r in misses if r["line"] != "-"], lambda r: r["line"], "stall_ns").items()}
    point("source: each line's stall", {r["line"]: float(r["stall"]) for r in table if r["count"] != "0"} == by_line, table)
    point("source: the text is that of the file", any("outermost(" in r["text"] for r in table), table)
    table = page.table("time")
    point("time: what processors waited for the command", [(r["cpu"], r["l2"], r["dirty"], r["remote"]) for r in table] ==
          [("0", "0.7", "30", "16"), ("2", "0", "5", "0")] and "busy" not in table[0], table)
    page.element("#view-time select option[value=all]").click()
    table = page.copied("#view-time details.as-table")
    point("time: parts of each processor", [(r["cpu"], r["busy"], r["dirty"], r["remote"], r["idle"]) for r in table] ==
          [("0", "4", "30", "16", "36"), ("2", "4", "5", "0", "88")], table)
    table = page.table("latency")
    point("latency: the bins of the ground truth", [(r["cpu"], r["from"], r["count"]) for r in table] ==
          [("0", "400", "40"), ("0", "450", "3"), ("2", "400", "7"), ("2", "450", "3")], table)
    table = page.table("regions")
    point("regions: counts and stalls of each", [(r["name"], r["count"], r["stall"]) for r in table] == [("solve", "30", "30")], table)
    table = page.table("threads")
    point("threads: those of the command", [r["tid"] for r in table] == ["20", "21"], table)


def profile_controls(page):
    nodes = lambda: page.values("#view-machine g.node rect", "value")
    point("machine: what processors of each node waited", [round(float(v), 3) for v in nodes()[:2]] == [48, 5], nodes())
    page.element("#view-machine select option[value=sent]").click()
    lanes = [l for l in zip(page.values("#view-machine path.lane", "from"), page.values("#view-machine path.lane", "value")) if l[1]]
    point("machine: a link's lanes have what each end sent", lanes == [("/hw/module/2/slot/r1/router", "42"), ("/hw/module/1/slot/r1/router", "11")], lanes)
    page.js("document.querySelector('#view-machine g.router').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    cells = page.texts("#view-machine .detail td[data-metric=received]")
    point("machine: a click shows the counters of a router's ports", cells == ["11"], cells)
    page.js("document.querySelector('#view-machine g.cpu').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    cells = dict(page.js("return [...document.querySelectorAll('#view-machine .detail td[data-metric]')].map(t => [t.dataset.metric, t.textContent])"))
    point("machine: a click shows what a processor waited", cells == {"stall": "48.000", "missed": "55", "remote": "20"}, cells)
    page.element("#view-mix select option[value=cpu]").click()
    point("transactions: by processor", page.texts("#view-mix .bar-row > text:first-child")[0].startswith("cpu 0 (node 0)"), page.texts("#view-mix .bar-row > text"))
    page.element("#view-matrix select option[value=mean]").click()
    means = page.values("#view-matrix rect[data-node]", "value")
    point("nodes and homes: the mean wait", "800" in means, means)
    page.js("document.querySelector('#view-pages g.page').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    point("pages: a click tells the page's counts", "home: node" in page.texts("#view-pages .chosen-page")[0])
    page.element("#view-pages svg").send_keys(Keys.ARROW_RIGHT)
    point("pages: arrow keys choose", page.js("return [...document.querySelectorAll('#view-pages g.page')].map(g => g.classList.contains('chosen')).indexOf(true)") == 1)
    # The table: filter, sort.
    where = "#view-causes details.as-table "
    page.element(where + "input").send_keys("shar")
    point("table: the filter keeps rows that contain the word", [r["cause"] for r in page.copied(where)] == ["false_sharing"])
    page.element(where + "input").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    page.elements(where + "th button")[2].click()
    stalls = [float(r["stall"]) for r in page.copied(where)]
    point("table: a heading sorts, the greatest first", stalls == sorted(stalls, reverse=True) and len(stalls) > 2, stalls)
    page.element("body").send_keys("j")
    point("keys: j goes to a view", page.js("return document.activeElement.id").startswith("title-"))
    made = " ".join(page.texts("#view-made code"))
    point("made: the commands of the page and of the run", "origin report --html page.html p short thread pages.csv" in made and './target "x"' in made, made)
    point("made: the description of the machine", "compatible" in page.texts("#view-made pre")[0] or "/dts-v1/" in page.texts("#view-made pre")[0])


def recording(page, rows):
    point("recording: its views are there", sections(page) == RECORDING, sections(page))
    table = page.table("intervals")
    same = len(table) == len(rows) and all(near(a[k], b[k]) for a, b in zip(table, sorted(rows, key=lambda r: (float(r["time"]), r["loc"]))) for k in a if k != "loc" and a[k])
    point("recording: the intervals are sndump's", same, len(table), len(rows), table[0], rows[0])
    page.js("const w = document.getElementById('whole'); w.checked = false; w.onchange();"
            "const t = document.getElementById('time'); t.value = 550; t.oninput();")
    values = page.values("#view-machine g.node rect", "value")
    point("recording: the slider shows the interval with the peak", [round(float(v)) for v in values] == [10, 10, 10, 100], values)
    cycles = [r for r in page.table("counts") if r["loc"] == "n3"][0]
    point("recording: the parts of the memory's cycles at that time", (cycles["mdmem"], cycles["mdidle"]) == ("1000000", "0"), cycles)
    point("recording: a region has its name on the axis", page.texts("#view-lines .marks text") == ["<b>solve</b>t0 <i>fft</i>:8: the region <b>solve</b> begins"],
          page.texts("#view-lines .marks text"))
    point("recording: regions, barriers and threads are its moments", [(r["time"], r["moment"]) for r in page.table("moments")] ==
          [("0", "t0 begins: <i>fft</i>:8"), ("0.015", "t0 <i>fft</i>:8: the region <b>solve</b> begins"), ("0.04", "t0 <i>fft</i>:8: a barrier opens"),
           ("0.06", "t0 <i>fft</i>:8: a region ends"), ("0.1", "t0 ends: <i>fft</i>:8")], page.table("moments"))
    seen = lambda: page.js("return page.state(page.shown).view.map(v => +v.toFixed(6))")
    page.element("body").send_keys("+")
    near_peak = seen()
    page.element("body").send_keys(">")
    point("keys: + zooms at the slider's time, > moves", near_peak == [0.0275, 0.0775] and seen() == [0.04, 0.09], near_peak, seen())
    page.js("page.setView([0.02, 0.04])")
    point("recording: a part of the axis has fewer intervals", len(page.table("intervals")) == 10, len(page.table("intervals")))


def printed(page):
    """On paper: the reader's system is dark, the sheet A4 between margins."""
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 720, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
    wide = page.js("return [...document.querySelectorAll('#views *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg')).map(e => e.outerHTML.slice(0, 80))")
    point("paper: nothing is cut off at the right", not wide, *wide)
    scrolls = page.js("return [...document.querySelectorAll('#views *')].filter(e => /auto|scroll/.test(getComputedStyle(e).overflow)).map(e => e.className)")
    point("paper: nothing would have to scroll", not scrolls, scrolls)
    colours = page.js("const s = getComputedStyle(document.querySelector('.legend .swatch')), b = getComputedStyle(document.body);"
                      "return [s.printColorAdjust || s.webkitPrintColorAdjust, b.backgroundColor, b.color]")
    point("paper: legends keep their colours, the sheet is white", colours == ["exact", "rgb(255, 255, 255)", "rgb(28, 28, 28)"], colours)
    page.table("causes")
    shown = page.js("return ['#contents', '.copy', '.as-table:not([open])', '.choice select'].map(s => document.querySelector(s).getClientRects().length > 0)")
    point("paper: controls stay away, choices are there", shown == [False, False, False, True], shown)
    page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def look():
    misses, known, drawn = rows_of(sys.argv[2]), {}, {}
    recorded = sys.argv[4]
    if os.path.exists(recorded):
        with open(recorded, encoding="ascii") as f:
            known = {l.split()[0]: list(bytes.fromhex(l.split()[1])) for l in f if l[0] != "#"}
    with Page(sys.argv[1]) as page:
        point("the page is complete", page.js("return document.body.dataset.ready") == "yes")
        point("profile: its views are there", sections(page) == PROFILE, sections(page))
        point("the headline", "false sharing costs 35.0 us" in page.texts(".headline")[0], page.texts(".headline"))
        different = list(compare_pictures(page, "profile/", [v for v in PROFILE if v != "made"], known, drawn))
        profile_tables(page, misses)
        profile_controls(page)
        tab(page, 2)
        different += compare_pictures(page, "recording/", ["machine", "overview", "lines", "counts"], known, drawn)
        recording(page, rows_of(sys.argv[3]))
        tab(page, 1)
        different += compare_pictures(page, "counters/", ["pages"], known, drawn)
        table = page.table("pages")
        point("counters: samples add up, a new home is a migration",
              [(r["page"], r["home"], r["user"], r["migrations"], r["count"], r["users"]) for r in table] ==
              [("0x10000000", "2", "0", "1", "13", "0:9 1:1 2:3"), ("0x10001000", "1", "2", "0", "5", "1:2 2:3")], table)
        if os.environ.get("RECORD"):
            with open(recorded, "w", encoding="ascii") as f:
                f.write("# SPDX-License-Identifier: GPL-2.0-or-later\n# Grey values of the views' pictures, written by report_page.py.\n")
                f.writelines("%s %s\n" % (k, bytes(v).hex()) for k, v in drawn.items())
            different = []
        point("every picture is like the one that was recorded", not different, *different)
        tab(page, 0)
        light = page.js("return getComputedStyle(document.body).backgroundColor")
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        point("dark where the reader wants it dark", page.js("return getComputedStyle(document.body).backgroundColor") != light)
        printed(page)
        point("names are text: nothing ran, no element came out of one", len(page.elements("script")) == 3 and not page.elements("img, iframe, i"))
        point("no error on the console", not page.errors(), *page.errors())


look()
points.end()
