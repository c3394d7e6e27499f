# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws what users do from the list `commands` and looks at what comes of it (defaults.sh).

Usage: draw.py ROOT TMP SEED SECONDS [RUN]

A run is one of
  machine   a preset boots, mostly with the launcher's defaults, and some commands of the list run in it
  options   the launcher gets some of its options, which may not go together
  host      a command of the host
Prints TAP: a point for each command and each launcher. Before a run begins, it is a comment with all that was drawn.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

LISTS = os.path.dirname(os.path.abspath(__file__))
LATE = 60       # machine seconds for a command of the guest
PATIENCE = 900  # host seconds for a run: the longest took a sixth of that on two busy processors
COMPLAINTS = "WARNING:|BUG:|Oops|Call Trace|detected stall|soft lockup|hung task"
# What the guest runs: a file for each command, as the user in `who`, each in a session of its own, so that what it leaves behind can be ended.
GUEST = r"""
mkdir /tmp/root /tmp/guest; chown guest /tmp/guest
for w in root guest; do cp programs/* /tmp/$w; chmod 755 /tmp/$w/*; done
cp c*.sh /tmp; chmod 644 /tmp/c*.sh
i=0
while read -r w; do
    i=$((i + 1)); echo $i >at; cd /tmp/$w
    as="sh /tmp/c$i.sh"; [ $w = root ] || as="su guest -c 'exec sh /tmp/c$i.sh'"
    setsid sh -c "echo \$\$ >/tmp/sid; exec timeout LATE $as" </dev/null >/tmp/o 2>/tmp/e; s=$?
    pkill -9 -s $(cat /tmp/sid) 2>/dev/null
    cd /share; head -c 2000 /tmp/o >o$i; tail -c 2000 /tmp/e >e$i; echo $s >s$i
done <who
dmesg | grep -E 'COMPLAINTS' >complaints
true
"""


class Points:
    def __init__(self):
        self.n = self.bad = 0

    def point(self, good, name, *details):
        self.n += 1
        self.bad += not good
        print(f"{'' if good else 'not '}ok {self.n} - {name.replace('#', '+')}", flush=True)
        for text in () if good else details:
            for line in str(text).splitlines()[-20:]:
                print("#   " + line[:300], flush=True)


class List:
    """The file `commands`."""

    def __init__(self, path):
        self.values, self.options, self.guest, self.host = {}, {}, [], []
        for line in open(path):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            kind, rest = (w.strip() for w in line.split(" |", 1))
            if kind.startswith("value "):
                self.values[kind[6:]] = rest.split()
            elif kind.startswith("option "):
                self.options[kind[7:].rstrip("=")] = rest.split("#")[0].split()
            else:
                who, statuses, command = (w.strip() for w in rest.split(" | ", 2))
                (self.host if who == "host" else self.guest).append((kind.replace("-", "", kind == "-").split(), who, statuses.split(), command))


class Draw:
    """What one run draws."""

    def __init__(self, soak, number):
        self.soak, self.number, self.rng = soak, number, random.Random(f"{soak.seed} {number}")
        presets = sorted(soak.machines)
        # Each preset has its turn before any comes again.
        random.Random(f"{soak.seed} presets {number // len(presets)}").shuffle(presets)
        self.preset = presets[number % len(presets)]
        self.dir = os.path.join(soak.tmp, f"run{number}")

    def word(self, name):
        machine = self.soak.machines[self.preset]
        known = {"N": lambda: self.rng.randrange(machine[0]), "C": lambda: self.rng.randrange(machine[1]), "HERE": lambda: self.dir,
                 "PRESET": lambda: self.preset, "TOOL": lambda: self.rng.choice(sorted(self.soak.help)),
                 "VMLINUX": lambda: self.soak.root + "/build/kernel/vmlinux", "CHECKPOINT": self.soak.checkpoint}
        if name.startswith("options "):
            return " ".join(self.tool_option(name[8:]) for _ in range(self.rng.randrange(3)))
        if name in known:
            return str(known[name]())
        return self.value(name) if name in self.soak.list.values else "{" + name + "}"

    def value(self, name):
        return self.expand(self.rng.choice(self.soak.list.values[name]))

    def expand(self, text):
        return re.sub(r"\{([^{}]+)\}", lambda m: self.word(m.group(1)), text)

    def tool_option(self, tool):
        option, arg, optional = self.rng.choice(self.soak.help[tool])
        if not arg or optional and self.rng.random() < 0.5:
            return option
        if arg in self.soak.list.values:
            value = self.value(arg)
        elif "|" in arg and self.rng.random() < 0.9:
            value = self.rng.choice(arg.split("|"))
        else:
            value = self.rng.choice(["0", "1", "2", "10", "x"])
        return f"{option}={value}" if optional else f"{option} {value}"

    def launcher_options(self, names):
        words = []
        for name in names:
            values = self.soak.list.options[name]
            value = self.expand(self.rng.choice(values))
            words += [name] if value == "-" else [f"{name}={value}"] if name.startswith("--") else [name, value]
        return words


