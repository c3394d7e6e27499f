# SPDX-License-Identifier: GPL-2.0-or-later
"""Conservation laws of a machine that stands still, over QMP: laws.py SOCKET READY LINE NODE...

SOCKET: QEMU's QMP socket. READY: a file that the guest makes when the machine is to be stopped. LINE: physical address of a line to query.
NODE...: nodes whose reference counters are read one by one through the back door of their memory, as the guest would do.

Prints the answers, then a TAP line for each law with its sums and its source. Equality is exact. Messages and kinds of transactions are
those of docs/protocol.md and docs/engine.md.
"""
import array
import json
import os
import sys
import tempfile
import time

from qmp import Qmp

NODE_SHIFT, HSPEC, BDDIR, BANK = 32, 1, 0xC0000000, 0x20000000  # include/regs/addr.h
REFCNT_SHIFT, REFCNT_MASK = 5, 0x7FFFF  # regs/md_dir.h; standard DIMMs have 11 bits and zeros above
READS = ("READ", "RDSH", "RDEX", "UPGRD", "RSHU", "PRDX")
REQUESTS = READS + ("WB", "WINV", "WBP")
REPLIES = ("SRPLY", "ERPLY", "UPACK", "WIACK", "PRPLY", "SSPEC", "ESPEC", "BRDSH", "BRDEX", "BINV", "WBACK", "WBBAK", "NACK", "PERR", "PRESP")
FORWARDED, ANSWERS, REVISIONS = ("IRDSH", "IRDEX"), ("SRESP", "ERESP", "SACK", "EACK"), ("SHWB", "DNGRD", "XFER")
INTERVENED = ("clean_hit", "clean_miss", "dirty_downgrade", "dirty_transfer")
CHANNELS = ("requests", "replies", "uncached requests", "uncached replies")
# R10000 events (regs/ev_r10k.h.inc)
SC_QUAD_WB, L1I_MISS, L2I_MISS, EXT_IV, EXT_INV, L1D_MISS, L2D_MISS, EXT_IV_HIT, STORE_SHARED = 7, 9, 10, 12, 13, 25, 26, 28, 31

tests = failed = 0


def law(name, left, right):
    global tests, failed
    tests += 1
    failed += left != right
    print("%sok %d - %s: %d%s" % ("" if left == right else "not ", tests, name, left, "" if left == right else ", but %d" % right))


def each(name, rows):
    """Tests one law for every node, CPU, router or link, and names the first that breaks it."""
    rows = list(rows)
    for who, left, right in rows:
        if left != right:
            return law("%s, %s" % (name, who), left, right)
    law("%s, each of %d" % (name, len(rows)), sum(r[1] for r in rows), sum(r[2] for r in rows))


def msg(n, side, *types):
    return sum(n[side].get(x, 0) for x in types)


def total(side, *types):
    return sum(msg(n, side, *types) for n in nodes)


def events(*which):
    return sum(c["events"][e] for c in cpus for e in which)


def tx(kinds=None, node=None, where=("local", "remote")):
    return sum(v[w] for c in cpus if node in (None, c["node"]) for k, v in c["transactions"].items() if kinds is None or k in kinds for w in where)


def ii_tx(kinds=None):
    return sum(v for n in nodes for k, v in n["ii_transactions"].items() if kinds is None or k in kinds)


def ports():
    for r in routers:
        for i, p in enumerate(r["ports"]):
            if p:
                yield "router %d port %d" % (r["router"], i + 1), p


def other_end(p):
    return (nodes[p["node"]]["ni_sent"], nodes[p["node"]]["ni_recv"]) if "node" in p else \
        (routers[p["router"]]["ports"][p["port"] - 1]["sent"], routers[p["router"]]["ports"][p["port"] - 1]["recv"])


