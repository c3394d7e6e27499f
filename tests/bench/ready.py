#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long Chromium takes to open a page: ready.py PAGE.html ROUNDS

A line for each round: seconds from opening the page until all is drawn, and seconds of processor time of the browser's thread that draws it.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from browser import Page  # noqa: E402

with Page(sys.argv[1]) as page:
    page.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    for _ in range(int(sys.argv[2])):
        page.browser.refresh()
        metrics = {m["name"]: m["value"] for m in page.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        print(int(page.js("return document.body.dataset.milliseconds")) / 1000, metrics["ThreadTime"])
