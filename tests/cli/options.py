# SPDX-License-Identifier: GPL-2.0-or-later
"""Goes through every row of the launcher's table of options. The lines of `launcher --options` are described in launcher/help.c.

Usage: options.py ROOT TMP PART    a line for each thing that is wrong, at last "N checked"

  excluded   options that exclude each other are refused, whichever comes first, with both names and the reason; other values are not
  needed     so is an option without the one that it needs
  values     values that are not allowed are refused, allowed ones are not, and no value where one is wanted is refused
  owners     each option is known to exactly its commands
  told       --help, the manual and the completion have exactly the options of each command
  sweeps     a sweep's file may have exactly the options that the table says, and knows what splits
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys

ROOT, TMP, PART = sys.argv[1:]
ORIGIN, LAUNCHER = ROOT + "/origin", ROOT + "/build/launcher"
# What stands for words in capitals. Words that are not here may be any text.
EXAMPLE = {"SECONDS": "1", "MS": "1", "NS": "1", "PORT": "1", "KEY=VALUE": "sh=true", "CHANGE": "L2=2M"}
WRONG = {"SECONDS": "soon", "MS": "0"}
RUNS = ("run", "profile")
ABSENT = ("--gdb", "--break-at", "--restore", "--trust")  # of a debugger or a checkpoint, and there is none


class Row:
    def __init__(self, commands, name, letter, takes, value, low, high, standard, help_, _more):
        self.commands, self.name, self.letter, self.takes, self.value, self.help = commands.split(), name, letter, takes, value, help_
        self.range = (int(low), int(high)) if high else None
        self.shown = letter or name
        self.example = self.words()[0]

    def words(self):
        """Values that are allowed."""
        if self.range:
            return [str(n) for n in self.range] + [w for w in self.value.split("|") if w.islower()]
        if not self.takes:
            return [""]
        plain = re.sub(r"\[.*\](\.\.\.)?", "", self.value) or "1"
        if plain in EXAMPLE:
            return [EXAMPLE[plain]]
        if self.name == "--image":
            return ["tools"]
        return [re.sub(r"[A-Z_]+", lambda m: EXAMPLE.get(m[0], "x"), w) for w in plain.split("|")]

    def wrong(self):
        if self.range:
            return ["", "x", "1x", "-1", str(self.range[1] + 1)] + ([str(self.range[0] - 1)] if self.range[0] else [])
        if not self.takes:
            return []
        if re.fullmatch("[A-Z_]+", self.value):
            return [WRONG[self.value]] if self.value in WRONG else []
        return ["nonsense"]

    def word(self, value=None):
        value = self.example if value is None else value
        return self.name + ("=" + value if self.takes else "")


lines = [line.split("\t") for line in subprocess.run([LAUNCHER, "--options"], capture_output=True, text=True, check=True).stdout.splitlines()]
rows = [Row(*f[1:]) for f in lines if f[0] == "option"]
excludes = [(f[1].split(), *f[2:]) for f in lines if f[0] == "excludes"]
needs = [(f[1].split(), *f[2:]) for f in lines if f[0] == "needs"]
commands = [c for f in lines if f[0] == "command" for c in f[1].split("|")]
checked, bad = 0, []


def row(command, name):
    return next(r for r in rows if r.name == name and command in r.commands)


def origin(command, *argv):
    """The launcher reads the words of all commands, so most points spare the shell around it."""
    argv = [LAUNCHER, command, *argv] if command in RUNS else [LAUNCHER, "--parse", command, *argv]
    r = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=TMP)
    return r.returncode, r.stderr


def check(good, *what):
    global checked
    checked += 1
    if not good:
        bad.append(" ".join(map(repr, what)))


def with_needs(command, words, seen=()):
    """The words, after those that they need."""
    for _, name, others, _ in needs:
        if any(re.split("=", w)[0] == name for w in words) and name not in seen:
            other = others.split("|")[0]
            full = other if "=" in other else row(command, other).word()
            if not any(w.split("=")[0] == other.split("=")[0] for w in words):
                words = [full, *words]
            return with_needs(command, words, (*seen, name))
    if any(w.startswith("--set=") for w in words) and not words[0].startswith("--future"):
        words = ["--future=b", *words]
    return words


def excluded():
    for where, name, mine, other, why in excludes:
        command = "profile" if other == "origin profile" else "run" if "run" in where else where[0]
        check_only = ["--check-options"] if command in ("run", "profile") else []
        a = row(command, name)
        values = [a.example]
        if mine:
            values = [mine.rstrip("*") + "full"] if "*" in mine else [v for v in a.words() if (v != mine[1:] if mine[0] == "!" else v == mine)]
        before = ["--future=a"] if name == "--set" else []
        option = other.removeprefix("a ")  # "a --remedy": of the run or of a future
        b = [option if "=" in option else row(command, option).word()] if option.startswith("--") else []
        end = [] if other == "a shell on the console" else ["true"]
        want = (2, f"origin: {a.shown} does not go with {other}: {why}\n")
        for value in values:
            for words in ([a.word(value), *b], [*b, a.word(value)]) if b else ([a.word(value)],):
                got = origin(command, *check_only, *before, *words, *end)
                check(got == want, words, got)
        for value in [v for v in a.words() if mine and v not in values][:2]:
            got = origin(command, *check_only, *before, a.word(value), *b, *end)
            check(want[1] != got[1], a.word(value), "is refused, too", got)
        if "=" in other:
            b = row(command, other.split("=")[0])
            got = origin(command, *check_only, *before, a.word(values[0]), b.word(next(v for v in b.words() if v != other.split("=")[1])), *end)
            check(want[1] != got[1], a.word(values[0]), b.name, "another value is refused, too", got)


def needed():
    for where, name, others, why in needs:
        command = "run" if "run" in where else where[0]
        a = row(command, name)
        before = ["--future=a"] if name == "--set" else []
        names = re.sub(r", ([^,]*)$", r" or \1", others.replace("|", ", "))
        got = origin(command, "--check-options", *before, a.word(), "true")
        lacks = [want for want in ((2, f"origin: {a.shown} needs {names}: {why}\n"), (2, "origin: --future needs --split")) if got[0] == 2 and got[1].startswith(want[1])]
        check(lacks, a.word(), got)


def values():
    for r in rows:
        for command in r.commands:
            if command == "job":
                continue
            for value in r.wrong() if command in RUNS or r.range or r.value.islower() else ():  # origin run reads the rest behind origin gdb
                words = with_needs(command, [r.word(value)]) if command in RUNS else [r.word(value)]
                status, err = origin(command, *(["--check-options"] if command in RUNS else []), *words, "p")
                check(status == 2 and err.count("\n") == 1 and err.startswith("origin: ") and r.shown in err and f"'{value}'" in err or
                      r.name == "--set" and err.startswith("origin: --set nonsense: it is "), command, r.word(value), status, err)
            for value in r.words():
                # Exclusions of a profile are a part of their own.
                if command == r.commands[0] and command in RUNS and r.name not in ABSENT:
                    got = origin(command, "--check-options", *with_needs(command, [r.word(value)]), "true")
                    check(got == (0, ""), command, r.word(value), got)
                p = subprocess.run([LAUNCHER, "--parse", command, r.word(value), "p"], capture_output=True, text=True)
                want = f"{'option' if r.takes else 'flag'} {r.name[2:]}"
                check(p.returncode == 0 and p.stdout.startswith(want) and p.stdout.endswith("\nset -- p\n"), command, r.word(value), p.stdout, p.stderr)
            if r.takes == "=":
                got = origin(command, r.name)
                check(got == (2, f"origin: no value after {r.name} (origin --help)\n"), command, r.name, got)


def owners():
    for command in sorted({c for r in rows for c in r.commands} - {"job"}):
        own = {r.name for r in rows if command in r.commands}
        for name in sorted({r.name for r in rows}):
            if name not in own and any(o.startswith(name) for o in own):
                continue  # it stands for that one
            r = next((r for r in rows if r.name == name and command in r.commands), next(r for r in rows if r.name == name))
            if command in RUNS and name in ABSENT and name in own:
                continue
            words = [r.word()]
            if command in RUNS:
                words = ["--check-options", *(with_needs(command, words) if name in own else words), "true"]
            status, err = origin(command, *words)
            unknown = status == 2 and err.count("\n") == 1 and f"{r.word()} belongs to origin " in err
            check(unknown == (name not in own), command, r.word(), "unknown" if unknown else "known", status, err)


def names(text):
    return sorted(re.findall(r"--[a-z][\w-]*", text))


def told():
    with open(ROOT + "/docs/man/origin.1", encoding="utf-8") as f:
        listed = sorted("-" + name for name in re.findall(r"^\.It (?:Fl \w , )?Fl (-[\w-]+)(?=$|=| Ns)", f.read(), re.M))
    check(listed == sorted(r.name for r in rows if r.help), "manual", listed)
    complete = subprocess.run([ORIGIN, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    for command in sorted(commands):
        own = [r for r in rows if command in r.commands and r.help]
        if own or command not in ("cc", "c++", "fortran"):
            text = subprocess.run([ORIGIN, command, "--help"], capture_output=True, text=True).stdout
            listed = sorted(m[1] for m in re.finditer(r"^  (?:-\w,|   ) (--[\w-]+)", text, re.M))
            check(listed == sorted(r.name for r in own), command, "--help", listed)
        ask = complete + f"\nCOMP_WORDS=(origin {command} -) COMP_CWORD=2; _origin 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        offered = sorted(w for w in subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=TMP).stdout.split() if w[0] == "-")
        want = sorted(w for r in own for w in (r.letter, r.name + ("=" if r.takes == "=" else "")) if w)
        check(offered == want, command, "completion", offered)
    all_help = subprocess.run([ORIGIN, "--help"], capture_output=True, text=True).stdout
    listed = sorted(m[1] for m in re.finditer(r"^  (?:-\w,|   ) (--[\w-]+)", all_help, re.M))
    check(listed == sorted(r.name for r in rows if r.help), "--help", listed)
    for r in rows:  # words that can be completed
        choices = r.value.split("|") if r.help and re.fullmatch("[a-z|]+", r.value) and "|" in r.value else []
        ask = complete + f"\nCOMP_WORDS=(origin {r.commands[0]} {r.name} '') COMP_CWORD=3; _origin 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        if choices:
            offered = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=TMP).stdout.split()
            check(sorted(offered) == sorted(choices), r.name, "completion of values", offered)


def sweeps():
    os.environ.update(ORIGIN_LAUNCHER=LAUNCHER, ORIGIN_LAUNCH=ORIGIN)
    loader = importlib.machinery.SourceFileLoader("sweep", ROOT + "/launcher/sweep")
    sys.dont_write_bytecode = True
    sweep = importlib.util.module_from_spec(importlib.util.spec_from_loader("sweep", loader))
    loader.exec_module(sweep)
    for r in rows:
        if not set(RUNS) & set(r.commands) or not r.help:
            continue
        value = f'"{r.example}"' if r.takes else "true"
        with open(TMP + "/one.toml", "w", encoding="utf-8") as f:
            f.write(f'[base]\ncommand = "true"\n{r.name[2:]} = {value}\n')
        if "job" in r.commands:
            argv = sweep.Table(TMP + "/one.toml").variants[0].argv
            check([re.sub("=.*/", "=", w) for w in argv] == [r.word()], r.name, argv)
        else:
            got = subprocess.run([ORIGIN, "sweep", TMP + "/one.toml", "-o", TMP + "/never"], capture_output=True, text=True)
            check((got.returncode, got.stderr) == (2, f"origin: sweep: {TMP}/one.toml: '{r.name[2:]}': the option {r.shown} of origin run cannot be set in a sweep\n"), r.name, got)
    options = sweep.Options()
    for where, name, mine, other, why in excludes:
        if "run" not in where or "--split" not in (name, other) or not other.startswith("--"):
            continue
        a = row("run", name)
        value = next(v for v in a.words() if not mine or v != mine[1:])
        given = {a.name[2:]: value, other[2:].split("=")[0]: other.partition("=")[2] or row("run", other.split("=")[0]).example}
        want = f"{a.shown} does not go with {other}: {why}"
        check(options.why_not_split(given) == want, given, options.why_not_split(given))
        if "=" in other:
            given[other[2:].split("=")[0]] = "another"
            check(options.why_not_split(given) is None, given, options.why_not_split(given))


{f.__name__: f for f in (excluded, needed, values, owners, told, sweeps)}[PART]()
print(*bad, f"{checked} checked", sep="\n")
