# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of the Origin 2000 as data frames of pandas, and the usual curves of matplotlib. docs/notebooks.md explains it.

  sweep(place)               results.csv of origin sweep (docs/sweep.md)
  profile(place)             the tables of a profile by name: "cpus", "misses", "stalls" ... (docs/profile-format.md)
  misses(place, *options)    a row for each row of "misses", with names of code and data: what origin report --format=csv prints
  trace(*files)              samples of snrun and snsar: what sndump --csv prints (sndump(1))

  curve(frame, x, y, by)     y over x, a line for each value of by: the mean of equal x, and a band from the least to the greatest
  speedup(frame, x, y, by)   the same of y at the least x, divided by y
  stack(frame, x, y, by)     a bar for each x, made of the sums of y for each value of by
  matrix(frame, x, y, value) the sums of value for each x and y as a picture
  series(frame, metric)      a metric of traces over time, a line for each object

Frames have what the files have: columns that a format adds are there without a change here, and what is not known is NA. Nothing is computed that
the programs of this project compute. Each picture is drawn into ax, or into a figure of its own, and returned.
"""
import io
import json
import os
import shutil
import subprocess

import matplotlib.pyplot as plt
import pandas as pd

# Columns that hold text, by table. All others are numbers, decimal or hexadecimal.
TEXT = {
    "meta": ("key", "value"),
    "run": ("key", "value"),
    "threads": ("comm",),
    "maps": ("path", "flags"),
    "heap": ("how",),
    "regions": ("name",),
    "misses": ("cause", "kind", "tx", "mode"),
    "stalls": ("part", "at", "of", "mode"),
    "computing": ("mode",),
    "blocked": ("state", "what", "call", "by"),
    "follow": ("event", "name", "from", "to", "req", "waits", "rule", "row", "step", "before", "after", "copies", "tx", "cause"),
}


def numbers(column):
    """Decimal or 0x, with NA for what is not known."""
    values = [None if v in ("-", "") else int(v, 16) if v.startswith("0x") else int(v) for v in column]
    return pd.Series(values, column.index, "UInt64" if any(v is not None and v >= 1 << 63 for v in values) else "Int64")


def guessed(column):
    """Numbers if all that is there are numbers, else the texts."""
    known = column[column != ""]
    converted = pd.to_numeric(known, errors="coerce")
    return pd.to_numeric(column.where(column != "", None)) if len(known) and converted.notna().all() else column


def texts(source):
    return pd.read_csv(source, dtype=str, keep_default_na=False)


def sweep(place):
    """place: the directory of a sweep, or its results.csv."""
    frame = texts(os.path.join(place, "results.csv") if os.path.isdir(place) else place)
    # An apostrophe stands before what a spreadsheet would take for a formula.
    return frame.apply(lambda c: guessed(c.str.replace(r"^'(?=[=+\-@\t\r])", "", regex=True)))


def profile(place):
    """A dictionary of frames. "truth" is the ground truth as truth.json has it, "meta" a dictionary."""
    tables = {}
    for name in sorted(os.listdir(place)):
        table, end = os.path.splitext(name)
        if end == ".csv":
            frame = texts(os.path.join(place, name))
            of_text = TEXT.get(table, ())
            tables[table] = frame.apply(lambda c: c.where(c != "-", pd.NA) if c.name in of_text else numbers(c))
    if "meta" not in tables:
        raise FileNotFoundError(f"{place}: there is no profile (meta.csv)")
    tables["meta"] = dict(zip(tables["meta"]["key"], tables["meta"]["value"]))
    if tables["meta"].get("format") != "1":
        raise ValueError(f"{place}: format {tables['meta'].get('format')} of profiles is not known here")
    with open(os.path.join(place, "truth.json"), encoding="utf-8") as f:
        tables["truth"] = json.load(f)
    return tables


def output(*words):
    r = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if r.returncode:
        raise RuntimeError(f"{os.path.basename(words[0])}: {r.stderr.strip()}")
    return io.StringIO(r.stdout)


def origin():
    """The launcher that the shell finds."""
    found = shutil.which("origin")
    if not found:
        raise FileNotFoundError("there is no origin in PATH")
    return os.path.realpath(found)


def misses(place, *options):
    return texts(output(origin(), "report", "--format=csv", *options, place)).apply(lambda c: guessed(c.where(c != "-", "")))


def trace(*files):
    program = os.path.join(os.path.dirname(origin()), "build/host/sndump")
    return texts(output(program, "--csv", *files)).apply(lambda c: guessed(c.where(c != "-", "")))


# --- pictures ---


def axes(ax):
    return ax if ax is not None else plt.subplots(figsize=(7, 4), layout="constrained")[1]


def groups(frame, by):
    return [("", frame)] if by is None else [(f"{by}={value}", rows) for value, rows in frame.groupby(by, sort=True)]


def curve(frame, x, y, by=None, ax=None):
    ax = axes(ax)
    for label, rows in groups(frame, by):
        at = rows.groupby(x)[y].agg(["mean", "min", "max"]).astype(float)
        ax.plot(at.index, at["mean"], marker="o", label=label)
        ax.fill_between(at.index, at["min"], at["max"], alpha=0.2)
    ax.set(xlabel=x, ylabel=y, ylim=(0, None))
    if by is not None:
        ax.legend()
    return ax


def speedup(frame, x, y, by=None, ax=None):
    ax = axes(ax)
    for label, rows in groups(frame, by):
        at = rows.groupby(x)[y].mean().astype(float)
        ax.plot(at.index, at.iloc[0] / at, marker="o", label=label)
    ax.set(xlabel=x, ylabel=f"speed-up of {y}", ylim=(0, None))
    if by is not None:
        ax.legend()
    return ax


def stack(frame, x, y, by, ax=None):
    ax = axes(ax)
    frame.pivot_table(index=x, columns=by, values=y, aggfunc="sum", fill_value=0).astype(float).plot.bar(
        stacked=True, ax=ax, width=0.9, colormap="tab20"
    )
    ax.set(ylabel=y)
    ax.legend(title=by, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def matrix(frame, x, y, value, ax=None):
    ax = axes(ax)
    table = frame.pivot_table(index=y, columns=x, values=value, aggfunc="sum", fill_value=0).astype(float)
    image = ax.imshow(table, origin="lower", cmap="cividis")
    ax.set(xlabel=x, ylabel=y, xticks=range(table.shape[1]), yticks=range(table.shape[0]), xticklabels=table.columns, yticklabels=table.index)
    ax.figure.colorbar(image, label=value)
    return ax


def series(frame, metric, ax=None):
    ax = axes(ax)
    for label, rows in frame.dropna(subset=[metric]).groupby("loc", sort=False):
        ax.step(rows["time"], rows[metric], where="post", label=label)
    ax.set(xlabel="time, s", ylabel=metric, ylim=(0, None))
    ax.legend()
    return ax
