#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Speaks to the server of `origin run --view`: view.py MODE ERR..., where ERR is the file with the launcher's stderr.

  crowd ERR     ten viewers: some read, some never do, some leave; meanwhile the machine is paused, stepped and asked. Ends with the machine.
  read ERR PID  reads pictures of the launcher with process PID until the machine ends. Prints how many there were, how many a second, and the
                CPU seconds that one cost QEMU's main thread, which has little else to do, and the view.
  memory ERR PID SECONDS   twenty viewers of the launcher with process PID: does the view grow? Prints TAP points.
  hostile ERR   requests that must be refused. Prints TAP points.
  browser ERR QMP STOP [SCREENSHOT]   Debian's Chromium: the page draws, its controls work, its values are the model's. Then creates the
                file STOP, which ends the machine's command. Prints TAP points.
  findings ERR HEADLINE   Chromium looks at `origin profile --view=paused`: findings come while the machine runs, and the last one is that of the whole run,
                which goes into the file HEADLINE. Prints TAP points.
  followed ERR SEEN [SCREENSHOT]   Chromium steps through the life of a line in `origin run --view=paused --follow` while the machine runs, and after that. What it saw goes
                into the file SEEN, which follow_live.py compares with what was recorded. Prints TAP points.
  killed ERR PID DIR SIGNAL   looks at a profile into DIR of the launcher with process PID until QEMU writes tables for the view, and kills the launcher.
                Prints TAP points.
