#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# "time by mode" of a page whose thread 2 computes 4 us in user mode, 2 in the kernel and 1 in interrupts: report_page_modes.py PAGE WAITED,
# which is what it waited in the kernel, in us. Prints TAP.
import sys

from browser import Page, Points

points = Points()
point = points.point


def bar(page):
    first = "document.querySelector('#view-cycles g.bar-row')"
    return dict(page.js("return [...%s.querySelectorAll('rect')].map(r => [r.dataset.part, Number(r.dataset.value).toFixed(3)])" % first))


with Page(sys.argv[1]) as page:
    page.element("#view-cycles select option[value=thread]").click()
    page.element("#view-cycles select option[value=modes]").click()
    want = {"user": "4.000", "kernel": "%.3f" % (2 + float(sys.argv[2])), "interrupt": "1.000"}
    point("cycles: a thread's time by mode", bar(page) == want, bar(page), want)
    page.element("#view-cycles select option[value=time]").click()
    point("cycles: back to what it computed", bar(page).get("unit") == "2.000", bar(page))
    point("no error on the console", not page.errors(), *page.errors())
points.end()
