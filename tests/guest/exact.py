# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the profiler's tools count with the model's ground truth, for t_exact.sh.

    exact.py script                         prints a line for each case: what the guest must do
    exact.py QMP SHARE HOST_TOOLS           runs the cases

Each case is one run of snsar, which writes rows and a trace.  Twice during the
run, a guest program says through a file of the share that it waits.  The
machine is then stopped over QMP, and two things are read from outside: the
Hubs' registers (xp), and the truth, which counts messages by their type and
knows nothing of counters.

  registers   increase between the two stops by exactly the truth's amount
  snsar       its totals before and after a stop enclose the truth's
  metrics     the derived values in snsar's rows and sndump's totals follow from
              the counters by the formulas below, which are written from the thesis
  events      those of the R10000, of kernel and programs on one processor: likewise
  snrun       a program's own misses, write-backs and local ratio
"""
import csv
import json
import os
import subprocess
import sys
import time

RTC_NS = 800
HUB_CYCLES = 72  # in a tick of the real-time counter: ricotta's Hubs have 90 MHz
CLOCKS = 40  # of a link, likewise
ESTIMATE = 0.05  # of a port's counts when its histogram was halved: the tool says so


# What each counter counts, in the truth's terms: thesis 5.2, 5.3.2, 5.3.3, include/regs/ev_*.h.inc.
def sent(*types):
    return lambda n: sum(n["md_sent"].get(t, 0) for t in types)


def recv(*types):
    return lambda n: sum(n["md_recv"].get(t, 0) for t in types)


def cell(key, i=None):
    return lambda n: n[key] if i is None else n[key][i]


def also(f, *keys):
    return lambda n: f(n) + sum(n[k] for k in keys)


def memory_uses(n):
    """Messages that read or write memory: replies with data, speculative ones too, write-backs, sharing write-backs."""
    return sent("SRPLY", "ERPLY", "PRPLY", "SSPEC", "ESPEC", "BRDSH", "BRDEX", "WBACK", "WBBAK")(n) + recv("SHWB")(n)


# Hub cycles of an occupation: thesis 4.10 (memory), qemu-origin/engine/parts/timing.h.inc; refresh: thesis 5.3.2.
MEM_CYCLES, DIR_CYCLES, OTHER_CYCLES, REFRESH = 20, 4, 6, (1024, 19)


def mem_cycles(n):
    return MEM_CYCLES * (memory_uses(n) + n["fetchop"] - n["fetchop_hit"])


def dir_cycles(n):
    return DIR_CYCLES * (sum(n["md_recv"].values()) - memory_uses(n))


def other_cycles(n):
    return OTHER_CYCLES * (n["uncached"] + n["fetchop"])


MD = [
    ("mdidle mdblock mdrefr mddir mdmem mdother", [None, lambda n: 0, None, dir_cycles, mem_cycles, other_cycles]),
    ("outdata outwback outivn outboff outnack outother", [
        sent("SRPLY", "ERPLY", "PRPLY", "SSPEC", "ESPEC", "SRESP", "ERESP"), sent("WBACK", "WBBAK"),
        sent("INVAL", "IRDSH", "IRDEX"), sent("BINV", "BRDSH", "BRDEX"), sent("NACK"),
        also(sent("UPACK", "WIACK", "PERR", "PRESP"), "uncached", "fetchop")]),
    ("ivnshrd ivnexcl ivninval boffshrd boffexcl boffinval", [
        sent("IRDSH"), sent("IRDEX"), sent("INVAL"), sent("BRDSH"), sent("BRDEX"), sent("BINV")]),
    ("inread inwrite inrev inother infop fophit", [
        recv("READ", "RDSH", "RDEX", "UPGRD", "RSHU", "PRDX"), recv("WB", "WBP", "WINV"),
        recv("SHWB", "DNGRD", "XFER"), cell("uncached"), cell("fetchop"), cell("fetchop_hit")]),
    ("rduown rdshrd rdexclme rdexcl rdbusy rdpois", [cell("read_state", i) for i in range(6)]),
    ("lp0read lp0wback lp1read lp1wback lioread liowinv", [cell("local", i) for i in range(6)]),
]
IO = {  # name: selection, which of the truth's "ii"
    "xbowtx": (0xf0, 0), "xbowrx": (0x0f, 1), "xbowtxd": (0x1f, 2), "xbowrxd": (0xf1, 3),
    "xbartx": (0xf2, 4), "xbarrx": (0x2f, 5), "xbartxd": (0x3f, 6), "xbarrxd": (0xf3, 7),
}


def unseen(p):
    """Micropackets of vector operations in each direction; no histogram counts them."""
    return p["vectors"] + sum(p["vectors_through"])


def damq(vc):
    less = {2: lambda p: p["vectors"] + p["vectors_through"][0], 3: lambda p: p["vectors_through"][1]}.get(vc, lambda p: 0)
    return lambda p: p["recv"][vc] - less(p)


LINK = {
    "util": ("bypasscnt recvcnt sendcnt clkcnt", "send recv bypass", [
        cell("bypass"), lambda p: sum(p["recv"]) - unseen(p), lambda p: sum(p["sent"]) - unseen(p), None]),
    "age": ("age0 age64 age128 age192", "faged", [cell("packets")] + 3 * [lambda p: 0]),
}
for vc in range(4):
    LINK["vc%d" % vc] = ("damq0 damq1 damq8 damq15", "fdamq", [damq(vc)] + 3 * [lambda p: 0])

# name: MD mode, its derived metrics, I/O selection, link mode, all ports or the nodes' own links
CASES = {
    "activity": (0, "mem mdbusy", "xbowtx", "util", True),
    "out": (1, "out boff nack ivndata", "xbowrx", "util", False),
    "ivn": (2, "ivn fboffinv", "xbowtxd", "age", True),
    "in": (3, "in ffophit", "xbowrxd", "age", False),
    "rd": (4, "rd fuown fshrd fexcl", "xbartx", "vc0", True),
    "local": (5, "lp0 lp1 lio", "xbarrx", "vc1", True),
    "local2": (5, "lp0", "xbartxd", "vc2", True),
    "out2": (1, "out", "xbarrxd", "vc3", True),
}
EVENTS = [(4, 20), (5, 22), (7, 25), (8, 26), (9, 27), (10, 28), (11, 29), (12, 30), (13, 31)]  # that the engine counts
SC_ELSEWHERE = {4: 16, 5: 16}  # store conditionals that an interrupt kept from memory: the processor knows of them, the model does not
EVENT_CPU = (3, 1)  # node, slice
LONE, OTHER = 2, 5  # nodes


def total(names):
    return lambda r: sum(r[n] for n in names.split())


def percent(a, b):
    a, b = (total(x) if isinstance(x, str) else x for x in (a, b))
    return lambda r: 100 * a(r) / b(r) if b(r) else None


BUSY = "mdblock mdrefr mddir mdmem mdother"
FORMULA = {
    "mdbusy": total(BUSY), "mem": percent(BUSY, "mdidle " + BUSY),
    "out": total(MD[1][0]), "boff": percent("outboff", "outivn outboff"), "nack": percent("outnack", MD[1][0]),
    "ivndata": percent("outivn outboff", "outdata"),
    "ivn": total(MD[2][0]), "fboffinv": percent("boffinval", "ivninval boffinval"),
    "in": total("inread inwrite inrev inother infop"), "ffophit": percent("fophit", "infop"),
    "rd": total(MD[4][0]), "fuown": percent("rduown rdexclme", MD[4][0]), "fshrd": percent("rdshrd", MD[4][0]),
    "fexcl": percent("rdexcl", MD[4][0]),
    "lp0": total("lp0read lp0wback"), "lp1": total("lp1read lp1wback"), "lio": total("lioread liowinv"),
    "nout": percent("recvcnt", "clkcnt"), "nin": percent("sendcnt", "clkcnt"),
    "send": percent("sendcnt", "clkcnt"), "recv": percent("recvcnt", "clkcnt"), "bypass": percent("bypasscnt", "recvcnt"),
    "fdamq": percent("damq1 damq8 damq15", "damq0 damq1 damq8 damq15"),
    "faged": percent("age64 age128 age192", "age0 age64 age128 age192"),
    "tread": total("rsmisss"), "twback": lambda r: r["rsqwwb"] / 8, "tsysad": lambda r: 128 * (r["rsmisss"] + r["rsqwwb"] / 8),
}


def metrics(case):
    mode, derived, io, link, ports = CASES[case]
    names = [MD[mode][0], derived, io, LINK[link][0], LINK[link][1]]
    if link == "util" and not ports:
        names.append("nout nin")
    return " ".join(names).split()


def script():
    for case in CASES:
        link, ports = CASES[case][3:]
        print("snsar %s -n all%s%s%s" % (case, " -p all" if ports else "", " --vc " + link[2] if link.startswith("vc") else "",
                                         "".join(" --" + m for m in metrics(case))))
    print("events %d %d%s" % (EVENT_CPU + ("".join(" %d,%d" % e for e in EVENTS),)))
    print("lone %d %d" % (LONE, OTHER))


def point(ok, what, *details):
    print("%sok - %s" % ("" if ok else "not ", what))
    for d in [] if ok else details[:8]:
        print("# " + d)
    sys.stdout.flush()


def log_of_lfsr():
    """How often the II's register was clocked since its first state (include/regs/lfsr.h)."""
    log, s = {}, 1
    for i in range((1 << 20) - 1):
        log[s] = i
        s = (s << 1 | ((s >> 19 ^ s >> 2) & 1)) & 0xfffff
    return log


