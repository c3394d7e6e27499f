#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives docs/machine.html: machine_page.py PAGE.html NATIVE MACHINES

NATIVE is build/machine/native, MACHINES the folder with the presets' blobs and JSON.
"""
import json
import os
import subprocess
import sys

from selenium.webdriver.common.keys import Keys

from browser import Page, Points

points = Points()
point = points.point
NATIVE, MACHINES = sys.argv[2:4]

# All moments of what was loaded, forwards and then backwards: the states of the line at each, and of the engine behind each access.
BOTH_WAYS = """
const at = () => life.racing ? races.position : past.position, all = life.racing ? races.steps.length : past.total();
const lines = [...new Set([life.line, ...past.steps.flatMap(s => s.moments.map(m => m.pa))])];
const states = () => JSON.stringify(life.racing ? [life.view().state, races.now()] : [life.view().state, life.view().changed.entry, lines.map(past.state)]);
function engineState() {
    if (life.racing) { races.sync(); return races.position; }
    past.sync();
    return String(engine.call('digest'));
}
const there = [], back = [];
for (let p = 0; p <= all; p++) { life.go(p); there.push([states(), engineState(), document.getElementById('moment').textContent]); }
for (let p = all; p >= 0; p--) { life.go(p); back.unshift([states(), engineState(), document.getElementById('moment').textContent]); }
return { moments: all, differ: there.findIndex((s, i) => JSON.stringify(s) !== JSON.stringify(back[i])), distinct: new Set(there.map(s => s[0])).size,
         faults: past.steps.flatMap(s => s.faults) };
"""

# For each message of the shown accesses: time that no part of timing.h.inc and no wait accounts for.
RESTS = """
return past.steps.flatMap((s, i) => { past.go(s.first + s.moments.length);
    return s.moments.filter(m => m.kind === 'message').flatMap(m => words.legs(m.m, s).filter(l => Math.abs(l.rest) > arguments[0]).map(l => `${m.m.type} ${l.name}: ${l.rest} ps`)); });
