# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for other programs, a spreadsheet among them: what the guest has named must not become a formula there."""
import csv

FORMULA = tuple("=+-@\t\r")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def cell(value):
    """A text that a spreadsheet would take for a formula gets an apostrophe in front. "-" stands for what is not known."""
    formula = isinstance(value, str) and value.startswith(FORMULA) and value != "-" and not is_number(value)
    return "'" + value if formula else value


def write(out, head, rows):
    """Rows are dicts; what head does not name is left out."""
    w = csv.DictWriter(out, head, restval="", lineterminator="\n", extrasaction="ignore")
    w.writeheader()
    w.writerows({k: cell(v) for k, v in r.items()} for r in rows)