class Shot:
    """All values that can be read while the machine is stopped."""

    def __init__(self):
        machine.command("stop")
        truth = json.loads(machine.get("truth"))
        self.nodes = {n["node"]: n for n in truth["nodes"]}
        self.cpus = {c["cpu"]: c for c in truth["cpus"]}
        self.ports = {(r["router"], i + 1): p for r in truth["routers"] for i, p in enumerate(r["ports"]) if p}
        self.md = {n: registers(n, 0x210000, 1) + registers(n, 0x210010, 6) for n in self.nodes}
        self.io = {n: registers(n, 0x430000, 2) for n in self.nodes}
        self.rtc = registers(0, 0x30100, 1)[0]
        machine.command("cont")


def registers(nasid, offset, n):
    """n 64-bit registers of a Hub, big endian."""
    at = 2 << 40 | nasid << 32 | 0x1800000 + offset
    text = machine.hmp("xp /%dgx 0x%x" % (n, at))
    return [int(w, 16) for line in text.split("\n") if ":" in line for w in line.split(":")[1].split()]


def wait(name):
    for _ in range(9000):
        if os.path.exists(os.path.join(share, name)):
            return
        time.sleep(0.02)
    sys.exit("the guest did not make " + name)


def shots(name):
    out = []
    for k in "ab":
        wait("ready.%s.%s" % (name, k))
        out.append(Shot())
        open(os.path.join(share, "go.%s.%s" % (name, k)), "w").close()
    return out


