# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: follow_live.py SEEN TEXT: is what a browser saw of a line while its program ran (view.py followed) what `origin follow` prints of the run?

Prints how many steps were seen while the program ran and after it, or what differs first. The text has one line.
"""
import json
import re
import sys

MESSAGE = re.compile(r" *[0-9.]+ +\d+   (\w+) +(\w+) > (\w+) +\+([0-9.]+) +\+([0-9.]+)  (\w+) (.*)$")
ACCESS = re.compile(r" *[0-9.]+ +\d+ (\w+) +cpu (\d+) \(\w+\)(?: (\S+:\d+))? (.* in .*\(\)): (.*), (\w+), ([\w-]+), ([0-9.]+) ns$")
LEFT = re.compile(r" *[0-9.]+ +- (\w+) by cpu \d+$")


def told(text):
    """What the page must say of an event that `origin follow` has printed."""
    m = ACCESS.match(text)
    if m:
        name, cpu, who, at, what, tx, cause, ns = m.groups()
        return {"step": "access", "access": f"{name} by cpu {cpu}, {who or 'no thread'}", "at": at, "of": what, "miss": [f"{tx}, {cause}, {ns} ns", f"{tx}, cause not known, {ns} ns"]}
    m = LEFT.match(text)
    if m:
        return {"step": m.group(1)}
    name, sender, receiver, sent, taken, rule, rest = MESSAGE.match(text).groups()
    row, *more = rest.split(", ")
    told_of = {"step": [f"{name} from {sender} to {receiver}, {float(taken) - float(sent) + d / 10:.1f} ns" for d in (-1, 0, 1)],  # a difference of two rounded numbers
               "waits, ps": "none"}
    row = f"{rule}: {row}, {name}"
    for part in more:
        if " -> " in part:
            before, after = part.split(" -> ")
            told_of["directory"] = after + (f", was {before}" if before != after else "")
        elif part.startswith("cpu "):
            told_of.update(("copy of cpu " + c.split()[0], c.split()[2]) for c in part[4:].split("; "))
        elif part.startswith("waits: "):
            told_of["waits, ps"] = part[7:]
        else:
            row += "; " + part
    told_of["row of the protocol"] = row
    return told_of


seen, texts = sys.argv[1:]
texts = [t for t in open(texts, encoding="utf-8").read().split("\n") if re.match(r" +[0-9]+\.[0-9]{6} ", t)]
counts = {True: set(), False: set()}
for walk in map(json.loads, open(seen, encoding="utf-8")):
    for step in walk["steps"]:
        shown, text = dict(map(tuple, step["items"])), texts[step["number"] - 1]
        for item, want in told(text).items():
            want = want if isinstance(want, list) else [want]
            # Why a copy was lost may be known later.
            want = want[:1] if item == "miss" and not walk["running"] else want
            if shown.get(item) not in want:
                sys.exit(f"step {step['number']}: {item} is {shown.get(item)!r}, not {want[0]!r}: {text}")
        counts[walk["running"]].add(step["number"])
print(f"{len(counts[True])} steps while it ran, {len(counts[False])} after that, of {len(texts)}")