def messages():
    """Figure 4.1 of the thesis: each message has one sender and one receiver."""
    for r in REQUESTS:
        law("%s sent by PIs and IIs = received by MDs" % r, total("pi_sent", r), total("md_recv", r))
    for r in REPLIES:
        law("%s sent by MDs = received by PIs and IIs" % r, total("md_sent", r), total("pi_recv", r))
    for r in ANSWERS:
        law("%s sent by owners, or homes for them = received" % r, total("pi_sent", r) + total("md_sent", r), total("pi_recv", r))
    for r in FORWARDED:
        law("%s sent by MDs, or requestors after a backoff = received" % r, total("md_sent", r) + total("pi_sent", r), total("pi_recv", r))
    for r in REVISIONS:
        law("%s sent by owners = received by MDs" % r, total("pi_sent", r), total("md_recv", r))
    law("INVAL made by network interfaces (thesis 3.2.2) = received", sum(n["invalidations"] for n in nodes), total("pi_recv", "INVAL"))
    law("INVAL received = IVACK sent", total("pi_recv", "INVAL"), total("pi_sent", "IVACK"))
    law("IVACK sent = received", total("pi_sent", "IVACK"), total("pi_recv", "IVACK"))
    law("interventions = answers", total("pi_recv", *FORWARDED), total("pi_sent", *ANSWERS))
    law("interventions = revisions", total("pi_recv", *FORWARDED), total("md_recv", *REVISIONS))
    law("modified data shared = SHWB", total("pi_sent", "SRESP"), total("pi_sent", "SHWB"))
    law("requests = first replies", total("md_recv", *REQUESTS), total("md_sent", *(r for r in REPLIES if r not in ("BINV", "PRESP"))))


def processors():
    """Thesis tables 4.2 and 5.1: what a processor's events mean on the bus. The rest of PI and II together is the II's."""
    wb = sum(c["writeback_local"] + c["writeback_remote"] for c in cpus)
    # A WINV is answered at once (WBACK) or, like a partial write (RDEX), ends with the II's own WB.
    winv_owns = total("pi_sent", "WINV") - (total("md_sent", "WBACK", "WBBAK") - total("pi_sent", "WB", "WBP"))
    ii_rdex = total("pi_sent", "WB") - wb - winv_owns
    # Requests that no memory answered: bus errors other than poison. A prefetch beyond the end of memory is one; software does not notice it.
    absent = tx(("bus_error",)) + ii_tx(("bus_error",)) - total("md_sent", "PERR", "PRESP")
    law("R10000 secondary misses + refused = READ + RDSH + RDEX of processors + those of no memory", events(L2I_MISS, L2D_MISS) + total("md_sent", "NACK"),
        total("pi_sent", "READ", "RDSH", "RDEX") - ii_rdex + absent)
    law("R10000 stores to shared lines = UPGRD", events(STORE_SHARED), total("pi_sent", "UPGRD"))
    law("R10000 quadwords written back = 8 a WB", events(SC_QUAD_WB), 8 * wb)
    law("transactions of processors = misses + upgrades", tx(), events(L2I_MISS, L2D_MISS, STORE_SHARED))
    law("transactions of IIs = RSHU + WINV + PRDX + RDEX", ii_tx(), total("pi_sent", "RSHU", "WINV", "PRDX") + ii_rdex)
    each("transactions = latency histogram", (("CPU %d" % c["cpu"], sum(v[w] for v in c["transactions"].values() for w in ("local", "remote")),
                                               sum(c["latency_hist"])) for c in cpus))
    law("R10000 external interventions = IRDSH + IRDEX received", events(EXT_IV), total("pi_recv", *FORWARDED))
    law("R10000 external interventions = transactions with one", events(EXT_IV), tx(INTERVENED) + ii_tx(INTERVENED))
    law("R10000 external intervention hits = transactions that found a copy", events(EXT_IV_HIT),
        tx(INTERVENED) + ii_tx(INTERVENED) - tx(("clean_miss",)) - ii_tx(("clean_miss",)))
    law("dirty transactions = answers with data", tx(("dirty_downgrade", "dirty_transfer")) + ii_tx(("dirty_downgrade", "dirty_transfer")),
        total("pi_sent", "SRESP", "ERESP"))


