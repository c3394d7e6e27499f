#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documents, manual pages and help texts say what is. They do not remember.

A page that tells what an earlier commit did, or what somebody measured one day, is wrong as soon as the tree changes, and nobody notices. What was is
in git's history; figures are in pages that programs write, which say of which sources they are (scripts/measured.py). This looks for

    comparisons with an earlier state     "used to", "no longer", "an hour earlier", "before this change", "now it takes", columns "before" and "now"
    days and commits                      "commit 0123abc", "2026-11-24", "Nov 24"
    the story of a measurement            "was tried", "was half as fast", "when it was measured"

in README.md, CONTRIBUTING.md, examples/README.md, the pages of docs, docs/man, the help of origin, of make and of the host's tools, and the texts in
C of the guest's tools. It leaves out what stands between fences, in `code` and in comments; pages that programs write; and the paragraph below a
mark <!-- measured ... -->, which says where figures come from. A sentence that has to say such a word has a comment in the line above its
paragraph: <!-- remembers: WHY -->, in manual pages .\\" remembers: WHY. Prints TAP.
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
sys.dont_write_bytecode = True
from sources import NOISE, ROOT, Tap  # noqa: E402

PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", "docs/*.md", "docs/*/*.md", "docs/man/*"]
MONTH = r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[a-z]*)"
TIMES = r"(?:hours?|days?|weeks?|months?|years?|commits?|versions?|releases?)"
PATTERNS = [
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bwere )(?<!\band )\bused to (?!\w+ing\b)",
    r"\bno longer\b|\bnot any ?more\b|\banymore\b",
    r"\b%s (?:earlier|before|ago)\b|\ban? (?:hour|day|week|few commits) (?:earlier|before|ago)\b" % TIMES,
    r"\b(?:earlier|older|old|previous|last) (?:commit|version|build|bench|kernels? of ours|measurement)\b",
    r"\bbefore (?:this|these|that) (?:changes?|patch|patches|commits?|measures|bench|one)\b|\bthe (?:bench|run) before (?:it|this)\b",
    r"\b(?:previously|formerly|originally|currently|nowadays|lately|for now|at present|until now|up to now|since then|in the past)\b",
    r"\bin the old\b|\bas of (?:now|today)\b|\bmeanwhile fixed\b|\bhas since\b|\bwas once\b|\bwere once\b",
    r"[;,] (?:and )?now (?:it|they|that|the|there|this)\b|\bnow (?:takes?|needs?|costs?|gives?|uses?) \d|\bthan now\b|\bit is now\b",
    r"\bnow\b[^.;:]{0,60}\b(?:instead|rather than)\b|\binstead of\b[^.;:]{0,40}\bnow\b|\bas (?:it|they) (?:was|were|did) before\b",
    r"\b(?:was|were) (?:half|twice|\d+ times) as\b|\b(?:host|machine|processor)s? (?:that )?was (?:busy|half|slow)",
    r"\b(?:was|were) (?:not )?(?:tried|looked for|measured)\b",
    r"\|\s*(?:[\w ]+, )?(?:before|now|old|new)\s*(?=\|)",
    r"\bcommit [0-9a-f]{7,40}\b|\b20[2-9]\d-[01]\d-[0-3]\d\b|\b%s \d{1,2}\b(?!:)" % MONTH,
    r"\bon a busy (?:host|virtual machine)\b",
]
PATTERN = re.compile("|".join("(?:%s)" % p for p in PATTERNS), re.I)
WRITTEN = re.compile(r"<!-- [Ww]ritten by ")
ALLOWED = re.compile(r"<!-- remembers: \S.*? -->|\.\\\" remembers: \S.*")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def outside_prose(text, manual):
    """The text with blanks where it is no prose."""
    if manual:
        text = re.sub(r"^\.Bd -literal\b.*?^\.Ed$", lambda m: blank(m[0]), text, flags=re.M | re.S)
        text = re.sub(r"^\.(?:Dd|Dl|\\\").*$", lambda m: m[0] if ALLOWED.match(m[0]) else blank(m[0]), text, flags=re.M)
        return text.replace("\\-", "-").replace("\\&", "")
    text = re.sub(r"^( *)```.*?^\1```$", lambda m: blank(m[0]), text, flags=re.M | re.S)
    text = re.sub(r"<!-- (?!remembers:|measured ).*?-->", lambda m: blank(m[0]), text, flags=re.S)
    return re.sub(r"`[^`\n]+`", lambda m: blank(m[0]), text)


def paragraphs(text, manual):
    """Line number and text of each paragraph, in one line; those that are marked are left out."""
    lines, first, free = [], 1, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        if ALLOWED.match(line.strip()) or line.startswith("<!-- measured "):
            free = True
        elif line.strip() and not (manual and line.strip() in (".PP", ".Pp", ".P")):
            first = first if lines else number
            lines.append(line)
        elif lines:
            if not free:
                yield first, lines
            lines, free = [], False


def faults(name, text, manual=False):
    for first, lines in paragraphs(outside_prose(text, manual), manual):
        whole = "\n".join(lines)
        for m in PATTERN.finditer(re.sub(r"\n", " ", whole)):
            yield "%s:%d: %s" % (name, first + whole.count("\n", 0, m.start()), whole[m.start():m.end()].replace("\n", " ").strip())


def documents():
    for path in sorted(p for pattern in PAGES for p in glob.glob(os.path.join(ROOT, pattern))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if not WRITTEN.search(text[:300]):
            yield os.path.relpath(path, ROOT), text, not path.endswith(".md")


def output(*command):
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return run.stdout + run.stderr


def helps():
    """What programs say of themselves. The guest's cannot run here; their texts are in their sources."""
    yield "make help", output("make", "-s", "help")
    usage = output("./origin", "--help")
    yield "origin --help", usage
    # The compilers' own help is not ours.
    for word in sorted({w for m in re.findall(r"^(?:usage:)? +origin ([a-z+|-]+)", usage, re.M) for w in m.split("|")} - {"cc", "c++", "fortran"}):
        yield "origin %s --help" % word, output("./origin", word, "--help")
    for path in sorted(glob.glob(os.path.join(ROOT, "tools/**/*.c"), recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        strings = [m[0] for m in NOISE.finditer(text) if m[0][0] == '"']
        yield os.path.relpath(path, ROOT), "\n".join(s[1:-1].replace("\\n", "\n") for s in strings)


def main():
    if sys.argv[1:]:
        # A file to look at, instead: the test of this test.
        with open(sys.argv[1], encoding="utf-8") as f:
            print("\n".join(faults(sys.argv[1], f.read(), not sys.argv[1].endswith(".md"))))
        return
    tap = Tap()
    tap.point("documents do not remember", [f for page in documents() for f in faults(*page)])
    tap.point("neither do help texts", [f for page in helps() for f in faults(*page)])
    tap.finish()


main()