"""

CALLS = "return { calls: past.steps.map(s => s.call), texts: past.steps.map(s => s.text), time: life.time, seed: life.seed, preset: life.preset }"


def native(preset, lines):
    out = subprocess.run([NATIVE, os.path.join(MACHINES, preset + ".dtb")], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    return out


def same_as_native(page):
    """The answers to the same calls on the host, bit for bit, and the ground truth at the end."""
    p = page.js(CALLS)
    page.js("past.go(Infinity); past.sync(); engine.call('truth')")
    lines = ["new %d %d" % (p["time"], p["seed"])] + ["do %d %d %d %d" % tuple(c) for c in p["calls"]] + ["truth"]
    want = "0 \n" + "".join("0 %s\n" % t for t in p["texts"] + [page.js("return engine.said()")])
    got = native(p["preset"], lines)
    return got == want, next((("page", w, "host", g) for w, g in zip(want.splitlines(), got.splitlines()) if w != g), "lengths differ")


def scenarios(page):
    for name in page.js("return scenarios.all.map(s => s.id)"):
        page.js("life.attempt(() => life.begin(arguments[0]))", name)
        said = page.element("#said").text
        want = page.js("return scenarios.find(arguments[0]).says", name)
        seen = page.js(BOTH_WAYS)
        point(name + ": there and back again are the same states, and no fault", said == want and seen["differ"] == -1 and seen["distinct"] > 1 and not seen["faults"], said, seen)
        if page.js("return life.racing"):
            point(name + ": it ends, and nothing is broken", page.js("races.go(Infinity); const n = races.now(); return !n.broken && !n.flying.length && n.cpus.every(c => c.phase === 'IDLE' && c.wphase === 'IDLE' && !c.again)"),
                  page.js("return races.now()"))
        else:
            good, why = same_as_native(page)
            point(name + ": the host gives the same answers", good, why)
            broken = page.js("past.go(Infinity); past.sync(); try { engine.call('check'); return ''; } catch (e) { return e.message; }")
            point(name + ": the invariants hold at its end", broken == "", broken)
            for model in (0, 1):
                rest = page.js("const s = scenarios.find(arguments[1]); life.loadMachine({ time: arguments[2] }); programs.run(programs.parse(s.text));" + RESTS, 2, name, model)
                point("%s, %s: each nanosecond of a message has its part" % (name, page.js("return life.tables.times[life.time]")), not rest, *rest[:8])


def types_seen(page):
    """The scenarios show what figure 4.1 and docs/protocol.md have. PRESP needs an I/O unit that poisons a line while a processor asks for it."""
    seen = set(page.js("return scenarios.all.flatMap(s => { life.begin(s.id); return life.racing ? races.steps.map(r => r.answer.type) : past.steps.flatMap(p => p.moments.filter(m => m.m).map(m => m.m.type)); })"))
    messages = page.js("return life.tables.messages.map(m => m.name)")
    missing = [m for m in messages if m not in seen]
    point("the scenarios show all messages of the protocol but one", missing == ["PRESP"], missing)


def random_accesses(page, preset, time, steps):
    page.js("life.attempt(() => life.loadMachine({ preset: arguments[0], text: '', time: arguments[1], seed: 7 }))", preset, time)
    fault = page.js("""
        const act = past.act, cpus = life.shape.cpus.map(c => c.cpu);
        let n = 0, fault = '';
        past.act = (...a) => { const s = act(...a); n++; fault = fault || s.faults[0] || ''; if (!fault) { try { engine.call('check'); } catch (e) { fault = `after ${n}: ${e.message}`; } } return s; };
        try { programs.random(arguments[0], 7, [0x10000, 0x10080, 2 ** 32 + 0x10000], cpus); } finally { past.act = act; }
        return fault || (n === arguments[0] ? '' : `${n} accesses`);""", steps)
    what = "%s, %s: " % (preset, page.js("return life.tables.times[life.time]"))
    point(what + "%d random accesses, the invariants hold after each" % steps, fault == "", fault)
    good, why = same_as_native(page)
    point(what + "the host gives the same answers", good, why)
    rest = page.js(RESTS, 2)
    point(what + "each nanosecond of a message has its part", not rest, *rest[:8])
    seen = page.js("""
        const digests = [], back = [], n = past.steps.length;
        for (let i = 0; i <= n; i += 50) { past.go(past.first(i)); past.sync(); digests.push(String(engine.call('digest'))); }
        for (let i = n; i >= 0; i -= 50) { past.go(past.first(i)); past.sync(); back.unshift(String(engine.call('digest'))); }
        return [digests, back];""")
    point(what + "the engine comes back to each state", seen[0] == seen[1] and len(set(seen[0])) == len(seen[0]), seen)


def presets(page):
    for name in sorted(f[:-5] for f in os.listdir(MACHINES) if f.endswith(".json")):
        with open(os.path.join(MACHINES, name + ".json"), encoding="utf-8") as f:
            want = json.load(f)
        page.js("life.attempt(() => life.loadMachine({ preset: arguments[0], text: '', time: 0, seed: 1 }))", name)
        got = page.js("return life.machine")
        point("preset %s: as dtinfo describes it on the host" % name, got == want, page.element("#said").text)
        drawn = [len(page.elements("#racks g.node")), len(page.elements("#racks g.cpu"))]
        point("preset %s: all nodes and processors are drawn" % name, drawn == [len(want["nodes"]), sum(len(n["cpus"]) for n in want["nodes"])], drawn)


def links(page, path):
    page.js("life.begin('rdex-dirty'); life.go(5)")
    state = "return [life.view().state, life.racing ? races.position : past.position, document.getElementById('moment').textContent]"
    want, hash_ = page.js(state), page.js("return link.write()")
    page.browser.get("about:blank")
    page.browser.get("file://" + os.path.abspath(path) + "#" + hash_)
    ready(page)
    point("link: the same moment", page.js(state) == want, page.js(state), want)
    page.js("life.begin('race-writeback'); life.go(6)")
    want, hash_ = page.js(state), page.js("return link.write()")
    page.js("link.read(arguments[0]); life.show()", hash_)
    point("link: the same moment of a race", page.js(state) == want, page.js(state), want)
    page.browser.get("about:blank")
    page.browser.get("file://" + os.path.abspath(path) + "#" + hash_[:-9])
    ready(page)
    point("link: one that was cut is refused in one line, and the page is not blank",
          page.element("#said").text == "The link is not whole: a part of it was cut off or changed." and len(page.elements("#lanes svg")) == 1, page.element("#said").text)


def without_wasm(path):
    """A browser that has no WebAssembly: the page says so."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open("old.html", "w", encoding="utf-8") as f:
        f.write(text.replace("<script>", "<script>delete window.WebAssembly;</script>\n<script>", 1))
    with Page("old.html") as page:
        ready(page)
        said = page.element("#said").text
        point("a browser without WebAssembly: one line says so", said == "This browser cannot run the machine: WebAssembly is not defined", said)