def memories():
    """Thesis 5.3.2 (MD modes 3, 4, 5) and 3.2.2, refcnt(5): what a memory counts of a request."""
    node = lambda n: "node %d" % n["node"]
    each("MD reads = reference counts", ((node(n), msg(n, "md_recv", *READS), n["refcnt"]) for n in nodes))
    each("MD reads = reads by directory state", ((node(n), msg(n, "md_recv", *READS), sum(n["read_state"])) for n in nodes))
    each("local reads of processors at the MD = their local transactions but upgrades",
         ((node(n), n["local"][0] + n["local"][2], tx(node=n["node"], where=("local",)) - tx(("upgrade",), n["node"], ("local",))) for n in nodes))
    each("local write-backs at the MD = processors' local ones", ((node(n), n["local"][1] + n["local"][3], sum(
        c["writeback_local"] for c in cpus if c["node"] == n["node"])) for n in nodes))


def fabric():
    """Thesis 3.2.3, 5.2.3: micropackets by virtual channel. A vector operation to a router is answered there."""
    ended = sum(p["vectors"] for _, p in ports())
    for vc, name in enumerate(CHANNELS):
        if routers:
            each("%s into a router = out of it" % name, (("router %d" % r["router"], sum(p["recv"][vc] + (vc == 3) * p["vectors"] for p in r["ports"] if p), sum(
                p["sent"][vc] + (vc == 2) * p["vectors"] for p in r["ports"] if p)) for r in routers))
            each("%s out of an end of a link = into the other" % name, ((who, p["sent"][vc], other_end(p)[1][vc]) for who, p in ports()))
            each("%s into an end of a link = out of the other" % name, ((who, p["recv"][vc], other_end(p)[0][vc]) for who, p in ports()))
        law("%s sent by all nodes = received" % name, sum(n["ni_sent"][vc] for n in nodes) + (vc == 3) * ended,
            sum(n["ni_recv"][vc] for n in nodes) + (vc == 2) * ended)


def registers(which):
    """Reference counters as the back door shows them (hubmd.h: 1 KB a page of 4 KB, the first 64 words are the counters)."""
    for number in which:
        n, held = nodes[number], 0
        for bank in (0, 1):
            with tempfile.NamedTemporaryFile() as file:
                qmp.command("pmemsave", val=HSPEC << 40 | number << NODE_SHIFT | BDDIR + bank * BANK // 4, size=128 << 18, filename=file.name)
                words = array.array("Q", file.read())
            if sys.byteorder == "little":
                words.byteswap()
            pages = memoryview(words)
            held += sum(w >> REFCNT_SHIFT & REFCNT_MASK for page in range(0, len(pages), 128) for w in pages[page:page + len(nodes)])
        law("node %d: counters read through the back door = MD reads - pegged + written by the guest" % number, held,
            msg(n, "md_recv", *READS) - n["refcnt_pegged"] + n["refcnt_written"])


qmp = Qmp(sys.argv[1])
for _ in range(18000):
    if os.path.exists(sys.argv[2]):
        break
    time.sleep(0.1)
else:
    sys.exit("the guest was not ready in half an hour")
qmp.command("stop")
print("# invariants", qmp.get("invariants"))
truth = json.loads(qmp.get("truth"))
cpus, nodes, routers = truth["cpus"], truth["nodes"], truth["routers"]
print("# cpus", len(cpus))
print("# nodes", len(nodes))
qmp.command("qom-set", path="/machine", property="line-address", value=int(sys.argv[3], 0))
print("# line", json.dumps(json.loads(qmp.get("line")), sort_keys=True))
qmp.command("qom-set", path="/machine", property="line-address", value=0xFF00000000)
print("# absent", "error" in qmp.ask("qom-get", path="/machine", property="line"))
messages()
processors()
memories()
fabric()
registers([int(a) for a in sys.argv[4:]])
print("# broken %d of %d" % (failed, tests))
qmp.command("cont")
