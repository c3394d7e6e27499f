#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes the code cells of a notebook one after the other, in the notebook's directory, without Jupyter. Its pictures go nowhere.

Usage: notebook.py NOTEBOOK [CHECK]     CHECK: a file of Python that runs after the last cell and sees what the cells have defined, and the
                                        list pictures, of the axes of each picture that a cell has made
Exit status 0 if all cells ran; else a line says which cell did not, and why.
"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def main(notebook, check=None):
    with open(notebook, encoding="utf-8") as f:
        cells = json.load(f)["cells"]
    if check:
        with open(check, encoding="utf-8") as f:
            check = f.read()
    os.chdir(os.path.dirname(os.path.abspath(notebook)))
    sys.path.insert(0, os.getcwd())
    names = {"pictures": []}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        try:
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        except Exception as e:  # whatever a cell does wrong
            sys.exit(f"{notebook}: cell {number}: {type(e).__name__}: {e}")
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
            names["pictures"] += plt.figure(number).axes[:1]
        plt.close("all")
    if check:
        exec(compile(check, "the check", "exec"), names)


if __name__ == "__main__":
    main(*sys.argv[1:])
