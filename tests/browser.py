# SPDX-License-Identifier: GPL-2.0-or-later
"""For tests that look at a page in Debian's Chromium, without a network.

    points = Points()            points.point(name, good, detail...); points.end() prints the plan
    with Page(path or URL) as page      page.js(code, arguments...)  page.table(view): the rows that a view's table copies as CSV
                                 page.drawn(view): the picture of a view as GRID x GRID grey values
                                 page.errors(): what the console said

Pictures are compared as coarse grey grids, because fonts and the browser's version change the details.
"""
import csv
import os
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

GRID = 16
GREYS = """
const done = arguments[arguments.length - 1], image = new Image();
image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = arguments[1];
    const ctx = canvas.getContext('2d');
    ctx.imageSmoothingQuality = 'high';
    ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
    const d = ctx.getImageData(0, 0, canvas.width, canvas.height).data, grey = [];
    for (let i = 0; i < d.length; i += 4)
        grey.push(Math.round((d[i] * 2 + d[i + 1] * 5 + d[i + 2]) / 8));
    done(grey);
};
image.src = 'data:image/png;base64,' + arguments[0];
"""


class Points:
    """TAP on standard output."""

    def __init__(self):
        self.points = self.failures = 0

    def point(self, name, good, *detail):
        self.points += 1
        self.failures += not good
        print("%sok %d - %s" % ("" if good else "not ", self.points, name))
        for d in () if good else detail:
            print("#   %.600s" % (d,))

    def end(self):
        print("1..%d" % self.points)
        sys.exit(self.failures != 0)


class Page:
    """A page that the browser has opened: from disk, then without a network, or from a server of this host."""

    def __init__(self, path):
        served = path.startswith("http:")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        o = Options()
        # No screen is needed, and pictures are of one size. A container's /dev/shm may be too small. With a profile of chromedriver's, a directory is
        # left in /tmp. As root, Chromium does not start in its sandbox.
        for a in ("--headless", "--window-size=1300,1000", "--disable-dev-shm-usage", "--user-data-dir=" + self.profile.name):
            o.add_argument(a)
        if os.geteuid() == 0:
            o.add_argument("--no-sandbox")
        o.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(options=o, service=Service("/usr/bin/chromedriver"))
        # A page that needs the network would show an error on the console.
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions",
                                     {"offline": not served, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
        self.browser.get(path if served else "file://" + os.path.abspath(path))
        self.js = self.browser.execute_script

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.quit()
        self.profile.cleanup()

    def element(self, selector):
        return self.browser.find_element("css selector", selector)

    def elements(self, selector):
        return self.browser.find_elements("css selector", selector)

    def values(self, selector, key):
        """What each element that the selector finds has in its data."""
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.dataset[arguments[1]])", selector, key)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def table(self, view):
        """Opens the table of a view and copies it, as a reader would."""
        self.js("document.querySelector(arguments[0]).open = true", "#view-%s details.as-table" % view)
        # The table is drawn when the browser tells the page that it was opened.
        self.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 0))")
        return self.copied("#view-%s details.as-table" % view)

    def copied(self, where):
        self.js("window.copied = ''; document.execCommand = () => { window.copied = document.activeElement.value; return true; }")
        self.js("document.querySelector(arguments[0]).click()", where + " button.copy")
        return list(csv.DictReader(self.js("return window.copied").splitlines()))

    def drawn(self, view):
        """Each view is scaled to the same grid: its picture only, without words that describe it."""
        box = self.js("const r = document.querySelector(arguments[0]).getBoundingClientRect();"
                      "return [r.x + scrollX, r.y + scrollY, r.width, r.height]", "#view-%s .drawing" % view)
        clip = {"x": box[0], "y": box[1], "width": box[2], "height": max(box[3], 1), "scale": 1}
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        return self.browser.execute_async_script(GREYS, shot["data"], GRID)

    def errors(self):
        return [l["message"] for l in self.browser.get_log("browser") if l["level"] == "SEVERE"]


def near(a, b, parts=1e-5):
    return a is not None and abs(float(a) - float(b)) <= parts * max(1, abs(float(b)))
