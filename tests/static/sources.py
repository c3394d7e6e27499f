#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the static tests ask about the C sources of this repository.

    functions LIMIT FOLDER...   functions longer than LIMIT lines
    layers <TABLE               #include lines that the table of layers forbids
    circles FOLDER... units FOLDER... interfaces HEADER...   circles between the files of each folder
    rooms FOLDER <TABLE         arrows between rooms of a folder that the table of its rooms forbids
    called FOLDER USERS... <TABLE   functions that the folder's headers declare and nobody else calls

Each prints TAP. The parser knows comments, strings, preprocessor lines, brackets and
the declarations between them. It does not expand macros. Of two branches of an #if whose
braces do not balance it reads the first.
"""
import collections
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"]", re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|[^\s\w]")
NAME = re.compile(r"[A-Za-z_]\w*$")
CLOSING = {"(": ")", "[": "]", "{": "}"}
KEYWORDS = set("return case else goto sizeof do typeof for while if switch".split())

Token = collections.namedtuple("Token", "text line")
Function = collections.namedtuple("Function", "name first last static")


def blank(match):
    """The same number of lines, and nothing on them."""
    return " " + "\n" * match.group().count("\n")


def drop_unbalanced_branches(text):
    """Without the later branches of each #if whose first branch opens more braces than it closes, or fewer."""
    lines = text.split("\n")
    open_ifs = []
    for number, line in enumerate(lines):
        word = re.match(r"[ \t]*#[ \t]*(if|el|endif)", line)
        if not word:
            continue
        if word.group(1) == "if":
            open_ifs.append([number])
        elif open_ifs and word.group(1) == "el":
            open_ifs[-1].append(number)
        elif open_ifs:
            marks = open_ifs.pop()
            first = "\n".join(lines[marks[0]:(marks + [number])[1]])
            if len(marks) > 1 and first.count("{") != first.count("}"):
                lines[marks[1]:number] = [""] * (number - marks[1])
    return "\n".join(lines)


