#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a step of docs/machine.html costs the browser's thread that draws: steps.py PAGE.html ROUNDS

64 nodes, random accesses of all processors to four lines. In each round the reader goes through the same 60 moments, forwards. A line for each round: the
median, the 95th percentile and the most of a step's processor time, ms: from the key until the frame is there, script, layout and painting.
"""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from browser import Page  # noqa: E402

STEPS = 60
# Two frames later, what the step has changed is drawn.
STEP = "life.go(past.position + 1); requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 0)))"

with Page(sys.argv[1]) as page:
    page.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(name="ThreadTime"):
        return next(m["value"] for m in page.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"] if m["name"] == name)

    def nothing():
        page.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 0)))")

    page.js("life.loadMachine({ preset: 'stinger', time: 1 });"
            "programs.random(60, 3, [0x10000, 0x10080, 2 ** 32 + 0x10000, 63 * 2 ** 32 + 0x10000], life.shape.cpus.map(c => c.cpu))")
    for _ in range(int(sys.argv[2])):
        page.js("life.go(100)")
        nothing()
        # What asking costs, without a step
        begin = spent()
        for _ in range(10):
            nothing()
            last = spent()
        asking, steps = (last - begin) / 10, []
        for _ in range(STEPS):
            begin = spent()
            page.browser.execute_async_script(STEP)
            steps.append((spent() - begin - asking) * 1000)
        steps.sort()
        print(*("%.2f" % v for v in (statistics.median(steps), steps[int(STEPS * 0.95)], steps[-1])))
