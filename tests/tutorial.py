#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the commands of docs/tutorial and compares what they print with what the lessons say. Prints TAP.

    tutorial.py [--record] [LESSON...]

In a lesson, a block that begins with "$ " is a transcript: each line after "$ " is a command, which lines after "> " continue, and the lines below it
are its output, standard error included. The blocks of a lesson run one after the other in one directory, which has the examples. A line "..." stands for any lines.

Words and whole numbers up to 128 must be the same. Other numbers may differ by TOLERANCE, because a better time model changes times, or by as much as a line
"<!-- within N % -->" above the block says. Hexadecimal ones may differ. A bar, "|" and some "#", may differ by TOLERANCE of ten more than its length.
--record writes the outputs that came out into the lessons.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LESSONS = os.path.join(ROOT, "docs/tutorial")
TOLERANCE = 0.1
NUMBER = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")
BAR = re.compile(r"\|(#*)$")


def blocks(text):
    """Where each transcript begins and ends, and by how much its numbers may differ."""
    return [(*m.span(2), int(m.group(1)) / 100 if m.group(1) else TOLERANCE)
            for m in re.finditer(r"^(?:<!-- within (\d+) % -->\n\n)?```\n(\$ .*?)^```$", text, re.M | re.S)]


def transcript(block):
    """[command, [lines of output]]"""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            out.append([line[2:], []])
        elif line.startswith("> ") and not out[-1][1]:
            out[-1][0] += "\n" + line[2:]
        else:
            out[-1][1].append(line)
    return out


def run(command, where):
    script = 'origin() { "$ORIGIN" "$@"; }\nexec 2>&1\n' + command
    done = subprocess.run(["bash", "-c", script], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          env=dict(os.environ, ORIGIN=os.path.join(ROOT, "origin")))
    return [line.rstrip() for line in done.stdout.decode(errors="replace").splitlines()]


def alike(want, got, tolerance):
    """Whether two lines agree but for numbers that the time model decides."""
    want, got = (BAR.sub(lambda m: "%d.0" % (10 + len(m.group(1))), line) for line in (want, got))
    if NUMBER.sub("#", " ".join(want.split())) != NUMBER.sub("#", " ".join(got.split())):
        return False
    for a, b in zip(NUMBER.findall(want), NUMBER.findall(got)):
        if a == b or a.startswith("0x") and b.startswith("0x"):
            continue
        if "." not in a + b and max(int(a), int(b)) <= 128 or abs(float(a) - float(b)) > tolerance * max(float(a), float(b)):
            return False
    return True


def compare(want, got, tolerance):
    """None, or what differs."""
    at = 0
    for i, line in enumerate(want):
        if line == "...":
            if i + 1 == len(want):
                return None
            while at < len(got) and not alike(want[i + 1], got[at], tolerance):
                at += 1
            continue
        if at >= len(got):
            return "missing: " + line
        if not alike(line, got[at], tolerance):
            return "want: %s\n#   got:  %s" % (line, got[at])
        at += 1
    return None if at == len(got) else "more: " + got[at]


def lesson(path, record, point):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    name, changes = os.path.basename(path), []
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(os.path.join(ROOT, "examples"), tmp, dirs_exist_ok=True)
        for begin, end, tolerance in blocks(text):
            lines = []
            for command, want in transcript(text[begin:end]):
                got = run(command, tmp)
                point("%s: %s" % (name, command.split("\n")[0]), compare(want, got, tolerance))
                lines += ["$ " + command.replace("\n", "\n> ")] + (want if "..." in want else got)
            changes.append((begin, end, "\n".join(lines) + "\n"))
    if record:
        for begin, end, new in reversed(changes):
            text = text[:begin] + new + text[end:]
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def main():
    args = [a for a in sys.argv[1:] if a != "--record"]
    failures = points = 0

    def point(what, wrong):
        nonlocal failures, points
        points += 1
        failures += wrong is not None
        print("%sok %d - %s" % ("" if wrong is None else "not ", points, what), flush=True)
        if wrong is not None:
            print("#   " + wrong)

    for path in sorted(os.listdir(LESSONS)):
        if re.match(r"\d.*\.md$", path) and (not args or any(a in path for a in args)):
            lesson(os.path.join(LESSONS, path), "--record" in sys.argv, point)
    print("1..%d" % points)
    sys.exit(failures != 0)


main()