def session(argv, limit, **more):
    """Runs a program in a session of its own; its status (None: it took too long), output and errors."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **more)
    try:
        out, err = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        status, out, err = None, b"", b""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if status is None:
        out, err = process.communicate()
    return status, out.decode(errors="replace"), err.decode(errors="replace")


class Soak:
    def __init__(self, root, tmp, seed):
        self.root, self.tmp, self.seed, self.origin = root, tmp, seed, root + "/origin"
        self.list, self.points, self.saved = List(LISTS + "/commands"), Points(), None
        self.machines, self.help = {}, {}
        for file in sorted(os.listdir(root + "/build/machines")):
            if file.endswith(".json"):
                machine = json.load(open(f"{root}/build/machines/{file}"))
                self.machines[file[:-5]] = (len(machine["nodes"]), sum(len(n["cpus"]) for n in machine["nodes"]))
        os.mkdir(tmp + "/bin")
        os.symlink(self.origin, tmp + "/bin/origin")
        self.env = {**os.environ, "PATH": tmp + "/bin:" + os.environ["PATH"]}

    def again(self, number):
        return f"again: DEFAULTS_SEED={self.seed} DEFAULTS_RUN={number} make soak T=soak/defaults"

    def checkpoint(self):
        if not self.saved:
            self.saved = self.tmp + "/checkpoint"
            session([self.origin, "run", "-m", "origin200", "--save", self.saved, "--", "snroi", "work", "true"], PATIENCE, cwd=self.tmp)
        return self.saved

    def learn(self):
        """Which options there are, and whether the list has all of them."""
        tools = sorted(f[:-2] for f in os.listdir(self.root + "/docs/man") if f.endswith(".1") and f not in ("origin.1", "snreport.1"))
        ask = "; ".join(f"echo '= {t}'; {t} --help" for t in tools)
        status, out, err = session([self.origin, "run", "-m", "origin200", "--", ask], PATIENCE)
        for part in out.split("= ")[1:] if status == 0 else ():
            name, text = part.split("\n", 1)
            if name in tools:
                self.help[name] = [(f"--{m.group(1)}", m.group(2) or m.group(3), bool(m.group(2)))
                                   for m in re.finditer(r"^  (?:-\w,|   ) --([\w-]+)(?:\[=(\S+)\]| (\S+))?(?: |$)", text, re.M)]
                # A script has no table: the options of its usage line
                self.help[name] = self.help[name] or [(option, None, False) for option in re.findall(r"--[\w-]+", text)]
        self.points.point(sorted(t for t in self.help if self.help[t]) == tools, "each tool of docs/man says what options it has", status, err, sorted(self.help))
        table = [line.split("\t") for line in session([self.root + "/build/launcher", "--options"], 60, env=self.env)[1].splitlines()]
        said = sorted(f[3] or f[2] for f in table if f[0] == "option" and {"run", "profile"} & set(f[1].split()) and f[9])
        self.points.point(said == sorted(self.list.options), "the list has each option of the launcher, and no others", set(said) ^ set(self.list.options))
        words = " ".join(c[3] for c in self.list.guest)
        self.points.point(all(re.search(rf"\b{t}\b", words) for t in tools), "the list has each tool of docs/man",
                          [t for t in tools if not re.search(rf"\b{t}\b", words)])

    def run(self, number):
        draw = Draw(self, number)
        os.mkdir(draw.dir)
        shutil.copytree(self.tmp + "/programs", draw.dir + "/programs")
        draw.rng.choices((self.machine, self.options, self.host), (6, 2, 2))[0](draw)
        shutil.rmtree(draw.dir, ignore_errors=True)

    def machine(self, draw):
        some = draw.rng.sample(self.list.guest, 4 if self.machines[draw.preset][1] > 32 else 8)
        drawn = [name for name, values in self.list.options.items() if values and name in (
            "--model", "--time", "--quantum", "--seed", "--until-roi", "--regions", "--console", "--disk", "--net", "--view", "--threads", "--exec")]
        words = draw.launcher_options(draw.rng.sample(drawn, draw.rng.choice((0, 0, 0, 0, 1, 1, 2))))
        if self.machines[draw.preset][1] > 16:  # QEMU's stock scheduler gives idle CPUs their turns, too: so many boot for minutes
            words = [w for w in words if w != "--quantum=off"]
        needs = sorted({" ".join(c[0]) for c in some if c[0]})
        # data_range says 1 without the monitor.
        some = [c for c in some if not ("--range-monitor" in needs and not c[0] and "data_range" in c[3])]
        words += [w for need in needs for w in need.split()]
        whos = [draw.rng.choice(("root", "guest")) if c[1] == "both" else c[1] for c in some]
        texts = [draw.expand(c[3]) for c in some]
        for i, text in enumerate(texts, 1):
            with open(f"{draw.dir}/c{i}.sh", "w") as f:
                f.write(text + "\n")
        with open(draw.dir + "/who", "w") as f:
            f.writelines(w + "\n" for w in whos)
        with open(draw.dir + "/all.sh", "w") as f:
            f.write(GUEST.replace("LATE", str(LATE)).replace("COMPLAINTS", COMPLAINTS))
        argv = [self.origin, "run", "-m", draw.preset, "-t", str(PATIENCE), "-s", draw.dir, *words, "--", "sh", "all.sh"]
        name = f"run {draw.number}: {draw.preset} {' '.join(words)}".replace(self.tmp, "TMP").rstrip()
        print(f"# {name}", *(f"#   {w}: {t}" for w, t in zip(whos, texts)), sep="\n", flush=True)
        status, _, err = session(argv, PATIENCE + 60)
        if status == 2 and words:
            self.refused(draw, name, words, err)
            return
        at = read(draw.dir + "/at").strip()
        self.points.point(status == 0, name, f"status {status}, at command {at}: {texts[int(at or 1) - 1]}", err, self.again(draw.number))
        off = any(w in ("--model=off", "--quantum=off", "--until-roi=off") for w in words)
        for i, (who, text, command) in enumerate(zip(whos, texts, some), 1):
            got, said = read(f"{draw.dir}/s{i}").strip(), read(f"{draw.dir}/o{i}") + read(f"{draw.dir}/e{i}")
            if not got:
                continue  # the machine did not come so far: a point above
            late = got in ("124", "143") and "late" in command[2]
            good = late or got in command[2] or off and got == "1"
            why = said.strip() or got not in ("1", "2") or "-s" in text or text.startswith("hinv")  # hinv(1): nothing matched
            self.points.point(good and why, f"run {draw.number}: {who}: {text}", f"status {got}, expected {' '.join(command[2])}", said, name, self.again(draw.number))
        complaints = read(draw.dir + "/complaints")
        self.points.point(not complaints, f"run {draw.number}: the kernel complains of nothing", complaints, name, self.again(draw.number))

    def refused(self, draw, name, words, err):
        """Wrong usage: one line, which names one of the options."""
        options = [w.split("=")[0] for w in words if w.startswith("-")]
        good = err.count("\n") == 1 and err.startswith("origin: ") and any(o in err or o == "profile" and o in err for o in options)
        self.points.point(good, name + ": refused", err, self.again(draw.number))

    def options(self, draw):
        preset = draw.rng.choice(("origin200", "ricotta", "bwana"))
        names = draw.rng.sample([n for n, values in self.list.options.items() if values and n not in ("-k",)], draw.rng.randrange(1, 4))
        tool = draw.rng.choice(("run", "run", "profile"))
        words = draw.launcher_options(names)
        restore = "--restore" in names
        argv = [self.origin, tool, "-t", str(PATIENCE), "-s", draw.dir + "/share", *([] if restore else ["-m", preset]), *words,
                *([] if restore else ["--", "snroi", "work", "true"])]
        if not restore:
            os.mkdir(draw.dir + "/share")
        name = f"run {draw.number}: {' '.join(argv[1:])}".replace(self.tmp, "TMP")
        print(f"# {name}", flush=True)
        status, _, err = session(argv, PATIENCE + 60, cwd=draw.dir)
        if status == 2:
            self.refused(draw, name, words + [tool], err)
        else:
            self.points.point(status == 0, name, f"status {status}", err, self.again(draw.number))

    def host(self, draw):
        _, _, statuses, command = draw.rng.choice(self.list.host)
        command = draw.expand(command)
        name = f"run {draw.number}: host: {command}"
        print(f"# {name}", flush=True)
        status, out, err = session(["bash", "-c", command], PATIENCE, cwd=draw.dir, env=self.env)
        self.points.point(str(status) in statuses and (status in (0, 7, 124, 137) or (out + err).strip()), name,
                          f"status {status}, expected {' '.join(statuses)}", err or out, self.again(draw.number))


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def main():
    root, tmp, seed, seconds = sys.argv[1:5]
    soak, end = Soak(root, tmp, seed), time.monotonic() + float(seconds)
    print(f"# seed {seed}")
    soak.learn()
    number = int(sys.argv[5]) if sys.argv[5:] else 0
    while time.monotonic() < end or number == 0:
        soak.run(number)
        if sys.argv[5:]:
            break
        number += 1
    print(f"1..{soak.points.n}")
    return soak.points.bad != 0


sys.exit(main())
