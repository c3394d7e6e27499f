# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/reproduce makes of runs that are done: values, verdicts, charts, pages.

    write_experiment(experiment, runs, docs)    one page with its pictures, and its results in results.json
    write_all(table, docs)                      README.md and index.html from what results.json has; returns how many criteria are met and failed

Expressions in the table (`is` of a value, `holds` of a criterion) see

    number(run, pattern, n=0)       the number in the first group of the pattern's match number n in the run's output
    trace(run)                      what snrun recorded there:
        .mean(metric, where, window=None)       over time, of objects with this label, or of all that match a pattern
        .plateau(metric, where, window=None)    the median of the samples that are at least 90 % of the largest
        .during(metric, where, other)           the median of the samples in which another metric is at least 90 % of its largest
        .total(metric, where="*", window=None)  the sum of a count
        .last(metric, where="*")                the counts of the whole run by sndump --total
    rows(table)                     the rows of one of the experiment's tables, as dictionaries
    cell(table, column, **where)    a cell of the row with these values
    v                               values by id that stand earlier in the table

A window is a part of the program by its mark (option -v of the examples): ("transpose", 1) is the second one of that name, ("sums", 0, "end") ends with
the next mark "end".
"""
import csv
import fnmatch
import glob
import html
import io
import json
import os
import re
import statistics
import struct
import subprocess

import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLOURS = ["#1f5fa8", "#d1661b", "#2d8a4e", "#a63d79", "#6b5bb5", "#8a6d1f", "#3a8f9c", "#b03a3a", "#555555"]
PANEL = 135  # pixels
LICENCE = "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n<!-- Written by scripts/reproduce (make reproduce). -->\n"


class Trace:
    """The files of snrun in a run's directory. Times are seconds since the start of the earliest one."""

    def __init__(self, run):
        self.files = sorted(f for f in glob.glob(os.path.join(run.share, "trace*")) if os.path.isfile(f))
        if not self.files:
            raise ValueError("%s recorded no trace" % run.name)
        starts = []
        for path in self.files:
            with open(path, "rb") as f:
                starts.append(struct.unpack(">Q", f.read(48)[40:])[0])
        self.samples = self.dump("--csv")
        for s in self.samples:
            s["time"], s["end"] = float(s["time"]), float(s["end"])
        out = open(run.out, errors="replace").read()
        self.marks = [((int(a) * 10**9 + int(b) - min(starts)) / 1e9, what) for a, b, what in re.findall(r"^mark (\d+)\.(\d{9}) (.*)$", out, re.M)]

    def dump(self, *options):
        done = subprocess.run([os.path.join(ROOT, "build/host/sndump"), *options, *self.files], capture_output=True, text=True, check=True)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def window(self, window):
        """The times at which a part of the program begins and ends."""
        if window is None:
            return float("-inf"), float("inf")
        what, nth, until = (*window, None)[:3]
        at = [i for i, (_, w) in enumerate(self.marks) if w == what][nth]
        end = next(t for t, w in self.marks[at + 1:] if until is None or w == until)
        return self.marks[at][0], end

    def series(self, metric, where, window=None):
        """Samples (begin, end, value) within a window."""
        begin, end = self.window(window)
        return [(s["time"], s["end"], float(s[metric])) for s in self.samples
                if s.get(metric) and fnmatch.fnmatch(s["loc"], where) and s["time"] >= begin and s["end"] <= end]

    def mean(self, metric, where, window=None):
        found = self.series(metric, where, window)
        return sum(v * (e - b) for b, e, v in found) / sum(e - b for b, e, v in found)

    def plateau(self, metric, where, window=None):
        values = [v for _, _, v in self.series(metric, where, window)]
        return statistics.median(v for v in values if v >= 0.9 * max(values))

    def during(self, metric, where, other):
        most = max(v for _, _, v in self.series(other, where))
        when = {b for b, _, v in self.series(other, where) if v >= 0.9 * most}
        return statistics.median(v for b, _, v in self.series(metric, where) if b in when)

    def total(self, metric, where="*", window=None):
        return sum(v for _, _, v in self.series(metric, where, window))

    def last(self, metric, where="*"):
        return sum(float(s[metric]) for s in self.dump("--csv", "--total") if s.get(metric) and fnmatch.fnmatch(s["loc"], where))