class Source:
    """One file: what it includes, defines and uses."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
            raw = f.read()
        self.includes = [(raw.count("\n", 0, m.start()) + 1, m.group(1), m.group(2)) for m in INCLUDE.finditer(raw)]
        code = drop_unbalanced_branches(NOISE.sub(blank, raw))
        self.functions = []
        self.variables = set()
        self.prototypes = set()
        self.complaint = None
        # The words of function bodies, initialisers and macros.
        self.words = []
        for macro in DIRECTIVE.findall(code):
            if re.match(r"[ \t]*#[ \t]*define\b", macro):
                self.words += [t.text for t in self.tokens(macro)][3:]
        self.declarations(self.tokens(DIRECTIVE.sub(blank, code)))

    @staticmethod
    def tokens(code):
        found, line, at = [], 1, 0
        for m in TOKEN.finditer(code):
            line += code.count("\n", at, m.start())
            at = m.start()
            found.append(Token(m.group(), line))
        return found

    def skip(self, tokens, at):
        """The index of the bracket that closes the one at AT."""
        depth = 0
        for i in range(at, len(tokens)):
            if tokens[i].text in CLOSING:
                depth += 1
            elif tokens[i].text in CLOSING.values():
                depth -= 1
                if not depth:
                    return i
        self.complaint = f"{self.path}:{tokens[at].line}: a bracket is never closed"
        return len(tokens) - 1

    def declarations(self, tokens):
        """Split the file at the ends of its outermost declarations; brackets count as one token of their first line."""
        words, i, linkage = [], 0, 0
        while i < len(tokens):
            token = tokens[i]
            if token.text == "{" and [w.text for w in words] == ["extern"]:
                words, linkage = [], linkage + 1  # extern "C" {
            elif token.text == "}" and linkage:
                linkage -= 1
            elif token.text in CLOSING:
                end = self.skip(tokens, i)
                words.append(token)
                if token.text == "{":
                    self.words += [t.text for t in tokens[i:end + 1]]
                    if self.is_function(words):
                        self.function(words, tokens[end].line)
                        words = []
                i = end
            elif token.text == ";":
                self.object(words)
                words = []
            elif token.text in CLOSING.values():
                self.complaint = f"{self.path}:{token.line}: a bracket too many"
            else:
                words.append(token)
            i += 1

    @staticmethod
    def is_function(words):
        texts = [w.text for w in words]
        return "(" in texts and "=" not in texts

    def function(self, words, last):
        # The name stands before the parameters; attributes (__x(...)) may stand on both sides.
        names = [words[i - 1].text for i in range(1, len(words)) if words[i].text == "(" and NAME.match(words[i - 1].text)]
        names = [n for n in names if not n.startswith("__")] or names or ["?"]
        self.functions.append(Function(names[-1], words[0].line, last, any(w.text == "static" for w in words)))

    def object(self, words):
        """A variable, a type or a prototype."""
        texts = [w.text for w in words]
        if "=" in texts:
            self.words += texts[texts.index("="):]
            texts = texts[:texts.index("=")]
        if "(" in texts:
            self.prototypes |= {a for a, b in zip(texts, texts[1:]) if b == "("}
            return
        texts = [t for t in texts if t not in ("[", "{") and not t.startswith("__")]
        if len(texts) < 2 or not NAME.match(texts[-1]) or texts[-2] in ("struct", "union", "enum"):
            return
        if "extern" in texts:
            self.prototypes.add(texts[-1])
        elif "typedef" not in texts and "static" not in texts:
            self.variables.add(texts[-1])

    def defines(self):
        """Names that other files can use through the linker."""
        if not self.path.endswith(".c"):
            return set()
        return self.variables | {f.name for f in self.functions if not f.static}

    def uses(self):
        """Names of functions and variables that this file may take from elsewhere."""
        words = self.words
        own, called, named = {f.name for f in self.functions}, set(), set()
        for before, word, after in zip([""] + words, words, words[1:] + [""]):
            if not NAME.match(word) or word in KEYWORDS or before in (".", "->", "struct", "union", "enum"):
                continue
            if after == "(":
                called.add(word)
            elif after in (",", ";", "=", ")", "[") and before not in KEYWORDS and (NAME.match(before) or before == "*"):
                own.add(word)  # a local variable or a parameter of that name
            else:
                named.add(word)
        return called - {f.name for f in self.functions} | named - own


def find(folder, ends):
    for path, folders, files in os.walk(os.path.join(ROOT, folder)):
        folders.sort()
        for name in sorted(files):
            if name.endswith(ends):
                yield os.path.relpath(os.path.join(path, name), ROOT)


class Tap:
    def __init__(self):
        self.points = 0
        self.failed = False

    def point(self, name, faults):
        self.points += 1
        print("%sok %d - %s" % ("not " if faults else "", self.points, name))
        for fault in faults:
            print("#   " + fault)
        self.failed = self.failed or bool(faults)

    def finish(self):
        print(f"1..{self.points}")
        sys.exit(self.failed)


def functions(limit, *folders):
    tap = Tap()
    for folder in folders:
        faults = []
        for path in find(folder, (".c", ".h", ".c.inc")):
            source = Source(path)
            faults += [source.complaint] if source.complaint else []
            for f in source.functions:
                if f.last - f.first + 1 > int(limit):
                    faults.append(f"{path}:{f.first}: {f.name}() has {f.last - f.first + 1} lines")
        tap.point(f"{folder}: no function over {limit} lines", faults)
    tap.finish()


# --- layers ------------------------------------------------------------------------

Layer = collections.namedtuple("Layer", "folder allowed outside system")


def subfolders(folder):
    """FOLDER/* stands for the folders in it."""
    if not folder.endswith("/*"):
        return [folder]
    return sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, folder)) if os.path.isdir(p))


def read_layers(lines):
    """Rows "FOLDER | what it may include in quotes | pattern of the system's headers"."""
    layers = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            folder, allowed, system = (part.strip() for part in line.split("|", 2))
            ours, outside = [], False
            for place in allowed.split():
                if place.isupper():
                    outside = True
                else:
                    ours.append(place)
            for each in subfolders(folder):
                layers = [other for other in layers if other.folder != each]
                layers.append(Layer(each, [each] + ours, outside, re.compile(f"(?:{system})$")))
    return layers


def inside(path, places):
    return any(path == place or path.startswith(place + "/") for place in places)


def forbidden(source, layer, known):
    """The #include lines of a file that its layer may not have."""
    faults = []
    for line, quote, header in source.includes:
        if quote == "<":
            if not layer.system.match(header):
                faults.append(f"{source.path}:{line}: <{header}>")
            continue
        beside = os.path.normpath(os.path.join(os.path.dirname(source.path), header))
        found = [beside] if beside in known else [p for p in known if ("/" + p).endswith("/" + header)]
        if not any(inside(p, layer.allowed) for p in found) and (found or not layer.outside):
            faults.append(f"{source.path}:{line}: \"{header}\" is {' or '.join(found) or 'in no folder of this repository'}")
    return faults


def layers():
    tap = Tap()
    table = read_layers(sys.stdin)
    ends = (".c", ".h", ".S", ".inc")
    known = {p for top in sorted(os.listdir(ROOT)) if top not in ("build", ".git", "tests") and os.path.isdir(os.path.join(ROOT, top))
             for p in find(top, ends)}
    for layer in table:
        # The most specific row counts.
        finer = [other.folder for other in table if other.folder.startswith(layer.folder + "/")]
        faults = []
        for path in sorted(known):
            if inside(path, [layer.folder]) and not inside(path, finer):
                faults += forbidden(Source(path), layer, known)
        tap.point(f"{layer.folder} includes nothing of a layer above it", faults)
    tap.finish()


# --- circles -----------------------------------------------------------------------


def stem(path):
    """What a header and its own .c have in common."""
    folder, name = os.path.split(path)
    return os.path.join(folder, name.split(".")[0])


def arrows(sources):
    """(file, file) -> why: the included header, or the names of the other that are used."""
    homes = collections.defaultdict(set)
    for s in sources:
        for name in s.defines():
            homes[name].add(s.path)
    paths = {s.path for s in sources}
    found = collections.defaultdict(set)
    for s in sources:
        for _, quote, header in s.includes:
            beside = os.path.normpath(os.path.join(os.path.dirname(s.path), header))
            targets = [beside] if beside in paths else [p for p in paths if p.endswith("/" + header)]
            if quote == '"' and len(targets) == 1:
                found[s.path, targets[0]].add("#include")
        # A header that declares a function is its interface, wherever it is defined.
        for name in s.uses() - s.prototypes:
            places = homes.get(name, ())
            if len(places) > 1:
                places = [p for p in places if os.path.dirname(p) == os.path.dirname(s.path)]
            if len(places) == 1:
                found[s.path, *places].add(name)
    return {pair: why for pair, why in found.items() if stem(pair[0]) != stem(pair[1])}


def declarations(sources):
    """(header, file) -> the names that the header declares and another file than its own .c defines."""
    homes = collections.defaultdict(set)
    for s in sources:
        for name in s.defines():
            homes[name].add(s.path)
    found = collections.defaultdict(set)
    for s in sources:
        for name in s.prototypes if s.path.endswith(".h") else ():
            for place in homes[name]:
                if stem(place) != stem(s.path):
                    found[s.path, place].add(name)
    return found


def shortest_circle(start, after):
    """A shortest way from START back to it, or None."""
    ways, seen = collections.deque([[start]]), set()
    while ways:
        way = ways.popleft()
        for step in sorted(after[way[-1]]):
            if step == start:
                return way
            if step not in seen:
                seen.add(step)
                ways.append(way + [step])
    return None


def circles_of(found, folder="."):
    """Each circle of arrows (here, there) -> why, in words."""
    after = collections.defaultdict(set)
    for here, there in found:
        after[here].add(there)
    told, faults = set(), []
    for start in sorted(after):
        way = shortest_circle(start, after)
        if way and frozenset(way) not in told:
            told.add(frozenset(way))
            steps = zip(way, way[1:] + way[:1])
            faults.append(", ".join("%s uses %s (%s)" % (os.path.relpath(a, folder), os.path.relpath(b, folder), " ".join(sorted(found[a, b])[:4]))
                                    for a, b in steps))
    return faults


def grouped(found, name):
    """The arrows between groups, whose names are name(path); why: the files at both ends, and their reason."""
    groups = collections.defaultdict(set)
    for (here, there), why in found.items():
        if name(here) != name(there):
            groups[name(here), name(there)].add("%s: %s of %s" % (here, " ".join(sorted(why)[:4]), there))
    return groups


def sources_of(folder):
    return [Source(p) for p in find(folder, (".c", ".h", ".S", ".inc"))]


def circles(*words):
    """
    Between the files of each folder; after the word "units", a header and its own .c are one, and need what the header declares, unless
    the header stands after the word "interfaces".
    """
    tap = Tap()
    folders, interfaces = words[:words.index("interfaces")], words[words.index("interfaces") + 1:]
    strict = folders.index("units")
    for number, folder in enumerate(folders):
        if number == strict:
            continue
        sources = sources_of(folder)
        found = arrows(sources)
        what = "files"
        if number > strict:
            declared = {k: v for k, v in declarations(sources).items() if k[0] not in interfaces}
            found = grouped({**found, **declared}, stem)
            what = "files, a header and its .c being one"
        tap.point(f"{folder}: no circle between {what}", circles_of(found, folder))
    tap.point("each interface is there", [h for h in interfaces if not os.path.exists(os.path.join(ROOT, h))])
    tap.finish()


# --- rooms -------------------------------------------------------------------------

Room = collections.namedtuple("Room", "name files uses")


def read_rooms(lines):
    """Rows "room | its folders and files | rooms that it may use"."""
    rows = (line.split("|") for line in lines if line.strip() and not line.startswith("#"))
    return [Room(name.strip(), files.split(), uses.split()) for name, files, uses in rows]


def rooms(folder):
    table = read_rooms(sys.stdin)
    sources = sources_of(folder)
    paths = [s.path for s in sources]
    room_of, strays = {}, []
    for path in paths:
        names = [r.name for r in table if inside(os.path.relpath(path, folder), r.files)]
        room_of[path] = names[0] if len(names) == 1 else os.path.dirname(path)
        strays += [] if len(names) == 1 else [f"{path}: {' and '.join(names) or 'no room'}"]
    tap = Tap()
    tap.point(f"{folder}: each file has one room", strays)
    found = {**arrows(sources), **declarations([s for s in sources if "ANY" not in uses_of(table, room_of[s.path])])}
    tap.point(f"{folder}: no circle between files, a header and its .c being one", circles_of(grouped(found, stem), folder))
    found = grouped(found, room_of.get)
    for number, room in enumerate(table):
        above = {r.name for r in table[number:]}
        faults = [f"its row names {name}, whose row does not stand before it" for name in room.uses if name in above]
        faults += [f"its row names {name}, which it does not use" for name in room.uses if name != "ANY" and (room.name, name) not in found]
        for here, there in sorted(found):
            if here == room.name and there not in room.uses:
                faults += sorted(found[here, there])
        tap.point(f"{folder}: {room.name} uses {' '.join(room.uses) or 'no other room'}", faults)
    tap.point(f"{folder}: no circle between rooms", circles_of(found))
    tap.finish()


def called(folder, *users):
    """Each function of a header is used by another file than the one that defines it, or the table says why it is not."""
    reasons = {name.strip(): why.strip() for name, why in (line.split("|", 1) for line in sys.stdin if line.strip())}
    own = sources_of(folder)
    words = {s.path: set(s.words) for s in own + [s for top in users for s in sources_of(top)]}
    tap, unknown = Tap(), set(reasons)
    for header in (s for s in own if s.path.endswith(".h")):
        faults = []
        for name in sorted(header.prototypes | {f.name for f in header.functions}):
            homes = {s.path for s in own if name in {f.name for f in s.functions}}
            if not homes:
                continue  # a variable, a macro or an attribute
            # What is inline may serve its own header only.
            alone = not any(name in found for path, found in words.items() if path not in homes or path == header.path)
            if alone and name in reasons:
                unknown.discard(name)
            elif alone:
                faults.append(f"{name}(): no file but {' and '.join(sorted(homes))} calls it")
        if header.prototypes or header.functions:
            tap.point(f"{header.path}: somebody besides tests calls each of its functions", faults)
    tap.point("all exceptions are needed", sorted(unknown))
    tap.finish()


def uses_of(table, name):
    return [use for room in table if room.name == name for use in room.uses]


if __name__ == "__main__":
    {"functions": functions, "layers": layers, "circles": circles, "rooms": rooms, "called": called}[sys.argv[1]](*sys.argv[2:])
