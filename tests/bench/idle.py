# SPDX-License-Identifier: GPL-2.0-or-later
"""idle.py SECONDS COMMAND...: starts an interactive machine, waits for its prompt and for the slow pace of an idle machine, and prints the share of a
host processor, in per cent, that the machine then uses over SECONDS."""
import os
import pty
import select
import signal
import sys
import time

SLOW_AFTER = 15  # seconds: MP_PACE_NS and some more


def read(fd, seconds):
    """What the terminal prints in that time."""
    out, end = b"", time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([fd], [], [], left)[0]:
            out += os.read(fd, 65536)
    return out


def cpu(pid):
    """CPU seconds of the process and its children, those that still run included."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
            total += sum(cpu(child) for child in f.read().split())
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return total + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    out, end = b"", time.monotonic() + 300
    while b":~# " not in out:
        if time.monotonic() > end:
            sys.exit(f"idle.py: no prompt within 300 s: {out[-200:]!r}")
        out += read(fd, 0.2)
    read(fd, SLOW_AFTER)
    before = cpu(pid)
    read(fd, seconds)
    print(f"{100 * (cpu(pid) - before) / seconds:.1f}")
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)


main()
