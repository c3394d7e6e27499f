#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names that lead nowhere: what comments, documents and manual pages mention must exist.

It looks for these names in the prose of every tracked file:
    paths       docs/hw.md, tests/guest/share.sh: from the repository's root, or from the file's own folder
    files       exec.c, hub.h: a file of that name somewhere in the repository
    pages       snsar(1): docs/man/snsar.1; write(2): a function of the host's C library
    functions   sn_topo_build(): a word of the code, as a function, a macro or a field
    links       [text](FILE#heading) of a document: the file, and the heading in it, as GitHub writes its anchor
Names of other projects come on standard input, separated by blanks; # begins a comment.
A file's name covers paths that end with it; so do files that a page has its readers write. Prints TAP.
"""
import ctypes
import glob
import os
import re
import subprocess
import sys

from sources import NOISE, ROOT, Tap

TOP = "docs|driver|examples|include|kernel|launcher|lib|qemu-origin|scripts|tests|tools"
SUFFIX = r"(?:c|h|S|inc|md|sh|py|dts|dtsi|mk|svg|csv|txt|patch|supp|ld|json|config)"
PATH = re.compile(r"(?<![\w/.$}~<-])(?:(?:%s)(?:/[\w.*?{},+-]+)+|[\w*-]+(?:/[\w.*?{},+-]+)*(?:\.%s)+)(?![\w/(])" % (TOP, SUFFIX))
FUNCTION = re.compile(r"(?<![\w.>/$-])([A-Za-z_]\w{2,})\(\)")
PAGE = re.compile(r"(?<![\w.-])([a-z][\w.+-]+)\(([1-9])\)")
LINK = re.compile(r"\]\(([^)\s:]+)\)")
LIBC = ctypes.CDLL(None)
WORD = re.compile(r"[A-Za-z_]\w*")
C_ENDS = (".c", ".h", ".S", ".inc", ".ld", ".dts", ".dtsi")


def tracked():
    run = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True)
    if run.returncode == 0:
        return [p for p in run.stdout.decode().split("\0") if p and os.path.isfile(os.path.join(ROOT, p))]
    return [os.path.relpath(os.path.join(d, f), ROOT) for d, ds, fs in os.walk(ROOT) for f in fs if "/build/" not in d + "/"]


def split(path, text):
    """The prose and the code of a file, with the same line numbers."""
    name = os.path.basename(path)
    if path.endswith(".md") or path.startswith("docs/man/"):
        text = re.sub(r"(?:^\.)?\bXr (\S+) (\d)", r"\1(\2)", text.replace("\\&", ""), flags=re.M)
        return text, ""
    if path.endswith(C_ENDS):
        prose, code, at = [], [], 0
        for m in NOISE.finditer(text):
            between = text[at:m.start()]
            code.append(between)
            prose.append("\n" * between.count("\n"))
            comment = m.group()[0] == "/"
            (prose if comment else code).append(m.group())
            (code if comment else prose).append("\n" * m.group().count("\n"))
            at = m.end()
        code.append(text[at:])
        return "".join(prose), "".join(code)
    if path.endswith((".sh", ".py", ".mk")) or name in ("Makefile", "Kbuild", "origin") or text.startswith("#!"):
        lines = text.split("\n")
        prose = [re.search(r"(?:^|\s)#(.*)", line) for line in lines]
        return "\n".join(m.group(1) if m else "" for m in prose), text
    return "", text


class Names:
    def __init__(self, foreign):
        self.foreign = foreign
        self.files = tracked()
        self.prose, self.words = {}, set()
        for path in self.files:
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
                text = f.read()
            if "\0" in text or path == "LICENSE":
                continue
            self.foreign |= set(re.findall(r"<!-- file (\S+) -->", text))
            self.prose[path], code = split(path, text)
            if path.endswith(".patch"):
                code = "\n".join(line for line in code.split("\n") if line[:1] in ("+", "-", " "))
            self.words.update(WORD.findall(code))

    def path_exists(self, name, here):
        name = name.rstrip(".,{+?")
        if name.startswith("build/"):
            return True
        if re.search(r"patches/\d{4}$", name):
            name += "-*.patch"
        for pattern in braces(name):
            if pattern in self.foreign or os.path.basename(pattern) in self.foreign:
                continue
            places = [os.path.join(ROOT, pattern), os.path.join(ROOT, os.path.dirname(here), pattern)]
            if not any(glob.glob(p) for p in places) and \
                    not any(("/" + f).endswith("/" + pattern) or glob_end(pattern, f) for f in self.files):
                return False
        return True

    def function_exists(self, name, _):
        # "refcnt_add(), _sub()": the same name with another end.
        return name in self.words or name in self.foreign or name.startswith("_") and any(w.endswith(name) for w in self.words)

    def page_exists(self, name, _):
        function, section = name.rsplit(".", 1)
        return name in self.foreign or f"docs/man/{name}" in self.files or section in "23" and hasattr(LIBC, function)

    def link_exists(self, link, here):
        if not here.endswith(".md"):
            return True
        path, _, heading = link.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(here), path)) if path else here
        if not os.path.exists(os.path.join(ROOT, path)):
            return False
        return not heading or not path.endswith(".md") or heading in anchors(self.prose[path])

    def dangling(self, pattern, exists):
        faults = []
        for path, prose in sorted(self.prose.items()):
            for number, line in enumerate(prose.split("\n"), 1):
                for m in pattern.finditer(line):
                    name = ".".join(m.groups()) or m.group()
                    if not exists(name, path):
                        faults.append(f"{path}:{number}: {name}")
        return faults


def anchors(document):
    """GitHub's names of the headings, and the names that the document gives itself."""
    found, times = set(re.findall(r'(?:id|name)="([^"]+)"', document)), {}
    for heading in re.findall(r"^#+ +(.*)", re.sub(r"^```.*?^```", "", document, flags=re.M | re.S), flags=re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = times[name] = times.get(name, -1) + 1
        found.add(f"{name}-{again}" if again else name)
    return found


def braces(name):
    m = re.search(r"\{([^{}]*)\}", name)
    if not m:
        return [name]
    return [x for part in m.group(1).split(",") for x in braces(name[:m.start()] + part + name[m.end():])]


def glob_end(pattern, path):
    if not re.search(r"[*?]", pattern):
        return False
    expression = "".join({"*": "[^/]*", "?": "[^/]"}.get(c, re.escape(c)) for c in pattern)
    return re.search("(?:^|/)" + expression + "$", path) is not None


def main():
    foreign = {name for line in sys.stdin for name in line.split("#")[0].split()}
    names = Names(foreign)
    tap = Tap()
    tap.point("files that are named exist", names.dangling(PATH, names.path_exists))
    tap.point("manual pages that are named exist", names.dangling(PAGE, names.page_exists))
    tap.point("functions that are named exist", names.dangling(FUNCTION, names.function_exists))
    tap.point("links of documents lead to a file and a heading", names.dangling(LINK, names.link_exists))
    tap.finish()


main()