class Results:
    """What an experiment's expressions see."""

    def __init__(self, experiment, runs):
        self.experiment, self.v, self.traces = experiment, {}, {}
        self.runs = {r.run["name"]: r for r in runs}
        self.tables = {}
        for t in experiment.get("table", []):
            self.tables[t["name"]] = self.parse(t)

    def text(self, run):
        with open(self.runs[run].out, encoding="utf-8", errors="replace") as f:
            return f.read()

    def number(self, run, pattern, n=0):
        return float(re.findall(pattern, self.text(run), re.M)[n])

    def trace(self, run):
        if run not in self.traces:
            self.traces[run] = Trace(self.runs[run])
        return self.traces[run]

    def parse(self, table):
        """A table's rows: matches of a pattern in the outputs of its runs, with the run's name as column "run" if there are several; then
        columns that are computed."""
        found = []
        names = table.get("runs", list(self.runs))
        for name in names:
            for m in re.finditer(table["pattern"], self.text(name), re.M):
                row = {k: number_of(x) for k, x in m.groupdict().items()}
                found.append(dict({"run": name}, **row))
        if "median" in table:
            found = medians(found, table["median"])
        for row in found:
            for column, expression in table.get("computed", {}).items():
                row[column] = self.evaluate(expression, row=row, rows_so_far=found)
        return found

    def rows(self, name):
        return self.tables[name]

    def cell(self, name, column, **where):
        return next(r[column] for r in self.tables[name] if all(r[k] == x for k, x in where.items()))

    def evaluate(self, expression, **more):
        return eval(expression, dict(number=self.number, trace=self.trace, rows=self.rows, cell=self.cell, v=self.v, **more))


def medians(rows, columns):
    """One row for all that have the same in the other columns: their median in these columns, and in "spread" how far apart the first of the columns lies, in % of it."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(x for k, x in row.items() if k not in columns), []).append(row)
    out = []
    for group in groups.values():
        row = dict(group[0])
        for k in columns:
            row[k] = statistics.median(r[k] for r in group)
        first = [r[columns[0]] for r in group]
        row["spread"] = 100 * (max(first) - min(first)) / row[columns[0]]
        out.append(row)
    return out


def number_of(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        try:
            return float(text)
        except (TypeError, ValueError):
            return text


def shown(x):
    """A number for people: four digits, or all of a whole number."""
    if isinstance(x, float):
        return "%.0f" % x if abs(x) >= 1000 else "%.4g" % x
    return str(x)


# --- verdicts ---------------------------------------------------------------------------------------------------------------------------

def judge(results):
    """The experiment's values and criteria as rows: what, paper, here, criterion, verdict."""
    out = []
    for value in results.experiment.get("value", []):
        here = results.v[value["id"]] = results.evaluate(value["is"])
        paper, unit = value.get("paper"), value.get("unit", "")
        row = {"what": value["what"], "unit": unit, "paper": paper, "here": here, "criterion": "", "verdict": ""}
        if "percent" in value:
            row["criterion"] = "within %s %%" % shown(value["percent"])
            row["verdict"] = verdict(abs(here / paper - 1) * 100 <= value["percent"])
        elif "points" in value:
            row["criterion"] = "within %s points" % shown(value["points"])
            row["verdict"] = verdict(abs(here - paper) <= value["points"])
        out.append(row)
    for c in results.experiment.get("criterion", []):
        holds = bool(results.evaluate(c["holds"]))
        out.append({"what": c["asks"] if "asks" in c else c["says"], "unit": "", "paper": None, "here": None, "criterion": "`%s`" % c["holds"],
                    "verdict": ("yes" if holds else "no") if "asks" in c else verdict(holds)})
    return out


