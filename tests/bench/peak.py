#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""peak.py COMMAND...: run it and print the most memory that it and its children had at a time: MB, the sum of their proportional sets.

Memory that several processes share counts once. Samples are a tenth of a second apart.
"""
import os
import subprocess
import sys
import time


def tree(root):
    children = {}
    for d in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{d}/stat", encoding="utf-8", errors="replace") as f:
                children.setdefault(int(f.read().rpartition(")")[2].split()[1]), []).append(int(d))
        except OSError:
            pass  # it has ended
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def pss_kb(process):
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="utf-8") as f:
            return sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    except OSError:
        return 0


def main():
    command, most = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL), 0
    while command.poll() is None:
        most = max(most, sum(map(pss_kb, tree(command.pid))))
        time.sleep(0.1)
    print(f"{most / 1024:.1f}")
    return command.returncode


if __name__ == "__main__":
    sys.exit(main())
