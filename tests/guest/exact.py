# SPDX-License-Identifier: GPL-2.0-or-later
"""snsar's counters against the model's ground truth, for t_exact.sh.

    exact.py QMP SHARE SNINFO MODE...

For each mode the guest starts snsar on all nodes, which writes a trace, and
twice says through a file of the share that it waits.  The machine is then
stopped over QMP: the Hubs' counter registers are read from outside (xp), and
the truth, which counts messages by their type and knows no counters.

  registers   their increase between the two stops is the truth's, exactly
  snsar       its totals before and after a stop enclose the truth's
"""
import json, os, subprocess, sys, time

from qmp import Qmp

qmp, share, sninfo = sys.argv[1:4]

# What each counter counts, in the truth's terms: thesis 5.3.2, include/regs/ev_md.h.inc.
def sent(*types): return lambda n: sum(n["md_sent"].get(t, 0) for t in types)
def recv(*types): return lambda n: sum(n["md_recv"].get(t, 0) for t in types)
def cell(key, i): return lambda n: n[key][i]
def also(f, *keys): return lambda n: f(n) + sum(n[k] for k in keys)

MODES = {
    "out": (1, "outdata outwback outivn outboff outnack outother", [
        sent("SRPLY", "ERPLY", "PRPLY", "SSPEC", "ESPEC", "SRESP", "ERESP"), sent("WBACK", "WBBAK"),
        sent("INVAL", "IRDSH", "IRDEX"), sent("BINV", "BRDSH", "BRDEX"), sent("NACK"),
        also(sent("UPACK", "WIACK", "PERR", "PRESP"), "uncached", "fetchop")]),
    "ivn": (2, "ivnshrd ivnexcl ivninval boffshrd boffexcl boffinval", [
        sent("IRDSH"), sent("IRDEX"), sent("INVAL"), sent("BRDSH"), sent("BRDEX"), sent("BINV")]),
    "in": (3, "inread inwrite inrev inother infop fophit", [
        recv("READ", "RDSH", "RDEX", "UPGRD", "RSHU", "PRDX"), recv("WB", "WBP", "WINV"),
        recv("SHWB", "DNGRD", "XFER"), also(recv(), "uncached"), also(recv(), "fetchop"),
        also(recv(), "fetchop_hit")]),
    "rd": (4, "rduown rdshrd rdexclme rdexcl rdbusy rdpois", [cell("read_state", i) for i in range(6)]),
    "lp0": (5, "lp0read lp0wback lp1read lp1wback lioread liowinv", [cell("local", i) for i in range(6)]),
}

machine = Qmp(qmp)

def registers(nasid, offset, n):
    """n 64-bit registers of a Hub, big endian."""
    at = 2 << 40 | nasid << 32 | 0x1800000 + offset
    text = machine.hmp("xp /%dgx 0x%x" % (n, at))
    return [int(w, 16) for line in text.split("\n") if ":" in line for w in line.split(":")[1].split()]

def snapshot(mode):
    machine.command("stop")
    truth = json.loads(machine.get("truth"))
    nodes = {n["node"]: n for n in truth["nodes"]}
    regs = {n: registers(n, 0x210000 + 16, 6) for n in nodes}
    sel = {n: registers(n, 0x210000, 1)[0] for n in nodes}
    rtc = registers(0, 0x30100, 1)[0]
    machine.command("cont")
    return nodes, regs, sel, rtc

def wait(name):
    for _ in range(1200):
        if os.path.exists(os.path.join(share, name)):
            return
        time.sleep(0.05)
    sys.exit("the guest did not make " + name)

def go(name):
    open(os.path.join(share, name), "w").close()

def samples(path, clock):
    """node: [(register of the clock, totals)], in order of time."""
    out = {}
    text = subprocess.run([sninfo, "--records", path], check=True, capture_output=True, text=True).stdout
    for line in text.split("\n"):
        w = line.split()
        if "flags" in w and "time" in w:
            i = w.index("flags")
            t = int(w[w.index("time") + 1].rstrip(":"))
            out.setdefault(int(w[i - 1]), []).append(((t - clock[0]) / 800 + clock[1],
                                                      [int(v) for v in w[w.index("time") + 2:]]))
    return out

def point(ok, what):
    print("%sok - %s" % ("" if ok else "not ", what), flush=True)

wait("clocks")
pairs = open(os.path.join(share, "clocks")).read().split()
clock = int(pairs[0]), int(pairs[1])
nasids = [int(n) for n in pairs[2:]]
seen = {}
for mode in sys.argv[4:]:
    number, names, truth = MODES[mode]
    shots = []
    for k in "ab":
        wait("ready.%s.%s" % (mode, k))
        shots.append(snapshot(mode))
        go("go.%s.%s" % (mode, k))
    wait("done." + mode)
    (n0, r0, s0, t0), (n1, r1, s1, t1) = shots
    point(all(s == 8 | number for s in list(s0.values()) + list(s1.values())), "%s: all Hubs count in mode %d" % (mode, number))
    wrong, events = [], [0] * 6
    for n in n0:
        for i, name in enumerate(names.split()):
            want = truth[i](n1[n]) - truth[i](n0[n])
            events[i] += want
            if (r1[n][i] - r0[n][i] - want) % (1 << 20):
                wrong.append("n%d %s: register %d, truth %d" % (n, name, (r1[n][i] - r0[n][i]) % (1 << 20), want))
    point(not wrong, "%s: registers' increase is the truth's" % mode)
    for w in wrong[:8]:
        print("# " + w)
    print("# %s: %s" % (mode, ", ".join("%s %d" % (n, e) for n, e in zip(names.split(), events))))
    got, wrong, slack = samples(os.path.join(share, "trace." + mode), clock), [], 0
    for k, node in enumerate(nasids):
        at = got.get(k + 1, [])
        b0 = [s for t, s in at if t < t0 - 2][-1:]
        a0 = [s for t, s in at if t > t0 + 2][:1]
        b1 = [s for t, s in at if t < t1 - 2][-1:]
        a1 = [s for t, s in at if t > t1 + 2][:1]
        if not (b0 and a0 and b1 and a1):
            wrong.append("n%d: no samples around the stops (%d in all)" % (k, len(at)))
            continue
        for i, name in enumerate(names.split()):
            want = truth[i](n1[node]) - truth[i](n0[node])
            lo, hi = b1[0][i] - a0[0][i], a1[0][i] - b0[0][i]
            slack = max(slack, hi - lo)
            if not lo <= want <= hi:
                wrong.append("n%d %s: snsar %d to %d, truth %d" % (k, name, lo, hi, want))
    point(not wrong, "%s: snsar's totals are the truth's" % mode)
    for w in wrong[:8]:
        print("# " + w)
    print("# %s: at most %d events within the ticks around the stops" % (mode, slack))
    for n, e in zip(names.split(), events):
        seen[n] = e
print("# seen " + " ".join(n for n in seen if seen[n]))