def verdict(good):
    return "met" if good else "failed"


# --- charts -----------------------------------------------------------------------------------------------------------------------------

def gnuplot(path, script):
    done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True)
    if done.returncode or not os.path.getsize(path):
        raise ValueError("gnuplot: %s" % done.stderr.strip())


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("_", "\\\\_")


def draw(results, chart, path):
    (draw_rows if "table" in chart else draw_lines)(results, chart, path)


def header(path, height, title):
    return ['set terminal svg size 840,%d background rgb "white" font "sans-serif,12"' % height, 'set output "%s"' % path,
            "set tics nomirror out", "set border 3", "set grid ytics lc rgb '#dddddd'", "set key top right", "set title %s" % quoted(title)]


def spans(results, chart):
    """What is subtracted from each run's times, and the times at which the axis, the same for all runs, begins and ends."""
    if "window" in chart:
        windows = {run: results.trace(run).window(tuple(chart["window"])) for run in chart["runs"]}
        longest = max(e - b for b, e in windows.values())
        return {run: b for run, (b, e) in windows.items()}, -0.03 * longest, 1.05 * longest
    traces = [results.trace(run) for run in chart["runs"]]
    return dict.fromkeys(chart["runs"], 0), min(s["time"] for t in traces for s in t.samples), max(s["end"] for t in traces for s in t.samples)


def draw_lines(results, chart, path):
    """A panel for each object or run, with samples as steps and the program's marks as dotted lines."""
    panels = [(run, where) for run in chart["runs"] for where in chart["objects"]]
    metrics = chart["metrics"]
    height = 72 + PANEL * len(panels)
    out = header(path, height, "") + ["unset title", "set multiplot layout %d,1 title %s font ',13' margins 0.09,0.98,%.4f,%.4f spacing %.3f" % (
        len(panels), quoted(chart["title"]), 45 / height, 1 - 57 / height, 0.1 if len(chart["runs"]) > 1 else 0.02)]
    out += ["set yrange [0:%s]" % chart.get("most", 105), "set xtics format ''", "set ylabel offset 1", "set samples 2"]
    shifts, begin, end = spans(results, chart)
    for n, (run, where) in enumerate(panels):
        trace, shift = results.trace(run), shifts[run]
        out += ["$d%d_%d << E" % (n, i) + "\n" + "\n".join("%.6f %.3f" % (t - shift, v) for b, e, v in trace.series(m, where)
                if begin <= e - shift and b - shift <= end for t in (b, e)) + "\nE" for i, m in enumerate(metrics)]
        out += ["unset arrow", "unset label"]
        room = [begin, begin]  # two rows of names; where in each the last one ends
        for t, what in trace.marks:
            if begin <= t - shift <= end:
                out.append("set arrow from %.6f, graph 0 to %.6f, graph 1 nohead dt 3 lc rgb '#666666'" % (t - shift, t - shift))
                if n == 0 or len(chart["runs"]) > 1:
                    side = "right" if t - shift > end - 0.1 * (end - begin) else "left"
                    width = 0.0068 * len(what) * (end - begin)
                    left = t - shift - (width if side == "right" else 0)
                    row = 0 if left >= room[0] else 1
                    room[row] = left + width
                    out.append("set label %s at %.6f, graph %.2f %s font ',10' tc rgb '#444444'" % (
                        quoted(what), t - shift, 1.06 + 0.12 * row, side))
        if n == len(panels) - 1:
            out += ["set xtics format '%g'", "set xlabel %s" % quoted(chart.get("x", "seconds"))]
        named = " ".join(([run] if len(chart["runs"]) > 1 else []) + ([where] if len(chart["objects"]) > 1 else []))
        out += ["set ylabel %s" % quoted((named + ", %") if named else "%"), "set xrange [%.6f:%.6f]" % (begin, end),
                "plot " + ", ".join("$d%d_%d with lines lw 1.3 lc rgb '%s' title %s" % (
                    n, i, COLOURS[i], quoted(chart["keys"][i]) if n == 0 and "keys" in chart else "''") for i in range(len(metrics)))]
    gnuplot(path, "\n".join(out + ["unset multiplot", ""]))