def tool(name, *args):
    return subprocess.run([os.path.join(tools, name)] + list(args), check=True, capture_output=True, text=True).stdout


class Trace:
    """Objects by number: name, columns, samples [(register of the clock, values)]."""

    def __init__(self, *paths):
        self.objects = {}
        for path in paths:
            for line in tool("sninfo", "--records", path).split("\n"):
                w = line.replace(":", " : ").split()
                if len(w) > 3 and w[2] == "OBJECT":
                    head, cols = line.rsplit(": ", 1)
                    self.objects[path, int(w[3])] = (head.split()[-1], cols.split(), [])
                elif len(w) > 3 and w[2] == "SAMPLE":
                    i = w.index("time")
                    at = (int(w[i + 1]) - clock[0]) / RTC_NS + clock[1]
                    self.objects[path, int(w[3])][2].append((at, [int(v) for v in w[i + 3:]], int(w[w.index("flags") + 1], 16)))


def enclosed(samples, col, t0, t1):
    """The least and the most by which the column may have grown between two times, and whether a halved histogram is part of it.  None
    if there are no samples before and after both times.  A sample's time is taken before its registers are read, and an interrupt may come
    between.  So a sample has surely been read by a time only if the object's next sample is not later than that time."""
    after = [next((i for i, s in enumerate(samples) if s[0] > t + 2), None) for t in (t0, t1)]
    before = [next((i for i in range(len(samples) - 2, -1, -1) if samples[i + 1][0] < t - 2), None) for t in (t0, t1)]
    if None in after + before:
        return None
    a0, a1, b0, b1 = (samples[i][1][col] for i in after + before)
    return b1 - a0, a1 - b0, any(s[2] & 1 for s in samples[before[0] + 1:after[1] + 1])