"""
import http.client
import json
import os
import re
import select
import socket
import sys
import threading
import time

from browser import Page, Points
from qmp import Qmp

points = Points()
point = points.point


def address(path):
    """Waits for the line on stderr that names the page; returns port and path with the key."""
    for _ in range(600):
        m = re.search(r"view: http://127\.0\.0\.1:(\d+)(/[0-9a-f]+/)", open(path, encoding="utf-8").read())
        if m:
            return int(m.group(1)), m.group(2)
        time.sleep(0.1)
    sys.exit("no address in " + path)


def request(port, method, path, body=None, headers=None):
    """Status and text of an answer."""
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    c.request(method, path, body, headers or {})
    r = c.getresponse()
    return r.status, r.read().decode()


def stream(port, root):
    s = socket.create_connection(("127.0.0.1", port), timeout=60)
    s.sendall(("GET %spictures HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (root, port)).encode())
    return s


def crowd(port, root):
    stuck = [stream(port, root) for _ in range(4)]
    readers = [stream(port, root) for _ in range(5)]
    leaver = stream(port, root)
    n = 0
    try:
        while True:
            n += 1
            request(port, "POST", root + "pause")
            request(port, "GET", root + "line?address=0x%x" % (n * 128))
            request(port, "POST", root + "step?ns=%d" % (n * 700001))
            request(port, "GET", root + "page?address=0x1000")
            for s in readers:
                s.settimeout(0.02)
                try:
                    s.recv(1 << 20)
                except TimeoutError:
                    pass
            if n == 3:
                leaver.close()
            request(port, "POST", root + "continue")
            request(port, "GET", root + "console?from=0")
            time.sleep(0.01 * (n % 7))
    except (OSError, http.client.HTTPException):
        print("%d rounds, %d streams stuck" % (n, len(stuck)))


def cpu_seconds(launcher):
    total = 0
    with open("/proc/%s/task/%s/children" % (launcher, launcher), encoding="ascii") as f:
        for pid in f.read().split():
            main = "/proc/%s/task/%s/stat" % (pid, pid) if pid != viewer(launcher) else "/proc/%s/stat" % pid
            with open(main, encoding="ascii") as stat:
                total += sum(int(n) for n in stat.read().rsplit(") ", 1)[1].split()[11:13])
    return total / os.sysconf("SC_CLK_TCK")


def read(port, root, launcher):
    s = stream(port, root)
    begin, pictures, used = time.monotonic(), 0, []
    while data := s.recv(1 << 20):
        pictures += data.count(b"event: picture")
        if b"event: end" not in data:
            used.append(cpu_seconds(launcher))
    print(pictures, pictures / (time.monotonic() - begin), (used[-1] - used[0]) / (pictures - 1))


def viewer(launcher):
    """The view's process among the launcher's children: the one that is not QEMU."""
    with open("/proc/%s/task/%s/children" % (launcher, launcher), encoding="ascii") as f:
        for pid in f.read().split():
            with open("/proc/%s/comm" % pid, encoding="ascii") as comm:
                if not comm.read().startswith("qemu"):
                    return pid
    sys.exit("no view")


def resident(pid):
    """KB of its own in memory."""
    with open("/proc/%s/status" % pid, encoding="ascii") as f:
        return int(re.search(r"RssAnon:\s*(\d+)", f.read()).group(1))


def memory(port, root, launcher, seconds):
    pid = viewer(launcher)
    stuck = [stream(port, root) for _ in range(5)]
    streams = [stream(port, root) for _ in range(10)]
    leavers = [stream(port, root) for _ in range(5)]
    begin, sizes, got = time.monotonic(), [], 0
    while time.monotonic() < begin + float(seconds):
        for s in select.select(streams, [], [], 0.5)[0]:
            got += len(s.recv(1 << 20))
        leavers.pop(0).close()
        leavers.append(stream(port, root))
        sizes.append(resident(pid))
    third = len(sizes) // 3
    print("# KB: %d to %d in the first third, %d to %d in the last; %d MB read, %d never read" %
          (min(sizes[:third]), max(sizes[:third]), min(sizes[-third:]), max(sizes[-third:]), got >> 20, len(stuck)))
    point("pictures came", got > 1 << 20, got)
    point("memory does not grow", max(sizes[-third:]) <= max(sizes[:third]) + 1024, sizes)


def hostile(port, root):
    wrong = root[:-2] + ("0" if root[-2] != "0" else "1") + "/"
    for name, method, path, status in (
            ("a wrong key", "GET", wrong, 404), ("no key", "GET", "/", 404), ("a part of the key", "GET", root[:-3] + "/", 404),
            ("an unknown path", "GET", root + "x", 404), ("a path that leaves", "GET", root + "../../etc/passwd", 404),
            ("a wrong method", "DELETE", root, 405), ("POST of the page", "POST", root, 405), ("GET of pause", "GET", root + "pause", 405),
            ("a step without a time", "POST", root + "step", 400), ("a step of nothing", "POST", root + "step?ns=0", 400),
            ("a step that is no number", "POST", root + "step?ns=1e9", 400), ("a step without end", "POST", root + "step?ns=99999999999999999999", 400),
            ("an address of 41 bits", "GET", root + "line?address=0x10000000000", 400), ("an address that is text", "GET", root + "line?address=0x", 400),
            ("an address without memory", "GET", root + "line?address=0xff00000000", 400), ("a long path", "GET", root + "x" * 100000, 414)):
        got, text = request(port, method, path)
        point("%s: %d and a line" % (name, status), got == status and len(text) < 200, got, text[:200])
    got, _ = request(port, "GET", root, headers={"Host": "elsewhere.example:%d" % port})
    point("another name for this host: 404", got == 404, got)
    got, _ = request(port, "POST", root + "pause", "x")
    point("a request with a body: 413", got == 413, got)
    point("garbage: an error or nothing", raw(port, b"\0\xff" * 4000)[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.0 400"))
    sent = flood(port, root)
    point("a request of 1 GB is not read", sent < 20 << 20, sent)
    point("200 connections without the key, each in the middle of a header, do not keep out its owner", crowded(port, root))
    point("the view is still there", request(port, "GET", root)[0] == 200)


def crowded(port, root):
    """Is the owner served among strangers that send a header line each second, so that none of their connections is idle?"""
    strangers = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(200)]
    done = threading.Event()

    def send():
        line = b"GET / HTTP/1.1\r\n"
        while True:
            for s in strangers:
                try:
                    s.sendall(line)
                except OSError:
                    pass  # the server has closed this one
            line = b"X-Slow: 1\r\n"
            if done.wait(1):
                return

    thread = threading.Thread(target=send)
    thread.start()
    try:
        return all(request(port, "GET", root)[0] == 200 for _ in range(3))
    except OSError:
        return False
    finally:
        done.set()
        thread.join()
        for s in strangers:
            s.close()


def raw(port, data):
    s = socket.create_connection(("127.0.0.1", port), timeout=20)
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        return s.recv(4096)
    except OSError:
        return b""


def flood(port, root):
    """Bytes of a body of 1 GB that could be sent before the server closed the connection."""
    s = socket.create_connection(("127.0.0.1", port), timeout=20)
    s.sendall(("POST %spause HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n\r\n" % (root, port, 1 << 30)).encode())
    sent = 0
    try:
        while sent < 1 << 30:
            sent += s.send(bytes(1 << 20))
    except OSError:
        pass
    return sent


class View:
    """The page in a browser, and the model that it shows."""

    def __init__(self, page, qmp):
        self.page = page
        self.qmp = qmp

    def until(self, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.page.js("return " + what)
            if value:
                return value
            time.sleep(0.1)
        return None

    def state(self, name):
        return self.until("document.getElementById('live-state').textContent === '%s'" % name)

    def tick(self):
        return self.page.js("return +document.body.dataset.tick")

    def click(self, name):
        self.page.js("document.getElementById(arguments[0]).click()", name)

    def step(self):
        before = self.tick()
        self.page.element("#live-ns option[value='100000000']").click()
        self.click("live-step")
        self.until("+document.body.dataset.tick > %d && document.getElementById('live-state').textContent === 'paused'" % before)
        after = self.tick()
        hz = json.loads(self.qmp.get("truth"))["tick_hz"]
        point("a step of 100 ms takes 100 to 102", 0.1 <= (after - before) / hz < 0.102, before, after)

    def advance(self, ns):
        """Let the machine run for some time; seconds since the start."""
        before = self.tick()
        self.page.element("#live-ns option[value='%d']" % ns).click()
        self.click("live-step")
        self.until("+document.body.dataset.tick > %d && document.getElementById('live-state').textContent === 'paused'" % before)
        return self.seconds()

    def running(self):
        """Has the machine not ended?"""
        return self.page.texts("#live-state")[0] != "ended"

    def seconds(self):
        """Machine time."""
        return float(self.page.texts("#live-time")[0].split()[0])

    def values(self):
        """Values of the page against what the model says at the same tick."""
        picture, truth = json.loads(self.qmp.get("picture")), json.loads(self.qmp.get("truth"))
        point("the page shows the machine's tick", self.tick() == picture["tick"], picture["tick"])
        self.until("+document.body.dataset.drawn === %r" % (picture["tick"] / picture["tick_hz"]))
        self.page.js("const m = document.getElementById('metric'); m.value = 'inread'; m.onchange();")
        shown = [float(v) for v in self.page.js("return [...document.querySelectorAll('g.node')].map(g => g.querySelector('rect').dataset.value)")]
        want = [sum(n["md_recv"].get(k, 0) for k in ("READ", "RDSH", "RDEX", "UPGRD", "RSHU", "PRDX")) for n in truth["nodes"]]
        point("read requests of each node are the model's", shown == want and sum(want) > 0, shown, want)
        rows = self.page.table("intervals")
        total = lambda loc, name: sum(float(r[name] or 0) for r in rows if r["loc"] == loc)
        want = [[sum(t[k] for t in c["transactions"].values()) for k in ("local", "remote")] for c in truth["cpus"]]
        shown = [[total("cpu%d" % i, k) for k in ("txlocal", "txremote")] for i in range(len(want))]
        point("transactions of each CPU are the model's", shown == want, shown, want)
        shown = [total("cpu%d" % i, "insns") for i in range(len(want))]
        point("instructions of each CPU are the model's", shown == list(picture["instructions"].values()), shown)
        port = next(p for p in truth["routers"][0]["ports"] if p)
        shown = {total(loc, "recvcnt") for loc in {r["loc"] for r in rows} if ":" in loc}
        point("micropackets of a port are the model's", sum(port["recv"]) in shown and len(shown) > 1, shown, port)

    def address(self):
        for at in range(0, 0x4000000, 0x1000):  # a page of node 0 that somebody reads
            self.qmp.command("qom-set", path="/machine", property="line-address", value=at)
            line, counts = json.loads(self.qmp.get("line")), json.loads(self.qmp.get("page"))
            if max(counts["counts"]) > 0 and line["caches"]:
                break
        node = counts["counts"].index(max(counts["counts"]))
        self.page.element("#live-address").send_keys("n0:0x%x" % at)
        self.click("live-look")
        cell = lambda what: "(document.querySelector('#live-answer td[data-what=\"%s\"]') || {}).textContent" % what
        point("an address shows its line's state", self.until(cell("state")) == line["state"], line)
        point("and its page's counters", int(self.page.js("return " + cell("n%d" % node)) or 0) == counts["counts"][node] > 0, counts)
        first = next(iter(line["caches"]))
        number = list(json.loads(self.qmp.get("picture"))["instructions"]).index(first)
        point("and who has a copy", self.page.js("return " + cell("cache of cpu%d" % number)) == line["caches"][first], line)

    def stays(self):
        """New pictures come while somebody reads a table, then while Tab has chosen a node."""
        drawn = "+document.body.dataset.drawn"
        frame = "document.querySelector('#view-intervals .rows')"
        focus = "[...document.querySelectorAll('#view-intervals th button, g.node')].indexOf(document.activeElement)"
        where = lambda: self.page.js("return [%s, %s.scrollLeft, %s.scrollTop]" % (focus, frame, frame))
        for name, what in (("a heading of a table", frame + ".querySelectorAll('th button')[3]"), ("a node", "document.querySelectorAll('g.node')[1]")):
            self.page.js("%s.scrollTo(30, 200); %s.focus({ preventScroll: true })" % (frame, what))
            before, at = where(), self.page.js("return " + drawn)
            newer = self.until("%s > %r" % (drawn, at)) and self.until("%s > %r" % (drawn, self.page.js("return " + drawn)))
            point("new data leave the focus on %s, and the place in the table" % name, newer and before == where() and before[0] >= 0 and before[2] > 0, before, where())

    def use(self):
        page = self.page
        point("the machine waits for its viewer", self.state("paused") and self.tick() == 0)
        self.step()
        self.step()
        point("the page draws", self.until("document.body.dataset.ready === 'yes'"))
        self.values()
        self.address()
        point("the console is there", self.until("document.getElementById('live-console').textContent.includes('Linux version')"))
        tick = self.tick()
        self.click("live-pause")
        point("the machine continues", self.state("running") and self.until("+document.body.dataset.tick > %d" % tick))
        point("and says how fast", self.until("/machine seconds in a host second/.test(document.getElementById('live-speed').textContent)"))
        self.stays()
        self.click("live-pause")
        self.state("paused")
        point("and pauses", self.qmp.command("query-status")["status"] == "paused")
        point("the command is text", not page.elements("img") and "<img" in page.browser.title, page.browser.title)


def browser(port, root, path, stop, screenshot=None):
    with Page("http://127.0.0.1:%d%s" % (port, root)) as page:
        view = View(page, Qmp(path))
        view.use()
        errors = page.errors()
        point("no error on the console", not errors, *errors)
        if screenshot:
            page.browser.save_screenshot(screenshot)
        open(stop, "w", encoding="utf-8").close()
        view.click("live-pause")
        point("the page says when the machine has ended", view.state("ended"))
        # The browser complains of what was under way: net::ERR_ is what it says when the server has gone. Before that, a machine that has
        # ended answers no question, and only these may be told so (503).
        gone = re.compile(r"net::ERR_|/(line|page|pause|continue|step)(\?[^ ]*)? - [^/]* status of 503")
        errors = [e for e in page.errors() if not gone.search(e)]
        point("no error at the end", not errors, *errors)


class Life:
    """The view of a followed line, as its reader uses it."""

    STATE = """
    const view = document.getElementById('view-follow'), numbers = view.querySelector('.at').textContent.match(/\\d+/g).map(Number);
    return { number: numbers[0], of: numbers[1], items: [...view.querySelectorAll('dd')].map(d => [d.dataset.item, d.textContent]),
             messages: [...view.querySelectorAll('.message')].map(m => m.dataset.name + ' ' + m.style.opacity) };
    """

    def __init__(self, view):
        self.view = view

    def state(self):
        return self.view.page.js(self.STATE)

    def press(self, label):
        self.view.page.js("[...document.querySelectorAll('#view-follow [data-step]')].find(b => b.dataset.step === arguments[0]).click()", label)
        return self.state()

    def walk(self, there, back, steps=30):
        """Some steps and back again, not to the last one, which may be another one then: what was seen, if it was the same on the way back."""
        seen = [self.press(there) for _ in range(steps)]
        again = [seen[-1]] + [self.press(back) for _ in range(steps - 1)]
        steps = lambda states: [dict(s, of=None) for s in states]
        return seen if steps(seen) == steps(again[::-1]) else None


def followed(port, root, path, screenshot=None):
    """The life of a line, while its program is still running and after that. All that was seen goes into a file."""
    with Page("http://127.0.0.1:%d%s" % (port, root)) as page, open(path, "w", encoding="utf-8") as f:
        view = View(page, None)
        life, ends = Life(view), []
        tab = "document.querySelectorAll('#inputs button')[1]"
        told = "(+document.body.dataset.findings || 0) + (+document.body.dataset.life || 0)"

        def walk(name, there, back):
            seen = life.walk(there, back)
            point(name, seen, life.state())
            json.dump({"running": view.running(), "steps": seen}, f)
            f.write("\n")

        view.state("paused")
        # The program begins after half a second of machine time; its two threads pass the line to and fro for a tenth of a second.
        while view.advance(100000000) < 0.6:
            pass
        before = page.js("return " + told)
        # Short steps: a browser on a slow host may need several until it shows what has come.
        while len(ends) < 3 and view.advance(1000000) < 1:
            if not view.until("%s > %d" % (told, before)):
                break
            before = page.js("return " + told)
            page.js("const b = %s; if (b && b.ariaSelected !== 'true') b.click()" % tab)
            if not view.until("document.querySelector('#view-follow .at') !== null", 1):
                continue
            state = life.press("last")
            if state["of"] > max(ends, default=100):
                ends.append(state["of"])
                point("%d: the newest step is shown" % len(ends), state["number"] == state["of"], state)
                walk("%d: the same backwards and forwards" % len(ends), "back", "forward")
        point("steps come while the program runs", len(ends) == 3 and view.running(), ends)
        if screenshot:
            page.js("document.getElementById('view-follow').scrollIntoView()")
            page.browser.save_screenshot(screenshot)
        view.click("live-pause")
        point("the whole run comes at last", view.until(tab + ".textContent === 'profile: the whole run'", 600))
        view.until("document.querySelector('#view-follow .at') !== null")
        state = life.press("last")
        point("and has more steps", state["number"] == state["of"] > ends[-1], ends, state)
        walk("the same backwards and forwards", "back", "forward")
        life.press("first")
        walk("the same forwards and backwards", "forward", "back")
        errors = [e for e in page.errors() if "net::ERR_" not in e]
        point("no error", not errors, *errors)


def findings(port, root, path):
    with Page("http://127.0.0.1:%d%s" % (port, root)) as page:
        view = View(page, None)
        text = lambda: page.texts("#live-finding")[0]
        view.state("paused")
        # A report that came already has nothing to tell.
        none = "No findings yet.", "So far: No problem stands out: 0 misses cost 0.0 us."
        point("before the machine runs there are no findings", text() in none, text())
        view.click("live-pause")
        point("findings come while the machine runs", view.until("document.getElementById('live-finding').textContent.startsWith('So far: ')"), text())
        point("and are a tab of their own", view.until("document.querySelectorAll('#inputs button').length === 2"), page.texts("#inputs button"))
        page.js("document.querySelectorAll('#inputs button')[1].click()")
        point("which says what is wrong", view.until("document.querySelector('#view-problems .headline') !== null"))
        point("the last findings are those of the whole run",
              view.until("document.querySelectorAll('#inputs button')[1].textContent === 'profile: the whole run'", 600), text())
        point("the tab says the same", page.texts(".headline")[-1] == text(), page.texts(".headline"))
        with open(path, "w", encoding="utf-8") as f:
            f.write(text() + "\n")
        errors = [e for e in page.errors() if "net::ERR_" not in e]
        point("no error", not errors, *errors)


def killed(port, root, launcher, where, signal):
    pid, now = viewer(launcher), os.path.join(where, ".now")
    looks = stream(port, root)
    tables = lambda: set(os.listdir(now) if os.path.exists(now) else ()) - {"run.csv", "hops.csv", "machine.dtb"}
    end = time.monotonic() + 120
    while not tables() and time.monotonic() < end:
        time.sleep(0.01)
    point("tables are there for the view", tables(), os.listdir(where))
    os.kill(int(launcher), int(signal))
    while os.path.exists("/proc/" + pid) and time.monotonic() < end:
        time.sleep(0.01)
    looks.close()
    point("the view ends", not os.path.exists("/proc/" + pid))
    point("its tables are gone", not os.path.exists(now), os.listdir(where))


if __name__ == "__main__":
    where = address(sys.argv[2])
    {"crowd": crowd, "read": read, "memory": memory, "hostile": hostile, "browser": browser, "findings": findings, "followed": followed, "killed": killed}[sys.argv[1]](*where, *sys.argv[3:])
    if points.points:
        points.end()
