#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the commands that the documents show, as a reader who copies them, and compares what they print with the text. Prints TAP.

    documents.py [--soak] [--record] [DOCUMENT...]    run them; DOCUMENT is a part of a path, all documents by default
    documents.py --check [DOCUMENT...]                only find out what would be run, and whether each block says what it is

Documents are the pages in Markdown and docs/man. A block is what stands between two fences, or in a manual page .Bd -literal or
lines of .Dl. It is one of these:

    transcript   begins with "$ ": each line after "$ " is a command, which lines after "> " continue, and the lines below it are its output,
                 standard error included. A line "..." stands for any lines. Lines after "(gdb) " are typed into the command;
                 then what comes before gdb's first prompt and after the last line's answer is left out.
    commands     any other block without a language: each must succeed, and say on standard error only what SAID lists.
    sample       a block with a language (```toml)

A comment above the block that readers do not see (<!-- MARK --> in Markdown, .\\" MARK in manual pages) says what else it is:

    not run: WHY                 nothing runs it
    run in soak: WHY             only documents.py --soak does (tests/soak/documents.sh)
    run by FILE                  another test does, which names the document
    drawing                      a picture, a format, the output of something: nothing to run
    file NAME                    a sample that the commands below find in the file NAME
    status N: WHY                the exit status is N
With , "TEXT" after its first words a mark is about the commands of the block that contain TEXT: not run, "--slurm": needs a cluster.
A sample needs a mark. A page that says at its top which program writes it needs none: that program runs its commands.

The blocks of a document run one after the other in one shell. It starts in a directory that looks like a clone (in docs/tutorial: that has the
examples), with nothing of the caller's environment but KEPT. In manual pages, commands run in a guest that has the examples compiled in /share; those
that begin with "origin" run on the host.

Output must be the same to the character, for the machine repeats to the instruction, except for what MASKS lists. --record writes the outputs that
came out into the documents; where the text has "...", the lines around it, if there is one only.
"""
import argparse
import glob
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", "docs/*.md", "docs/*/*.md", "docs/man/*"]
CLONE = "LICENSE Makefile README.md build config.mk docs driver examples include kernel launcher lib qemu-origin scripts tests tools".split()
KEPT = "CACHE DEBIAN_MIRROR HOME LANG LOGNAME TMPDIR USER XDG_CACHE_HOME".split()
# Seconds of the host after which a command hangs.
LIMIT = 900

# What is not the machine's in outputs, and so may differ.
MASKS = [
    (r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", "URL", "the port is free, the key random"),
    (r"/proc/self/cwd/", "", "the directory of the compiler, which PWD below says; a reader has the clone's"),
    (r"\b6\.12\.\d+\b", "KERNEL", "a build takes another of the series if it cannot have the one of scripts/sources.txt"),
]
MASKS = [(re.compile(pattern), text) for pattern, text, _ in MASKS]

# Lines that come only if the host is slow: progress.
SLOW = re.compile(r"origin: \S+: \d+ % after \d+ s, \d+ s left")

# What commands that succeed may say on standard error.
SAID = [
    (r"origin: view: http://\S+", "where the page is"),
    (r"origin: (?:future \S+: )?(?:at \S+ s, (?:a|the) region .*|region .*)", "what a region of interest took"),
    (r"origin: saved \S+: origin run --restore goes on from there", "the end of a run that was saved"),
    (r"\S+\[[\d.]+,[\d.]+\]: \d+ ticks, .*", "snrun's summary of a trace"),
    (r"Process \S+ created; pid = \d+|Remote debugging using /dev/vport0p5", "gdbserver"),
    (r"snrun: \S+ has the counters of \d+ runs: .*", "how long each of --runs was"),
    (r"sndump: t\d+: local metrics leave out .*", "a thread ran on another node at first"),
    (r"origin: /\S+: not on this host; its code and data have no names", "what a profile's files lack"),
    (r"snrun: \w+: 0x\w+ to 0x\w+, \d+ bytes; counted with .*", "what snrun counts of a range"),
    (r"origin: hypothetical, not validated: \S+", "the machine is none that the thesis measured"),
    (r"origin: \d+ accesses: .*", "what an export has"),
    (r"\[ perf record: .* \]", "what perf record has written"),
    (r"#(?: \(Cannot load tips\.txt file, please install perf!\))?", "the end of perf report, without its tips"),
]
SAID = [re.compile(pattern) for pattern, _ in SAID]

FENCE = re.compile(r"^((?:<!--[^\n]*-->\n+)*)( *)```(\w*)\n(.*?)^\2```$", re.M | re.S)
MARK = re.compile(r'(?P<what>not run|run in soak|run by|drawing|file|status)(?: (?P<word>[^\s,:"]+))?(?:, "(?P<text>[^"]+)")?(?:: (?P<why>\S.*))?')
WANTS = {"not run": "why", "run in soak": "why", "run by": "word", "drawing": "", "file": "word", "status": "word why"}

COMPILER = """#!/bin/sh
# The compiler writes the names of its directories into the program. With these options they are the same in each clone.
case $1 in
cc | c++ | fortran)
    tool=$1
    shift
    set -- "$tool" '-ffile-prefix-map=%s=/origin' "$@"
    export PWD=/proc/self/cwd
    ;;
esac
exec '%s/origin' "$@"
"""
MAKE = """#!/bin/sh
# In the directory that looks like a clone, make is the clone's.
[ "$PWD" != '%s' ] || set -- -C '%s' "$@"
PATH=${PATH#*:} exec make "$@"
"""
# Commands come by number on descriptor $2; their exit statuses go to $3. In the documents' directory no name begins with an underscore.
SHELL = """_work=$1 _from=$2 _to=$3
while read -r _n _both <&"$_from"; do
    case $_n$_both in
    wait) wait ;;
    *both) . "$_work/$_n" >"$_work/$_n.out" 2>&1 <"$_work/$_n.in" ;;
    *) . "$_work/$_n" >"$_work/$_n.out" 2>"$_work/$_n.err" <"$_work/$_n.in" ;;
    esac
    echo $? >&"$_to"
done
"""


class Command:
    def __init__(self, text, line):
        self.text, self.line = text, line
        self.want = None        # lines of output, of a transcript
        self.typed = []         # lines for its standard input
        self.status = 0
        self.soak = self.skipped = False

    def add(self, line):
        """A line of a transcript below the command."""
        if line.startswith("> ") and not self.want:
            self.text += "\n" + line[2:]
        else:
            if line.startswith("(gdb) "):
                self.typed.append(line[6:])
            self.want.append(line)


class Block:
    """A block of a document: what it is, its marks, its commands, and what is wrong with it."""

    def __init__(self, path, line, language, text, marks):
        self.path, self.line, self.language, self.text, self.wrong = path, line, language, text, []
        self.marks = []
        for mark in marks:
            m = MARK.fullmatch(mark)
            if not m or {k for k in ("word", "why") if m[k]} != set(WANTS[m["what"]].split()):
                self.wrong.append("a comment that is no mark: " + mark)
            else:
                self.marks.append(m)
        self.file = next((m["word"] for m in self.marks if m["what"] == "file"), None)
        whole = [m["what"] for m in self.marks if not m["text"] and m["what"] != "status"]
        self.kind = whole[0] if whole else "run"
        if len(whole) > 1:
            self.wrong.append("two marks say what it is")
        self.transcript = text.startswith("$ ")
        self.commands = []
        if language and self.kind in ("run", "run in soak"):
            self.wrong.append("a sample (%s) says neither which file it is nor why it is not run" % language)
        elif self.kind in ("run", "run in soak", "not run", "run by"):
            self.commands = transcript(text, line + 1) if self.transcript else [] if language else split(text, line + 1)
            self.apply()
        for m in self.marks:
            if m["what"] == "run by":
                self.runs_it(m["word"])

    def apply(self):
        for m in self.marks:
            chosen = [c for c in self.commands if not m["text"] or m["text"] in c.text]
            if m["text"] and not chosen:
                self.wrong.append('no command contains "%s"' % m["text"])
            for c in chosen:
                if m["what"] == "status":
                    c.status = int(m["word"])
                c.soak |= m["what"] == "run in soak"
                c.skipped |= m["what"] in ("not run", "run by")

    def runs_it(self, name):
        try:
            with open(os.path.join(ROOT, name), encoding="utf-8") as f:
                text = f.read()
        except OSError as error:
            self.wrong.append("%s: %s" % (name, error.strerror))
            return
        folder = os.path.dirname(self.path)
        if self.path not in text and not (folder.startswith("docs/") and folder in text):
            self.wrong.append("%s does not name this document" % name)


def split(text, line):
    """The commands of a block without output: a line each, or several, as the shell reads them."""
    out, part, first = [], "", line
    for number, this in enumerate(text.splitlines(), line):
        first = first if part else number
        part += this + "\n"
        if not subprocess.run(["bash", "-n"], input=part, capture_output=True, text=True).stderr:
            if part.split("#")[0].strip():
                out.append(Command(part.rstrip("\n"), first))
            part = ""
    return out + ([Command(part.rstrip("\n"), first)] if part else [])


def transcript(text, line):
    out = []
    for number, this in enumerate(text.splitlines(), line):
        if this.startswith("$ "):
            out.append(Command(this[2:], number))
            out[-1].want = []
        else:
            out[-1].add(this)
    return out


def markdown(path, text):
    author = ["run by " + name for name in re.findall(r"^<!-- Written by (\S+) \(make \w+\)\. -->$", text, re.M)]
    for m in FENCE.finditer(text):
        body = "".join(line[len(m[2]):] if line.startswith(m[2]) else line for line in m[4].splitlines(True))
        block = Block(path, text.count("\n", 0, m.start(2)) + 1, m[3], body, re.findall(r"<!-- (.*?) -->", m[1]) or author)
        block.span, block.indent = m.span(4), m[2]
        yield block


def manual(path, text):
    marks, lines = [], text.splitlines()
    at = 0
    while at < len(lines):
        line, first = lines[at], at
        at += 1
        if line.startswith('.\\" ') and MARK.match(line[4:]):
            marks.append(line[4:])
            continue
        body = []
        if line.startswith(".Dl "):
            body = [line[4:]]
            while at < len(lines) and lines[at].startswith(".Dl "):
                body.append(lines[at][4:])
                at += 1
        elif line.startswith(".Bd -literal"):
            while at < len(lines) and lines[at] != ".Ed":
                body.append(lines[at])
                at += 1
        if body:
            body = re.sub(r"\\(.)", lambda m: {"&": "", "e": "\\"}.get(m[1], m[1]), "\n".join(body) + "\n")
            yield Block(path, first + 1, "", body, marks)
        marks = []


def documents(wanted):
    for path in sorted(p for pattern in PAGES for p in glob.glob(os.path.join(ROOT, pattern))):
        name = os.path.relpath(path, ROOT)
        if not wanted or any(w in name for w in wanted):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            yield name, text, list((markdown if name.endswith(".md") else manual)(name, text))


# --- what each block is ---------------------------------------------------------------------------------------------------------------------
class Words:
    """Words that commands may begin with."""

    def __init__(self):
        self.shell = set(subprocess.run(["bash", "-c", "compgen -b -k"], capture_output=True, text=True, check=True).stdout.split())
        usage = subprocess.run([os.path.join(ROOT, "origin"), "--help"], capture_output=True, text=True, check=True).stdout
        self.origin = {w for m in re.findall(r"^(?:usage:)? +origin ([a-z+|-]+)", usage, re.M) for w in m.split("|")}
        self.options = set(re.findall(r"--[a-z][\w-]*", usage))
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
            self.targets = {w for m in re.findall(r"^(?:BUILD_GOALS :=|\.PHONY:)(.*)", f.read(), re.M) for w in m.split()}
        with open(os.path.join(ROOT, "kernel/busybox.config"), encoding="utf-8") as f:
            self.guest = {w.lower() for w in re.findall(r"^CONFIG_(\w+)=y", f.read(), re.M)}
        self.tests = [os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "tests/*/*"))]

    def unknown(self, path, command):
        """The command's first word if there is no such program, else None."""
        words = [w for w in re.sub(r"\\\n", " ", command).split() if not re.match(r"\w+=", w)]
        if not words:
            return None
        word = words[0].strip("({;")
        if word in ("origin", "./origin"):
            return None if len(words) > 1 and words[1] in self.origin else " ".join(words[:2])
        if path.startswith("docs/man/") and (word in self.guest or os.path.exists(os.path.join(ROOT, "examples", word + ".c"))):
            return None
        if not word or word[0] == "$" or word in self.shell or shutil.which(word) or os.path.exists(os.path.join(ROOT, "docs/man", word + ".1")):
            return None
        return None if "/" in word and os.path.exists(os.path.join(ROOT, word)) or word.startswith("build/") else word


    def inline(self, text):
        """What does not exist of the commands of origin and make that stand in sentences."""
        for command in re.findall(r"`((?:origin|\./origin|make) [^`]+)`", FENCE.sub("", text)):
            program, *rest = command.split(" -- ")[0].split()
            if program != "make":
                bad = [w for w in rest[:1] if w[0] != "-" and w not in self.origin] + [w for w in rest if w[:2] == "--" and w.split("=")[0] not in self.options]
            else:
                bad = [w for w in rest if "=" not in w and w not in self.targets]
                bad += [w for w in rest if w[:2] == "T=" and not w[2:].isupper() and "reproduce" not in rest and not any(w[2:] in t for t in self.tests)]
            if bad:
                yield "%s: there is no %s" % (command, ", ".join(bad))


def check(wanted, point):
    words = Words()
    for name, text, blocks in documents(wanted):
        wrong = [name + ": " + w for w in words.inline(text)] if name.endswith(".md") else []
        for b in blocks:
            strange = {words.unknown(name, c.text) for c in b.commands if not c.skipped} - {None}
            wrong += ["%s:%d: %s" % (name, b.line, w) for w in b.wrong + ["no command: " + w for w in sorted(strange)]]
        if blocks or wrong:
            commands = [c for b in blocks for c in b.commands]
            point("%s: each block says what it is: %d commands, %d only in soak, %d not here" %
                  (name, len(commands), sum(c.soak and not c.skipped for c in commands), sum(c.skipped for c in commands)), "\n".join(wrong) or None)


# --- running them ---------------------------------------------------------------------------------------------------------------------------
class Place:
    """A directory to run a document's commands in, and a shell that does."""

    def __init__(self, tmp, name):
        self.work, programs = os.path.join(tmp, "work"), os.path.join(tmp, "bin")
        self.here = os.path.join(tmp, "clone")
        os.mkdir(self.work)
        os.mkdir(programs)
        if name.startswith("docs/tutorial/"):
            shutil.copytree(os.path.join(ROOT, "examples"), self.here)
        else:
            os.mkdir(self.here)
            for entry in CLONE:
                os.symlink(os.path.join(ROOT, entry), os.path.join(self.here, entry))
            os.symlink("../bin/origin", os.path.join(self.here, "origin"))
        for program, text in ("origin", COMPILER % (ROOT, ROOT)), ("make", MAKE % (self.here, ROOT)):
            with open(os.path.join(programs, program), "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(f.name, 0o755)
        environment = {k: os.environ[k] for k in KEPT if k in os.environ}
        environment.update(PATH=programs + ":" + os.environ["PATH"], COLUMNS="100", TERM="dumb")
        (self.said, to), (source, self.tell) = os.pipe(), os.pipe()
        self.shell = subprocess.Popen(["bash", "-c", SHELL, "bash", self.work, str(source), str(to)], cwd=self.here, env=environment, stdin=subprocess.DEVNULL,
                                      pass_fds=(source, to), process_group=0)
        os.close(to)
        os.close(source)
        self.number = 0

    def order(self, text):
        """The shell's answer, or None if it is gone or has waited too long."""
        os.write(self.tell, text.encode())
        if not select.select([self.said], [], [], LIMIT)[0]:
            return None
        return os.read(self.said, 100).decode().strip() or None

    def start(self, command):
        """Runs it; returns its number and status."""
        self.number += 1
        path = os.path.join(self.work, str(self.number))
        for end, text in ("", command.text), (".in", "\n".join(command.typed)):
            with open(path + end, "w", encoding="utf-8") as f:
                f.write(text + "\n" if text else "")
        return path, self.order("%d %s\n" % (self.number, "" if command.want is None else "both"))

    def processor(self):
        """Seconds of processor time of all that has ended."""
        try:
            with open("/proc/%d/stat" % self.shell.pid, encoding="ascii") as f:
                return sum(map(int, f.read().rsplit(")", 1)[1].split()[13:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.tell)
        if self.shell.poll() is None:
            try:
                self.shell.wait(10)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.shell.wait()
        os.close(self.said)


def lines_of(path):
    try:
        with open(path, "rb") as f:
            lines = [line.rstrip() for line in f.read().decode(errors="replace").replace("\r", "").splitlines()]
    except OSError:
        return []
    return [line for line in lines if not SLOW.fullmatch(line)]


def masked(line):
    for pattern, text in MASKS:
        line = pattern.sub(text, line)
    return line.rstrip()


def compare(want, got):
    """None, or what differs."""
    at = 0
    for i, line in enumerate(want):
        if line == "...":
            if i + 1 == len(want):
                return None
            while at < len(got) and masked(want[i + 1]) != masked(got[at]):
                at += 1
        elif at >= len(got):
            return "missing: " + line
        elif masked(line) != masked(got[at]):
            return "want: %s\ngot:  %s" % (line, got[at])
        else:
            at += 1
    return None if at == len(got) else "more: " + got[at]


def dialogue(command, got):
    """Output of gdb as it looks on a terminal, with what was typed, from the first prompt to the last."""
    if not command.typed:
        return got
    answers = re.split(r"^\(gdb\) ?", "\n".join(got), flags=re.M)[1:]
    return [line.rstrip() for typed, answer in zip(command.typed, answers) for line in ["(gdb) " + typed] + answer.splitlines()]


def renewed(want, got):
    """What the document says from now on: lines that differ in what is masked stay as they were."""
    if compare(want, got) is None:
        return want
    if want.count("...") > 1:
        return None
    same = {masked(line): line for line in want}
    got = [same.get(masked(line), line) for line in got]
    if "..." not in want:
        return got
    head = want.index("...")
    tail = len(want) - head - 1
    return got[:head] + ["..."] + got[max(head, len(got) - tail):] if tail else got[:head] + ["..."]


def judge(command, path, status):
    """What is wrong with a command that ran, and what it printed."""
    if status is None:
        return "it has ended the shell, or hangs", []
    out, err = lines_of(path + ".out"), lines_of(path + ".err")
    wrong = []
    if int(status) != command.status:
        wrong.append("exit status %s instead of %d" % (status, command.status))
    if command.want is not None:
        out = dialogue(command, out)
        wrong += [w for w in [compare(command.want, out)] if w]
    else:
        said = [line for line in err if not any(p.fullmatch(line) for p in SAID)]
        wrong += ["it says: " + line for line in said[:5]]
    if wrong and command.want is None:
        wrong += out[-3:]
    return "\n".join(wrong) or None, out


def report(block, commands, results, point):
    for command, (path, status, seconds) in zip(commands, results):
        wrong, out = judge(command, path, status)
        point("%s:%d: %s" % (block.path, command.line, command.text.split("\n")[0]), wrong, seconds)
        if command.want is not None and status is not None:
            command.got = renewed(command.want, out)


def host_block(block, place, point):
    """Runs a block's commands on the host. False if the shell is gone."""
    if block.file:
        with open(os.path.join(place.here, block.file), "w", encoding="utf-8") as f:
            f.write(block.text)
        return True
    commands = block.chosen
    results, before = [], place.processor()
    for command in commands:
        path, status = place.start(command)
        now = place.processor()
        results.append((path, status, now - before))
        before = now
        if status is None:
            break
    alive = (not results or results[-1][1] is not None) and (not commands or place.order("wait\n") is not None)
    report(block, commands, results, point)
    return alive


def guest_page(blocks, place):
    """The script of a manual page's commands, each with its output in files."""
    script = []
    for b in blocks:
        if b.file:
            with open(os.path.join(place.here, "share", b.file), "w", encoding="utf-8") as f:
                f.write(b.text)
        for c in b.chosen:
            with open(os.path.join(place.here, "share/.run", c.name), "w", encoding="utf-8") as f:
                f.write(c.text + "\n")
            script.append(". .run/%s >.run/%s.out 2>.run/%s.err; echo $? >.run/%s.status" % ((c.name,) * 4))
    return "(\n" + "\n".join(script) + "\n)\n"


def guest(pages, point):
    """The commands of manual pages, in one machine."""
    with tempfile.TemporaryDirectory(prefix="documents-") as tmp, Place(tmp, "docs/man") as place:
        os.makedirs(os.path.join(place.here, "share/.run"))
        for source in glob.glob(os.path.join(ROOT, "examples/*.c")):
            name = os.path.basename(source)[:-2]
            place.start(Command("origin cc -O2 -g examples/%s.c -o share/%s -lpthread -lm" % (name, name), 0))
        script = ""
        for name, blocks in pages:
            for number, c in enumerate(c for b in blocks for c in b.chosen):
                c.name = "%s-%d" % (os.path.basename(name), number)
            script += guest_page(blocks, place) if blocks else ""
        with open(os.path.join(place.here, "share/.run/all"), "w", encoding="utf-8") as f:
            f.write(script)
        path, status = place.start(Command("origin run -s share -- sh .run/all", 0))
        wrong = None if status == "0" else "exit status %s\n%s" % (status, "\n".join(lines_of(path + ".err")))
        point("the guest of the manual pages", wrong, place.processor())
        for _, blocks in pages:
            for b in blocks:
                paths = [os.path.join(place.here, "share/.run", c.name) for c in b.chosen]
                report(b, b.chosen, [(p, next(iter(lines_of(p + ".status")), None), 0) for p in paths], point)


def run_document(name, text, blocks, args, point):
    with tempfile.TemporaryDirectory(prefix="documents-") as tmp, Place(tmp, name) as place:
        for block in blocks:
            if not host_block(block, place, point):
                break
    if args.record:
        for block in reversed([b for b in blocks if b.transcript and any(hasattr(c, "got") for c in b.commands)]):
            lines = []
            for c in block.commands:
                got = getattr(c, "got", c.want)
                if got is None:
                    print("# %s:%d: more than one \"...\": to be recorded by hand" % (name, c.line))
                lines += ["$ " + c.text.replace("\n", "\n> ")] + (c.want if got is None else got)
            new = "".join((block.indent + line).rstrip() + "\n" for line in "\n".join(lines).splitlines())
            text = text[:block.span[0]] + new + text[block.span[1]:]
        with open(os.path.join(ROOT, name), "w", encoding="utf-8") as f:
            f.write(text)


def host_commands(blocks):
    """Of a manual page, the blocks of the host and those of the guest."""
    host = [b for b in blocks if any(re.search(r"^(?:origin|eval) ", c.text) for c in b.commands) and not b.file]
    return host, [b for b in blocks if b not in host]


def main():
    parser = argparse.ArgumentParser(description="Run the commands that the documents show.")
    parser.add_argument("--check", action="store_true", help="run nothing: does each block say what it is?")
    parser.add_argument("--soak", action="store_true", help="run the documents that have long blocks, with these")
    parser.add_argument("--record", action="store_true", help="write the outputs into the documents")
    parser.add_argument("document", nargs="*", help="part of a path")
    args = parser.parse_args()
    failures = points = 0

    def point(what, wrong, seconds=0):
        nonlocal failures, points
        points += 1
        failures += wrong is not None
        print("%sok %d - %s" % ("" if wrong is None else "not ", points, what.replace("#", "\\#")), flush=True)
        if seconds >= 0.5:
            print("# %.1f s of processor time" % seconds)
        for line in (wrong or "").splitlines():
            print("#   " + line)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if args.check:
        check(args.document, point)
    else:
        pages = []
        for name, text, blocks in documents(args.document):
            chosen = [c for b in blocks for c in b.commands if not c.skipped]
            if not chosen or (not any(c.soak for c in chosen) if args.soak else all(c.soak for c in chosen)):
                continue
            for b in blocks:
                b.chosen = [c for c in b.commands if not c.skipped and (args.soak or not c.soak)]
            if name.startswith("docs/man/"):
                blocks, in_guest = host_commands([b for b in blocks if b.chosen or b.file])
                pages.append((name, in_guest))
            if blocks:
                run_document(name, text, blocks, args, point)
        if any(blocks for _, blocks in pages):
            guest(pages, point)
    print("1..%d" % points)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