def wanted(name, f, a, b, ticks):
    """The least and the most, by the truth."""
    if f:
        return (f(b) - f(a),) * 2
    if name == "clkcnt":
        return (ticks - 1) * CLOCKS, (ticks + 1) * CLOCKS
    cycles = [(ticks + k) * HUB_CYCLES for k in (-1, 1)]
    refresh = [c * REFRESH[1] // REFRESH[0] + k * REFRESH[1] for c, k in zip(cycles, (-1, 1))]
    if name == "mdrefr":
        return tuple(refresh)
    other = sum(g(b) - g(a) for g in (dir_cycles, mem_cycles, other_cycles))
    return cycles[0] - refresh[1] - other, cycles[1] - refresh[0] - other  # mdidle


def registers_point(case, a, b):
    mode, _, io, _, _ = CASES[case]
    names, truth = MD[mode]
    bad = ["n%d selects %#x" % (n, s.md[n][0]) for s in (a, b) for n in s.nodes if s.md[n][0] != 8 | mode]
    bad += ["n%d: I/O selects %#x" % (n, s.io[n][0]) for s in (a, b) for n in s.nodes if s.io[n][0] & 0xff != IO[io][0]]
    point(not bad, "%s: all Hubs count what was asked for" % case, *bad)
    bad, ticks = [], b.rtc - a.rtc
    for n in a.nodes:
        for i, name in enumerate(names.split()):
            lo, hi = wanted(name, truth[i], a.nodes[n], b.nodes[n], ticks)
            got = (b.md[n][1 + i] - a.md[n][1 + i] - lo) % (1 << 20)
            if got > hi - lo:
                bad.append("n%d %s: register %d above the truth, %d to %d" % (n, name, got, lo, hi))
            seen[name] = seen.get(name, 0) + hi
        lo = b.nodes[n]["ii"][IO[io][1]] - a.nodes[n]["ii"][IO[io][1]]
        got = (lfsr[b.io[n][1]] - lfsr[a.io[n][1]]) % 0xfffff
        if got != lo % 0xfffff:
            bad.append("n%d %s: register %d, truth %d" % (n, io, got, lo))
        seen[io] = seen.get(io, 0) + lo
    point(not bad, "%s: registers' increase is the truth's" % case, *bad)


def totals_point(case, trace, a, b):
    mode, _, io, link, _ = CASES[case]
    names, ticks = {}, b.rtc - a.rtc
    bad, slack, estimates, most = [], 0, 0, 0
    for i, name in enumerate(MD[mode][0].split()):
        names[name] = MD[mode][1][i]
    names[io] = cell("ii", IO[io][1])
    link_names = dict(zip(LINK[link][0].split(), LINK[link][2]))
    for path, cols, samples in trace.objects.values():
        router, _, port = path.rpartition(":")
        key = (router_of[router], int(port)) if router else None
        nasid = None if key else node_of[path]
        own = next((k for k, p in a.ports.items() if p.get("node") == nasid), None) if nasid is not None else key
        for col, name in enumerate(cols):
            if name in link_names:
                lo, hi = wanted(name, link_names[name], a.ports[own], b.ports[own], ticks)
                seen[link + name] = seen.get(link + name, 0) + hi
            else:
                lo, hi = wanted(name, names[name], a.nodes[nasid], b.nodes[nasid], ticks)
            got = enclosed(samples, col, a.rtc, b.rtc)
            if not got:
                bad.append("%s: no samples around the stops (%d in all)" % (path, len(samples)))
                break
            if name in link_names and name != "clkcnt":
                most = max([most] + [t[1][col] - s[1][col] for s, t in zip(samples, samples[1:])])
            if name not in ("mdidle", "mdrefr", "clkcnt"):
                slack = max(slack, got[1] - got[0])
            off = hi * ESTIMATE if got[2] else 0
            if got[0] > hi + off or got[1] < lo - off:
                bad.append("%s %s: snsar %d to %d, truth %d to %d" % ((path, name) + got[:2] + (lo, hi)))
        estimates += sum(f & 1 for _, _, f in samples)
    point(not bad and len(trace.objects) == len(a.nodes) + (len(a.ports) if CASES[case][4] else 0),
          "%s: snsar's totals of %d objects are the truth's" % (case, len(trace.objects)), *bad)
    print("# %s: at most %d events within the ticks around the stops, %d in a port's sample, %d estimates" % (case, slack, most, estimates))


def number(text):
    return None if text in ("", "-", None) else float(text)


def derived_point(what, rows):
    """The metrics of rows {name: text} must be what FORMULA computes from the counters in the same row."""
    bad, n = [], {}
    for row in rows:
        v = {k: number(t) for k, t in row.items() if k not in ("time", "end", "loc", "pc")}
        for name, got in v.items():
            if name not in FORMULA:
                continue
            try:
                want = FORMULA[name](v)
            except (KeyError, TypeError):  # not of this kind of object
                want = None
            if (got is None) != (want is None) or (got is not None and abs(got - want) > 0.00051 + abs(want) * 1e-9):
                bad.append("%s %s: %s, by hand %s" % (row["loc"], name, got, want))
            n[name] = n.get(name, 0) + (got is not None)
    never = [k for k in n if not n[k]]
    point(not bad and n and not never, "%s: %s" % (what, ", ".join(sorted(n))), "never a value: %s" % never, *bad)


def snsar_case(case):
    a, b = shots(case)
    wait("done." + case)
    path = os.path.join(share, "trace." + case)
    registers_point(case, a, b)
    totals_point(case, Trace(path), a, b)
    with open(os.path.join(share, "rows." + case)) as f:
        derived_point("%s: snsar's rows by hand" % case, list(csv.DictReader(f)))
    derived_point("%s: sndump's totals by hand" % case, list(csv.DictReader(tool("sndump", "--csv", "--total", path).split("\n"))))


def events_case():
    stops = {first: shots("events%d" % first) for first, _ in EVENTS}
    wait("done.events")
    bad, slack, cpu = [], 0, nasids[EVENT_CPU[0]] * 2 + EVENT_CPU[1]
    with open(os.path.join(share, "events")) as f:
        got = {int(w[0]): [int(v) for v in w[1:]] for w in map(str.split, f)}
    for pair in EVENTS:
        a, b = stops[pair[0]]
        for e in pair:
            want = b.cpus[cpu]["events"][e] - a.cpus[cpu]["events"][e]
            v = got.get(e, [0] * 4)
            slack = max(slack, v[3] - v[0] - (v[2] - v[1]))
            if not v[2] - v[1] <= want + SC_ELSEWHERE.get(e, 0) or want > v[3] - v[0]:
                bad.append("event %d: perf %d to %d, truth %d" % (e, v[2] - v[1], v[3] - v[0], want))
            print("# event %d: %d" % (e, want))
            seen["event%d" % e] = want
    point(not bad and len(got) == 2 * len(EVENTS), "R10000: %d events are the truth's" % len(got), *bad)
    print("# R10000: at most %d events between reading and stop" % slack)


def lone_case():
    a, b = shots("lone")
    wait("done.lone")
    files = sorted(os.path.join(share, f) for f in os.listdir(share) if f.startswith("lone.snp") or f == "lone")
    cpu = nasids[LONE] * 2
    cpu = cpu if cpu in a.cpus else cpu + 1
    trace = Trace(*files)
    thread = max((o for o in trace.objects.values() if "rsmisss" in o[1] and o[2]), key=lambda o: o[2][-1][1][o[1].index("rsmisss")])
    d = {k: b.cpus[cpu]["events"][k] - a.cpus[cpu]["events"][k] for k in (7, 26)}
    for name, want in (("rsmisss", d[26]), ("rsqwwb", d[7])):
        got = enclosed(thread[2], thread[1].index(name), a.rtc, b.rtc)
        # The thread's are its own, the truth's the processor's: the kernel's part is the bound.
        point(got and want > 100000 and got[0] <= want <= got[1] * 1.003, "snrun: %s is the truth's within 0.3 %%" % name, "%s, truth %d" % (got, want))

    def flow(key):
        return sum(b.cpus[cpu]["transactions"][k][key] - a.cpus[cpu]["transactions"][k][key] for k in a.cpus[cpu]["transactions"] if k != "upgrade")
    here, there = flow("local"), flow("remote")
    wb = [b.cpus[cpu]["writeback_" + k] - a.cpus[cpu]["writeback_" + k] for k in ("local", "remote")]
    rows = list(csv.DictReader(tool("sndump", "--csv", "--symbols", share, "--pc", "--local", "--alocal", "--tread", "--twback", "--sysad", "--tsysad",
                                    "--rsmisss", "--rsqwwb", *files).split("\n")))
    loc = next(r["loc"] for r in rows if r["pc"].startswith("lone_work"))
    rows = [r for r in rows if r["loc"] == loc]
    at = [i for i, r in enumerate(rows) if r["pc"].startswith("lone_work")]
    at = [i for i in at if i - 1 in at and number(rows[i]["rsmisss"])]  # wholly within, not where it waited for its processor
    row = [{k: number(t) for k, t in rows[i].items() if k not in ("loc", "pc")} for i in at]
    reads, all_ = sum(r["tread"] for r in row), sum(r["tread"] + r["twback"] for r in row)
    for name, got, want in (
            ("local", sum(r["local"] * r["tread"] for r in row) / reads, 100 * here / d[26]),
            ("alocal", sum(r["alocal"] * (r["tread"] + r["twback"]) for r in row) / all_, 100 * (here + wb[0]) / (d[26] + d[7] / 8))):
        # As the metrics have it: all reads at home, of code too, by misses of data. The rows leave out the first and the last interval.
        point(abs(got - want) < 0.4, "sndump: %s is the truth's %.2f %% within 0.4" % (name, want),
              "%.2f; truth: reads %d and %d, write-backs %d and %d; %d rows" % (got, here, there, *wb, len(row)))
    derived_point("snrun: sndump's rows by hand", [rows[i] for i in at])
    bad = ["%s: sysad %s, by hand %.3f" % (r["time"], r["sysad"], w) for r in row
           for w in [100 * r["tsysad"] / (570e6 * (r["end"] - r["time"]))] if abs(r["sysad"] - w) > 0.001 + w * 1e-4]
    point(not bad and len(row) > 10, "sndump: sysad of %d rows by hand" % len(row), *bad)


if sys.argv[1] == "script":
    script()
    sys.exit()

from qmp import Qmp

qmp, share, tools = sys.argv[1:4]
machine = Qmp(qmp)
lfsr = log_of_lfsr()
seen = {}
node_of, router_of = {}, {}  # path: nasid, number in the truth
try:
    wait("clocks")
    pairs = open(os.path.join(share, "clocks")).read().split("\n")
    first = pairs[0].split()
    clock, nasids = (int(first[0]), int(first[1])), [int(n) for n in first[2:]]
    links = [line.split() for line in pairs[1:] if line]
    for path, number_ in (w[1:] for w in links if w[0] == "node"):
        node_of[path] = nasids[int(number_)]
    hung = {(p["node"], i): r["router"] for r in json.loads(machine.get("truth"))["routers"] for i, p in enumerate(r["ports"], 1) if p and "node" in p}
    for _, router, port, to in (w for w in links if w[0] == "port"):
        if to in node_of:
            router_of[router] = hung[node_of[to], int(port)]
    for case in CASES:
        snsar_case(case)
    events_case()
    lone_case()
except BaseException:
    machine.ask("quit")  # the guest waits
    raise
missing = [n for n in ["outdata", "outother", "ivninval", "inread", "inrev", "infop", "fophit", "rdexcl", "lp0read", "mdmem", "mddir", "mdother", "utilrecvcnt", "utilsendcnt", "utilbypasscnt", "ageage0"] +
           ["vc%ddamq0" % v for v in range(4)] + list(IO) + ["event%d" % e for e in (4, 7, 9, 10, 12, 13, 25, 26, 28, 31)] if not seen.get(n)]
point(not missing, "there was enough to count", "nothing seen of " + " ".join(missing))