def draw_rows(results, chart, path):
    """Lines of a table: y over x, one for each value of the column `by`; or bars, if x is text."""
    rows = [r for r in results.rows(chart["table"]) if results.evaluate(chart.get("where", "True"), row=r)]
    names = list(dict.fromkeys(r[chart["by"]] for r in rows)) if "by" in chart else [None]
    bars = isinstance(rows[0][chart["x"]], str)
    out = header(path, 380, chart["title"]) + ["set xlabel %s" % quoted(chart.get("x_text", chart["x"])), "set ylabel %s" % quoted(chart["y_text"]),
                                               "set yrange [%s:*]" % ("*" if chart.get("log") else "0"), "set key outside right"]
    out += ["set logscale y"] if chart.get("log") else []
    out += ["set format y '%.8g'"]
    if bars:
        out += ["set xtics rotate by -20"] if max(len(r[chart["x"]]) for r in rows) * len(rows) > 90 else []
        out += ["set style data histogram", "set style fill solid 0.8", "set boxwidth 0.9", "unset key" if names == [None] else ""]
    else:
        # The range is a little wider than the values: gnuplot leaves out a tic that it takes to be beyond the edge.
        xs = [r[chart["x"]] for r in rows]
        out += ["set xrange [%g:%g]" % (0.97 * min(xs), 1.03 * max(xs)), "set logscale x 2", "set xtics (%s)" % ",".join("%s" % x for x in sorted({r[chart["x"]] for r in rows}))] if not chart.get("x_linear") else []
    for n, name in enumerate(names):
        lines = ['"%s" %s' % (r[chart["x"]], r[chart["y"]]) for r in rows if name is None or r[chart["by"]] == name]
        out.append("$d%d << E\n%s\nE" % (n, "\n".join(lines)))
    style = "using 2:xtic(1)" if bars else "using (real(strcol(1))):2 with linespoints pt 7 ps 0.6 lw 1.5"
    out.append("plot " + ", ".join("$d%d %s lc rgb '%s' title %s" % (n, style, COLOURS[n % len(COLOURS)], quoted(str(name or ""))) for n, name in enumerate(names)))
    gnuplot(path, "\n".join(out + [""]))


# --- pages ------------------------------------------------------------------------------------------------------------------------------

def markdown_table(columns, rows):
    """Numbers to the right."""
    right = [all(not isinstance(r[i], str) or r[i] == "" for r in rows) for i in range(len(columns))]
    cells = [["" if x is None else shown(x).replace("|", "\\|") for x in r] for r in rows]
    return ["| " + " | ".join(columns) + " |", "|" + "|".join("--:" if r else "---" for r in right) + "|"] + ["| " + " | ".join(r) + " |" for r in cells] + [""]


def values_section(judged):
    out = []
    numbers = [r for r in judged if r["here"] is not None]
    if numbers:
        out += markdown_table(["", "unit", "paper", "here", "criterion", "verdict"],
                              [[r["what"], r["unit"], r["paper"], r["here"], r["criterion"], mark(r["verdict"])] for r in numbers])
    for r in judged:
        if r["here"] is not None:
            continue
        if r["verdict"] in ("yes", "no"):
            out += ["* %s *%s.* Yes would be: %s" % (r["what"], r["verdict"].capitalize(), r["criterion"])]
        else:
            out += ["* %s: %s. Criterion: %s" % (mark(r["verdict"]), r["what"], r["criterion"])]
    return out + [""]


def mark(text):
    return {"met": "met", "failed": "**FAILED**"}.get(text, text)


