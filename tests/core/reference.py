#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many cycles an iteration of a loop takes on an R10000 or R12000, found by following each instruction through the pipeline, cycle by cycle.

  reference.py [--cpu=r10000|r12000] [--iterations=N] FILE.s ...

The file has one loop in GNU assembly: what stands between `# loop` and `# end`. The last branch goes back to the loop's beginning; its delay slot is
in the loop. The output has a line a file: name, cycles an iteration.

This is the judge of the processor's model, so it takes nothing from it. Its tables are written from the R10000 User's Manual (chapters 1 and 14) and
Yeager, IEEE Micro 16(2), 1996. It reads text and the model reads machine words.

What it follows: four instructions fetched a cycle, within a line of the instruction cache; four decoded, as long as the active list, the queue, the
registers and the branch stack have room; the oldest ready instruction issued to each unit; four graduated, in order.
What it leaves out: misses, mispredicted branches, exceptions, and conflicts within the data cache's banks.
"""
import re
import sys

FETCH = DECODE = GRADUATE = 4
LINE = 16  # instructions in a line of the instruction cache
QUEUE = 16
BRANCHES = 4  # unresolved ones
SPARE = {"int": 64 - 33, "fp": 64 - 32}  # registers of each kind that are free for renaming: Hi and Lo are integer registers, $0 is none
ACTIVE = {"r10000": 32, "r12000": 48}
BUBBLE = {"r10000": 1, "r12000": 0}  # cycles between a taken branch and its target: the R12000 has a cache of targets


class Kind:
    """queue; units that can take it, the preferred one first; latency; cycles for which the unit is busy"""

    def __init__(self, queue, units, latency, busy=1):
        self.queue, self.units, self.latency, self.busy = queue, units, latency, busy


EITHER = Kind("int", ("alu2", "alu1"), 1)
SHIFT = Kind("int", ("alu1",), 1)
BRANCH = Kind("int", ("alu1",), 1)
FADD, FMUL = Kind("fp", ("fadd",), 2), Kind("fp", ("fmul",), 2)


def long_fp(latency, busy, unit):
    kind = Kind("fp", ("fmul",), latency)
    kind.own = (unit, busy)
    return kind


KINDS = {
    "addu addiu daddu daddiu subu dsubu and andi or ori xor xori nor slt slti sltu sltiu lui li move mflo mfhi": EITHER,
    "sll srl sra dsll dsrl dsra dsll32 dsrl32 dsra32 sllv srlv srav dsllv dsrlv dsrav movz movn": SHIFT,
    "beq bne beqz bnez blez bgtz bltz bgez bc1t bc1f jr": BRANCH,
    "lb lbu lh lhu lw lwu ld": Kind("addr", ("mem",), 2),
    "lwc1 ldc1 lwxc1 ldxc1": Kind("addr", ("mem",), 3),
    "sb sh sw sd swc1 sdc1 swxc1 sdxc1 pref": Kind("addr", ("mem",), 1),
    "mult": Kind("int", ("alu2",), 5, 6),
    "multu": Kind("int", ("alu2",), 6, 7),
    "dmult dmultu": Kind("int", ("alu2",), 9, 10),
    "div divu": Kind("int", ("alu2",), 34, 35),
    "ddiv ddivu": Kind("int", ("alu2",), 66, 67),
    "add.s add.d sub.s sub.d abs.s abs.d neg.s neg.d c.lt.d c.le.d c.eq.d c.lt.s cvt.d.s cvt.s.d cvt.d.w cvt.d.l cvt.w.d cvt.l.d trunc.w.d": FADD,
    "cvt.s.w cvt.s.l": Kind("fp", ("fadd",), 4, 2),
    "mul.s mul.d mov.s mov.d": FMUL,
    "madd.d madd.s msub.d msub.s nmadd.d nmsub.d": Kind("fp", ("fmul",), 4),
    "div.s": long_fp(12, 14, "divide"),
    "div.d": long_fp(19, 21, "divide"),
    "sqrt.s": long_fp(18, 20, "root"),
    "sqrt.d": long_fp(33, 35, "root"),
    "rsqrt.s": long_fp(30, 20, "root"),
    "rsqrt.d": long_fp(52, 35, "root"),
    "mtc1 dmtc1": Kind("int", ("alu1",), 3),
    "mfc1 dmfc1": Kind("fp", ("fmul",), 2),
    "nop": Kind(None, (), 0),
    "j": Kind(None, (), 0),
}
KIND = {name: kind for names, kind in KINDS.items() for name in names.split()}
BRANCHES_OF = {name for names, kind in KINDS.items() if kind is BRANCH for name in names.split()} | {"j"}
# Hi is a cycle later than Lo.
HI_LATER = 1


class Insn:
    def __init__(self, line):
        words = re.split(r"[\s,()]+", line.strip().rstrip(")"))
        self.text, self.name = line.strip(), words[0]
        if self.name not in KIND:
            sys.exit(f"reference.py: {self.name}: no such instruction here")
        self.kind = KIND[self.name]
        regs = [w for w in words[1:] if w.startswith("$") and w not in ("$0", "$zero")]
        name = self.name
        self.addend = None
        self.sets, self.reads = [], regs
        if name in ("mult", "multu", "dmult", "dmultu", "div", "divu", "ddiv", "ddivu"):
            self.sets = ["lo", "hi"]
            self.reads = [r for r in regs if words[1] not in ("$0", "$zero")] if len(regs) < 3 else regs[1:]
        elif name in ("mflo", "mfhi"):
            self.sets, self.reads = regs[:1], [name[2:]]
        elif name.startswith("c."):
            self.sets = [r for r in regs if r.startswith("$fcc")] or ["$fcc0"]
            self.reads = [r for r in regs if not r.startswith("$fcc")]
        elif name in ("mtc1", "dmtc1"):
            self.sets, self.reads = regs[1:], regs[:1]
        elif name in ("bc1t", "bc1f"):
            self.reads = regs or ["$fcc0"]
        elif name in BRANCHES_OF or name in ("pref",) or (self.kind.queue == "addr" and name.startswith("s")):
            pass
        else:
            zero = len(words) > 1 and words[1] in ("$0", "$zero")
            self.sets, self.reads = ([], regs) if zero else (regs[:1], regs[1:])
            if name in ("movz", "movn"):
                self.reads = regs
        if name.startswith(("madd", "msub", "nmadd", "nmsub")):
            self.addend = self.reads[0]
        self.branch = name in BRANCHES_OF
        self.store = self.kind.queue == "addr" and name.startswith("s")


class Flight:
    """An instruction under way"""

    def __init__(self, insn, sources, decoded):
        self.insn, self.sources, self.decoded = insn, sources, decoded
        self.issued = None

    def ready_for(self, reader, register):
        """The first cycle in which `reader` can issue if it waits for nothing but this register"""
        if self.issued is None:
            return None
        latency = self.insn.kind.latency
        if register == "hi":
            latency += HI_LATER
        if self.insn.addend and reader.addend == register:
            latency = 2
        return self.issued + latency

    def done(self, now):
        if self.insn.kind.queue is None:
            return True
        return self.issued is not None and self.issued + self.insn.kind.latency <= now


class Pipeline:
    def __init__(self, cpu, loop):
        self.active_max, self.bubble, self.loop = ACTIVE[cpu], BUBBLE[cpu], loop
        self.active, self.waiting, self.last = [], [], {}
        self.busy, self.slots = {}, set()
        self.buffer, self.fetch_at, self.fetch_from = [], 0, None
        self.now, self.ends = 0, []

    def graduate(self):
        for _ in range(GRADUATE):
            if not self.active or self.active[0].decoded >= self.now or not self.active[0].done(self.now):
                return
            flight = self.active.pop(0)
            if flight.insn is self.loop[-1]:
                self.ends.append(self.now)

    def can_issue(self, flight):
        if flight.decoded >= self.now:
            return False
        for register, source in flight.sources:
            ready = source.ready_for(flight.insn, register)
            if ready is None or ready > self.now:
                return False
        return True

    def unit_for(self, insn, taken):
        for unit in insn.kind.units:
            if unit in taken or self.busy.get(unit, 0) > self.now or (unit, self.now) in self.slots:
                continue
            if insn.addend and ("fadd", self.now + 2) in self.slots:
                continue
            own = getattr(insn.kind, "own", None)
            if own and self.busy.get(own[0], 0) > self.now:
                continue
            return unit
        return None

    def issue(self):
        taken = set()
        for flight in list(self.waiting):
            insn = flight.insn
            unit = self.can_issue(flight) and self.unit_for(insn, taken)
            if not unit:
                continue
            taken.add(unit)
            flight.issued = self.now
            self.busy[unit] = self.now + insn.kind.busy
            if insn.addend:
                self.slots.add(("fadd", self.now + 2))  # the adder takes it two cycles later
            if hasattr(insn.kind, "own"):
                self.busy[insn.kind.own[0]] = self.now + insn.kind.own[1]
            self.waiting.remove(flight)

    def room_for(self, insn):
        queue = insn.kind.queue
        if len(self.active) >= self.active_max:
            return False
        # An entry of the address queue is free when its instruction has graduated.
        in_queue = [f for f in (self.active if queue == "addr" else self.waiting) if f.insn.kind.queue == queue]
        if queue and len(in_queue) >= QUEUE:
            return False
        if insn.branch and sum(f.insn.branch and not f.done(self.now) for f in self.active) >= BRANCHES:
            return False
        for register in insn.sets:
            kind = "fp" if register.startswith("$f") and not register.startswith("$fcc") else "int"
            used = sum(r.startswith("$f") == (kind == "fp") for f in self.active for r in f.insn.sets if not r.startswith("$fcc"))
            if not register.startswith("$fcc") and used >= SPARE[kind]:
                return False
        return True

    def decode(self):
        for _ in range(DECODE):
            if not self.buffer or self.buffer[0][1] >= self.now:
                return
            insn = self.buffer[0][0]
            if not self.room_for(insn):
                return
            self.buffer.pop(0)
            flight = Flight(insn, [(r, self.last[r]) for r in insn.reads if r in self.last], self.now)
            for register in insn.sets:
                self.last[register] = flight
            self.active.append(flight)
            if insn.kind.queue:
                self.waiting.append(flight)
            if insn is self.loop[-2]:
                # The branch is decoded: its target is fetched now, or a cycle later, but behind the delay slot.
                self.fetch_from = self.now + self.bubble

    def fetch(self):
        if self.fetch_at == len(self.loop):
            if self.fetch_from is None or self.fetch_from > self.now:
                return
            self.fetch_at, self.fetch_from = 0, None
        for _ in range(FETCH):
            if self.fetch_at == len(self.loop) or len(self.buffer) >= 8:
                return
            self.buffer.append((self.loop[self.fetch_at], self.now))
            self.fetch_at += 1
            if self.fetch_at % LINE == 0:
                return

    def step(self):
        self.graduate()
        self.issue()
        self.decode()
        self.fetch()
        self.now += 1


def read_loop(path):
    inside, loop = False, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() in ("# loop", "# end"):
                inside = line.strip() == "# loop"
                continue
            line = line.split("#")[0].strip()
            if inside and line and not line.startswith(".") and not line.endswith(":"):
                loop.append(Insn(line))
    if len(loop) < 2 or not loop[-2].branch:
        sys.exit(f"reference.py: {path}: no loop that ends with a branch and its delay slot")
    return loop


def cycles(cpu, loop, iterations=400):
    """Cycles an iteration in the steady state: over the second half of the iterations, so that the first ones do not count"""
    pipeline = Pipeline(cpu, loop)
    while len(pipeline.ends) < iterations:
        pipeline.step()
        if pipeline.now > 200 * iterations * len(loop):
            sys.exit("reference.py: the loop does not go on")
    half = iterations // 2
    return (pipeline.ends[-1] - pipeline.ends[half - 1]) / (iterations - half)


def main():
    cpu, iterations, files = "r10000", 400, []
    for word in sys.argv[1:]:
        if word.startswith("--cpu="):
            cpu = word[6:]
        elif word.startswith("--iterations="):
            iterations = int(word[13:])
        else:
            files.append(word)
    if cpu not in ACTIVE or not files:
        print("usage: reference.py [--cpu=r10000|r12000] [--iterations=N] FILE.s ...", file=sys.stderr)
        sys.exit(2)
    for path in files:
        print(f"{path.rsplit('/', 1)[-1]} {cycles(cpu, read_loop(path), iterations):.2f}")


if __name__ == "__main__":
    main()