def refused(page):
    page.js("life.begin('rdex-dirty')")
    before = page.js("return [life.preset, past.steps.length, life.machine.nodes.length]")

    def says(name, want, code, *arguments):
        page.js(code, *arguments)
        got = page.element("#said").text
        point("refused: " + name, got == want and page.js("return [life.preset, past.steps.length, life.machine.nodes.length]") == before, got)

    describe = "document.getElementById('description').value = arguments[0]; document.getElementById('describe').click()"
    base = page.js("return engine.data.files['ricotta.dts']")
    says("a description with an error", "The description is not understood: line 3.5-6 syntax error", describe, "/dts-v1/;\n/ {\nfoo;;\n};\n")
    says("a description without a file", 'The description is not understood: Couldn\'t open "none.dtsi": No such file or directory', describe, '/dts-v1/;\n/include/ "none.dtsi"\n')
    says("a machine that is none", "The description is of no machine: /modules/module@2/node@n1: directory: best is not standard or premium", describe,
         base.replace('"standard"', '"best"'))
    program = "document.getElementById('program').value = arguments[0]; document.getElementById('run').click()"
    says("a program: no instruction", "line 3: 'lod' is no instruction: load store ll sc prefetch prefetchx fetch flush wait repeat end if goto", program, "line A node 0\ncpu 0\n lod A\n")
    says("a program: no such line", "line 2: 'B' is no line of memory; 'line B node 0' makes one", program, "cpu 0\n load B\n")
    says("a program: no such processor", "line 1: the machine has no processor 99", program, "cpu 99\n")
    says("a program: no label", "line 3: there is no label x", program, "line A node 0\ncpu 0\n goto x\n")
    says("a program: for ever", "line 3: cpu 0 makes no access any more", program, "line A node 0\ncpu 0\n x: goto x\n")
    says("an address", "'0x1zz' is no address in the memory of a node.", "const o = document.getElementById('offset'); o.value = '0x1zz'; o.onchange()")
    says("memory that is not there", "no node has memory at this address", "life.attempt(() => past.act(0, 0, 2 ** 40 - 128, 0))")


def keys(page):
    page.js("life.begin('read-dirty')")
    body = page.element("body")
    where = lambda: page.js("return [past.position, past.index()]")
    seen = []
    for key in (Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.END):
        body.send_keys(key)
        seen.append(where())
    total = page.js("return past.total()")
    point("keys: moments and accesses", seen == [[0, -1], [1, 0], [3, 0], [2, 0], [total, 1]] or seen[0] == [0, -1] and seen[1] == [1, 0] and seen[4] == [total, 1], seen, total)
    page.element("#racks g.cpu[data-cpu='6']").send_keys(Keys.ENTER)
    body.send_keys("s")
    point("keys: a processor that Enter chose stores", page.js("const s = past.steps[past.steps.length - 1]; return [s.answer.op, s.answer.who]") == ["store", 6])
    past = page.js("return past.steps.length")
    page.js("document.getElementById('own').open = true")
    page.element("#program").send_keys("s")
    point("keys: letters of a program are no accesses", page.js("return past.steps.length") == past)


def ready(page):
    page.browser.set_script_timeout(120)
    page.browser.execute_async_script("const done = arguments[0], wait = () => document.body.dataset.ready ? done() : setTimeout(wait, 20); wait();")


with Page(sys.argv[1]) as the_page:
    ready(the_page)
    point("the page is ready", the_page.js("return document.body.dataset.ready") == "1", the_page.element("#said").text)
    point("its machine runs, and a scenario is shown", the_page.js("return past.steps.length") == 2)
    scenarios(the_page)
    types_seen(the_page)
    random_accesses(the_page, "ricotta", 0, 1000)
    random_accesses(the_page, "ricotta", 1, 1000)
    random_accesses(the_page, "arctic", 1, 200)
    presets(the_page)
    links(the_page, sys.argv[1])
    refused(the_page)
    keys(the_page)
    point("the console is empty", not the_page.errors(), *the_page.errors())
without_wasm(sys.argv[1])
points.end()