def commands_section(experiment, runs):
    out = ["## Commands", ""]
    files = dict.fromkeys(f for r in runs for f in r.files)
    if files:
        out += ["In a directory with " + ", ".join("[%s](../../%s)" % (os.path.basename(f), f) for f in files) + ":", ""]
    lines = list(dict.fromkeys(c for r in runs for c in r.compile))
    for r in runs:
        own = r.before[len(r.compile):] + [r.command]
        lines += ["", "# %s" % r.run["name"]] + own if len(runs) > 1 else own
    out += ["```"] + lines + ["```", ""]
    for path in dict.fromkeys(r.known["recorded"] for r in runs if "recorded" in r.known):
        out += ["Recorded in [%s](../../%s)." % (path, path), ""]
    known = {(r.machine, r.options, r.known["kernel"], r.known["commit"]) for r in runs if "recorded" not in r.known}
    for machine, options, kernel, commit in sorted(known):
        out += ["Machine %s, options `%s`, Linux %s, commit %s." % (machine, options, kernel, commit), ""]
    return out


def write_experiment(experiment, runs, docs):
    results = Results(experiment, runs)
    name = experiment["name"]
    pictures = []  # (drawn, its name in the page): they replace the older ones when all else has succeeded
    judged = judge(results)
    out = [LICENCE + "# " + experiment["title"], "", "Source: %s." % experiment["source"], "", "## The paper" if not experiment.get("question") else "## The question",
           "", experiment["paper"].strip(), "", "## Here", ""]
    if experiment.get("setup"):
        out += [experiment["setup"].strip(), ""]
    out += values_section(judged)
    for n, chart in enumerate(experiment.get("chart", []), 1):
        picture = "%s-%d.svg" % (name, n)
        pictures.append((os.path.join(docs, picture + ".new"), os.path.join(docs, picture)))
        draw(results, chart, pictures[-1][0])
        out += ["![%s](%s)" % (chart["title"], picture), "", chart["text"].strip(), ""]
    for table in experiment.get("table", []):
        if table.get("hidden"):
            continue
        columns = table["columns"]
        out += [table["text"].strip(), ""] + markdown_table([columns[c] for c in columns], [[r[c] for c in columns] for r in results.rows(table["name"])])
    for run in experiment.get("output", []):
        out += [run["text"].strip(), "", "```", results.text(run["run"]).rstrip(), "```", ""]
    if experiment.get("finding"):
        out += [experiment["finding"].strip().format(**results.v), ""]
    out += commands_section(experiment, runs)
    for old in glob.glob(os.path.join(docs, name + "-*.svg")):
        os.remove(old)
    for drawn, picture in pictures:
        os.rename(drawn, picture)
    with open(os.path.join(docs, name + ".md"), "w", encoding="utf-8") as f:
        f.write("\n".join(out).rstrip() + "\n")
    path = os.path.join(docs, "results.json")
    known = read_results(docs)
    known[name] = judged
    with open(path, "w", encoding="utf-8") as f:
        json.dump({k: known[k] for k in sorted(known)}, f, indent=1)
        f.write("\n")


def read_results(docs):
    try:
        with open(os.path.join(docs, "results.json"), encoding="utf-8") as f:
            return json.load(f)
    except OSError:
        return {}


def page_of(e):
    return "[%s](%s.md)" % (e["title"], e["name"])


def index(experiments, known):
    rows = []
    for e in experiments:
        judged = known.get(e["name"])
        if judged is None:
            rows.append([e["title"], e["source"], "", "", "not measured"])
            continue
        bad = [r["what"] for r in judged if r["verdict"] == "failed"]
        rows.append([page_of(e), e["source"], sum(r["verdict"] == "met" for r in judged), len(bad), "; ".join(bad)])
    return markdown_table(["experiment", "source", "met", "failed", "what failed"], rows)


