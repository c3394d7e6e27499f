#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages with figures say which sources they are of, and whether those have changed.

    measured.py --status     say of each group of figures in README.md and docs whether it is older than its sources
    measured.py --mark       write the same into the pages (make docs)
    measured.py --stamp PATH...   print what a page of figures says of the sources in PATH
    measured.py --machine    print the PATHs that the machine, its guest and the launcher are made of

A comment stands before the figures: <!-- measured HASH of PATH... -->. HASH is that of the files in the PATHs, so it needs no git and no clock, and
a source that is changed back makes the figures right again. Below the comment stands OLDER while the files have another hash.
"""
import glob
import hashlib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What the machine, its guest and the launcher are made of: figures depend on all of it unless they say otherwise.
MACHINE = "config.mk driver include kernel launcher lib qemu-origin tools".split()
OLDER = "**Older than the sources:** they have changed since this was measured.\n"
MARK = re.compile(r"^(<!-- measured ([0-9a-f]{16}|unknown) of ([^\n]*?) -->\n)(?:" + re.escape(OLDER) + ")?", re.M)


def files_of(paths):
    """Files below the paths, as git knows them; all of them where there is no git."""
    run = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"] + paths, cwd=ROOT, capture_output=True)
    if run.returncode == 0:
        names = run.stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(d, f), ROOT) for p in paths for d, _, fs in os.walk(os.path.join(ROOT, p)) for f in fs] + paths
    return sorted({n for n in names if n and os.path.isfile(os.path.join(ROOT, n))})


def digest(paths, known={}):
    """The hash of the files' names and contents, 16 digits."""
    key = " ".join(sorted(paths))
    if key not in known:
        whole = hashlib.sha256()
        for name in files_of(sorted(paths)):
            with open(os.path.join(ROOT, name), "rb") as f:
                whole.update(("%s %s\n" % (name, hashlib.sha256(f.read()).hexdigest())).encode())
        known[key] = whole.hexdigest()[:16]
    return known[key]


def stamp(paths):
    return "<!-- measured %s of %s -->\n" % (digest(paths), " ".join(sorted(paths)))


def is_old(match):
    return digest(match[3].split()) != match[2]


def state(match):
    if not is_old(match):
        return "of these sources"
    return "older than the sources" + ("" if OLDER in match[0] else "; make docs writes that into the page")


def marked(text):
    """The page's text, with OLDER where it is due."""
    return MARK.sub(lambda m: m[1] + (OLDER if is_old(m) else ""), text)


def pages():
    for pattern in ("README.md", "docs/*.md", "docs/*/*.md"):
        yield from sorted(glob.glob(os.path.join(ROOT, pattern)))


def heading(text, at):
    found = re.findall(r"^#+ (.*)$", text[:at], re.M)
    return found[-1] if found else ""


def groups():
    """Each group of figures: its page, the heading that it is below, and its mark."""
    for path in pages():
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for match in MARK.finditer(text):
            yield os.path.relpath(path, ROOT), heading(text, match.start()), match


def main(args):
    if args[:1] == ["--stamp"] and args[1:]:
        sys.stdout.write(stamp(args[1:]))
        return 0
    if args == ["--machine"]:
        print(" ".join(MACHINE))
        return 0
    if args == ["--status"]:
        for page, title, match in groups():
            print("%s: %s: %s" % (page, title, state(match)))
        return 0
    if args == ["--mark"]:
        for path in pages():
            with open(path, encoding="utf-8") as f:
                text = f.read()
            new = marked(text)
            if new != text:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(new)
        return 0
    print("usage: measured.py --status | --mark | --machine | --stamp PATH...", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
