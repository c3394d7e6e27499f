#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at a page of `origin report --html` in a browser without a network: report.py PAGE.html CSV [SCREENSHOT.png]

CSV is what sndump --csv printed of the same trace. Prints TAP points and a plan. Debian's Chromium draws the page from disk; what the
page shows is compared with the CSV, and each control is used once.
"""
import csv
import os
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

page, table = sys.argv[1:3]
points = failures = 0


def point(name, good, *detail):
    global points, failures
    points += 1
    failures += not good
    print("%sok %d - %s" % ("" if good else "not ", points, name))
    for d in () if good else detail:
        print("#   %s" % (d,))


def browser(profile, dark):
    o = Options()
    for a in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,1000",
              "--user-data-dir=" + profile) + (("--force-dark-mode",) if dark else ()):
        o.add_argument(a)
    o.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    b = webdriver.Chrome(options=o, service=Service("/usr/bin/chromedriver"))
    # A page that needs the network would show an error on the console.
    b.execute_cdp_cmd("Network.enable", {})
    b.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    b.get("file://" + os.path.abspath(page))
    return b


def near(a, b):
    return a is not None and abs(float(a) - float(b)) <= 1e-5 * max(1, abs(float(b)))


def nodes(b):
    """Label and value of each node in the picture."""
    return dict(b.execute_script("return [...document.querySelectorAll('g.node')].map(g => "
                                 "[g.querySelector('text').textContent, g.querySelector('rect').dataset.value])"))


def look(b, rows):
    js = b.execute_script
    percent = [m for m in rows[0] if m in ("mem", "sysad", "alocal")]
    name = js("return document.getElementById('metric').value")
    labels = {r["loc"] for r in rows}
    point("the page is complete", js("return document.body.dataset.ready") == "yes")
    point("the first metric is one of the trace", name in rows[0], name)
    if percent:
        point("the first metric is a rate", name in percent, name)
    b.find_element("css selector", "#metric option[value=%s]" % name).click()
    point("every node of the trace is drawn", {l for l in labels if l[0] == "n"} <= set(nodes(b)), nodes(b))
    point("a row of lines for each object", set(js("return [...document.querySelectorAll('#lines > svg > text')].map(t => t.textContent)")) ==
          {r["loc"] for r in rows if r[name]})
    # The slider: the values of one interval.
    js("const w = document.getElementById('whole'); w.checked = false; w.onchange();"
       "const t = document.getElementById('time'); t.value = 500; t.oninput();")
    when = float(js("return document.getElementById('when').textContent").split()[0])
    want = {r["loc"]: r[name] for r in rows if r["loc"][0] == "n" and float(r["time"]) <= when < float(r["end"])}
    shown = nodes(b)
    point("at a time: nodes have that interval's values", want and all(near(shown[l], v) for l, v in want.items()), when, want, shown)
    # A click, and the keyboard.
    js("document.querySelector('g.node').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    cells = dict(js("return [...document.querySelectorAll('#detail td[data-metric]')].map(t => [t.dataset.metric, t.textContent])"))
    row = next(r for r in rows if r["loc"] == "n0" and float(r["time"]) <= when < float(r["end"]))
    point("a click shows the node's counters", name in cells and abs(float(cells[name]) - float(row[name])) < 6e-4 * max(1, float(row[name])), cells, row)
    b.find_elements("css selector", "g.node")[-1].send_keys(Keys.ENTER)
    point("Enter chooses, too", js("return document.querySelectorAll('g.chosen').length") == 1 and
          js("return document.querySelector('g.node:last-of-type.chosen') !== null || document.querySelector('#detail h3') !== null"))
    # The table: filter, sort, copy.
    filter_ = b.find_element("id", "filter")
    filter_.send_keys("n0")
    count = js("return +document.getElementById('table-says').textContent.split(' ')[0]")
    point("the filter keeps the objects that contain the word",
          set(js("return [...new Set([...document.querySelectorAll('#table tbody td.text')].map(t => t.textContent))]")) and
          0 < count < len(rows), count)
    b.find_elements("css selector", "#table th button")[2].click()
    column = [float(v) for v in js("return [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[2].textContent)") if v]
    point("a click on a heading sorts", column == sorted(column, reverse=True) and len(set(column)) > 1, column[:5])
    filter_.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    js("window.copied = ''; document.execCommand = () => { window.copied = document.activeElement.value; return true; }")
    b.find_element("id", "copy").click()
    ours = list(csv.DictReader(js("return window.copied").splitlines()))
    want = {(r["loc"], "%.6f" % float(r["time"])): r for r in rows}
    wrong = [(r, m) for r in ours for m in ours[0] if m not in ("time", "end", "loc") and r[m] and
             not near(r[m], want[(r["loc"], "%.6f" % float(r["time"]))][m])]
    point("the copied CSV is sndump's", len(ours) == len(rows) and not wrong, len(ours), len(rows), wrong[:3])
    # Zoom.
    js("document.querySelector('#lines svg svg').dispatchEvent(new WheelEvent('wheel', {deltaY: -500, clientX: 600, clientY: 10, bubbles: true, cancelable: true}))")
    zoomed = js("return +document.getElementById('table-says').textContent.split(' ')[0]")
    b.find_element("id", "reset").click()
    back = js("return +document.getElementById('table-says').textContent.split(' ')[0]")
    point("the wheel zooms, the button shows all again", 0 < zoomed < len(rows) == back, zoomed, back, len(rows))
    point("names are text: no element came out of one", js("return document.querySelectorAll('img, b').length") == 0)


rows = list(csv.DictReader(open(table, encoding="utf-8")))
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    b = browser(profile, False)
    look(b, rows)
    light = b.execute_script("return getComputedStyle(document.body).backgroundColor")
    b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    point("dark where the reader wants it dark", b.execute_script("return getComputedStyle(document.body).backgroundColor") != light)
    errors = [l["message"] for l in b.get_log("browser") if l["level"] == "SEVERE"]
    point("no error on the console", not errors, *errors)
    if len(sys.argv) > 3:
        b.save_screenshot(sys.argv[3])
    b.quit()
print("1..%d" % points)
sys.exit(failures != 0)