def index_of_questions(experiments, known):
    rows = []
    for e in experiments:
        judged = known.get(e["name"])
        if judged is None:
            rows.append([e["title"], e["source"], "not measured", ""])
            continue
        said = ["%s %s" % (r["what"], r["verdict"].capitalize()) for r in judged if r["verdict"] in ("yes", "no")]
        rows.append([page_of(e), e["source"], " ".join(x + "." for x in said) or "see its page", "; ".join(r["what"] for r in judged if r["verdict"] == "failed")])
    return markdown_table(["question", "source", "answer", "what failed"], rows)


def write_all(table, docs):
    known = read_results(docs)
    verdicts = [r["verdict"] for e in table for r in known.get(e["name"], [])]
    met, failed = verdicts.count("met"), verdicts.count("failed")
    out = [LICENCE + "# The papers, measured again", "",
           "Experiments that the sources of this machine print, run on it with its own tools: what the paper says, what comes out here, and whether that meets",
           "a stated criterion. All were set before the result but five. Three were corrected after it: the states of figure 6.3, whose arithmetic had left out two of six",
           "vectors; which of its prefetches make the loops faster, since the thesis' compiler makes both kinds; and the growth of table 6.1's shares, where the thesis itself",
           "has equal neighbours. Two were added after a first run: what migration has gained after twenty repetitions, and whose lines are backed off in 6.3. `make reproduce` runs all experiments and writes these pages;",
           "`make reproduce T=NAME` some. The table of experiments is",
           "[examples/papers.toml](../../examples/papers.toml). [index.html](index.html) is all of it in one page.", "",
           "**%d criteria are met, %d failed.**" % (met, failed), ""]
    out += index([e for e in table if not e.get("question")], known)
    questions = [e for e in table if e.get("question")]
    if questions:
        out += ["What the papers left open. The answer follows from the criterion that the page states:", ""] + index_of_questions(questions, known)
    with open(os.path.join(docs, "README.md"), "w", encoding="utf-8") as f:
        f.write("\n".join(out).rstrip() + "\n")
    write_html(table, docs)
    return met, failed


STYLE = """body { font: 15px/1.45 sans-serif; max-width: 900px; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { border: 1px solid #ccc; padding: 3px 8px; vertical-align: top } th { background: #f3f3f3 }
pre { background: #f6f6f6; padding: 8px; overflow-x: auto; font-size: 12px } h1 { border-top: 2px solid #888; padding-top: .6em; margin-top: 2em }
svg { max-width: 100%; height: auto } td strong, li strong { color: #a00 }"""


def write_html(table, docs):
    """All pages in one; pictures are inside."""
    names = ["README"] + [e["name"] for e in table if os.path.exists(os.path.join(docs, e["name"] + ".md"))]
    body = []
    for name in names:
        with open(os.path.join(docs, name + ".md"), encoding="utf-8") as f:
            text = markdown.markdown(f.read(), extensions=["tables", "fenced_code"], output_format="html5")
        text = re.sub(r'<img alt="([^"]*)" src="([^"]*)" ?/?>', lambda m: svg(os.path.join(docs, m.group(2)), m.group(1)), text)
        text = re.sub(r'href="([\w.-]+)\.md"', r'href="#\1"', text)
        body.append('<section id="%s">\n%s\n</section>' % (name, text))
    with open(os.path.join(docs, "index.html"), "w", encoding="utf-8") as f:
        f.write('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>The papers, measured again</title>\n<style>\n%s\n</style></head><body>\n%s\n'
                "</body></html>\n" % (STYLE, "\n".join(body)))


def svg(path, title):
    """The picture as an element; identifiers get the file's name, for a page has each once."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"[ \t]+$", "", text[text.index("<svg"):], flags=re.M)
    own = os.path.basename(path)[:-4]
    text = re.sub(r"\bid='([^']*)'", r"id='%s-\1'" % own, text)
    text = re.sub(r"(xlink:href='#|url\(#)([^')]*)", r"\1%s-\2" % own, text)
    return text.replace("<svg", '<svg role="img" aria-label="%s"' % html.escape(title), 1)
