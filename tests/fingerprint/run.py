# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's fingerprint: runs the table `runs` and compares four values of each run with the file `expected`.

  truth    hash of `qom-get /machine truth` when the guest has halted
  trace    hash of QEMU's trace event origin_transaction: each transaction with its time
  output   hash of all that the guest's command printed, and its exit status
  time     the end of the last transaction, in ticks of machine time

Usage: run.py [--set check|all] [--match RE] [--jobs N] [--guest DIR] [--record] [--build DIR]
  --build DIR   the build directory whose QEMU, launcher and machines run (this tree's)
  --record      write `expected` instead of comparing
The machines run on as many host threads as ORIGIN_THREADS says, or the launcher chooses: the values do not depend on it.
Prints TAP. A run whose values differ names the value. Use it through tests/fingerprint/run.sh, which finds the guest.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from qmp import Qmp

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VALUES = ("truth", "trace", "output", "time")
LIMIT = 900  # host seconds for one run


def read_runs():
    runs = []
    for line in open(os.path.join(HERE, "runs")):
        if line.strip() and not line.startswith("#"):
            name, which, machine, options, command = (f.strip() for f in line.split("|", 4))
            runs.append((name, which, machine, options.split(), command))
    return runs


def read_expected():
    """The guest's hash and, by run, the four values."""
    guest, runs = None, {}
    path = os.path.join(HERE, "expected")
    if os.path.exists(path):
        for line in open(path):
            words = line.split()
            if words and words[0] == "guest":
                guest = words[1]
            elif words and words[0] != "#":
                runs[words[0]] = dict(zip(VALUES, words[1:]))
    return guest, runs


def short(digest):
    return digest.hexdigest()[:16]


class Trace(threading.Thread):
    """Reads the transaction trace from a FIFO, hashes it and keeps its end."""

    def __init__(self, path):
        super().__init__(daemon=True)
        os.mkfifo(path)
        self.path, self.hash, self.tail = path, hashlib.sha256(), b""

    def run(self):
        with open(self.path, "rb", buffering=0) as fifo:
            while chunk := fifo.read(1 << 20):
                self.hash.update(chunk)
                self.tail = (self.tail + chunk)[-4096:]

    def end(self):
        """Ticks at the end of the last transaction."""
        last = re.findall(rb" at (\d+), (\d+) ticks\n", self.tail)
        return str(int(last[-1][0]) + int(last[-1][1])) if last else "-"


def run_one(run, build, guest):
    name, _, machine, options, command = run
    with tempfile.TemporaryDirectory(prefix="fingerprint-") as tmp:
        trace = Trace(tmp + "/trace")
        trace.start()
        more = ["-no-shutdown", "-qmp", "unix:%s/qmp,server=on,wait=off" % tmp, "-D", tmp + "/trace"]
        model = "--model=off" not in options
        if model:
            more += ["-trace", "origin_transaction"]
        if command.startswith("!"):
            program = command[1:]
            dtb = "%s/machines/%s.dtb" % (build, machine)
            if not os.path.exists(dtb):
                dtb = "%s/%s.dtb" % (guest, machine)
            argv = [build + "/qemu-system-mips64", "-M", "origin2000,description=%s,model=on" % dtb,
                    "-icount", "mode=mp,quantum=1000,threads=" + (os.environ.get("ORIGIN_THREADS") or "1"), "-nodefaults", "-display", "none",
                    "-serial", "stdio", "-no-reboot", "-kernel", "%s/%s.elf" % (guest, program), "-append", "mp"] + more
        else:
            shutil.copytree(guest + "/share", tmp + "/share")
            argv = [build + "/launcher", "run", "-m", machine, "-s", tmp + "/share"] + options
            for word in more:
                argv += ["--qemu-arg", word]
            argv += ["--", command + "; :"]
        env = dict(os.environ, ORIGIN_QEMU=build + "/qemu-system-mips64", ORIGIN_VMLINUX=guest + "/vmlinux",
                   ORIGIN_INITRD=guest + "/initramfs.cpio", ORIGIN_MACHINES=build + "/machines",
                   ORIGIN_INCLUDES=ROOT + "/qemu-origin/machines")
        output = open(tmp + "/output", "wb")
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=env)
        timer = threading.Timer(LIMIT, process.kill)
        timer.daemon = True
        timer.start()
        got = dict.fromkeys(VALUES, "-")
        try:
            # A process that ends before its socket is there has failed; Qmp() would wait a minute for it.
            while not os.path.exists(tmp + "/qmp") and process.poll() is None:
                time.sleep(0.05)
            if process.poll() is not None:
                raise OSError("exit status %d before the machine ran" % process.returncode)
            qmp = Qmp(tmp + "/qmp", LIMIT)
            # A short program may have ended before we were connected: then there is no event to wait for.
            if qmp.command("query-status")["status"] != "shutdown":
                qmp.wait("SHUTDOWN")
            if model:
                got["truth"] = short(hashlib.sha256(qmp.get("truth").encode()))
            qmp.command("quit")
            status = process.wait()
            trace.join(60)
            if model:
                got["trace"], got["time"] = short(trace.hash), trace.end()
            text = open(tmp + "/output", "rb").read()
            got["output"] = short(hashlib.sha256(text + b"status %d" % status))
        except (OSError, ValueError, SystemExit) as why:
            process.kill()
            process.wait()
            text = open(tmp + "/output", "rb").read() + str(why).encode()
        finally:
            timer.cancel()
        keep = os.environ.get("FINGERPRINT_OUTPUT")
        if keep:
            os.makedirs(keep, exist_ok=True)
            open("%s/%s" % (keep, name), "wb").write(text)
        return name, got, text


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--set", choices=("check", "all"), default="all")
    p.add_argument("--match", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--guest", required=True)
    p.add_argument("--build", default=ROOT + "/build")
    p.add_argument("--record", action="store_true")
    args = p.parse_args()
    guest, expected = read_expected()
    have = open(args.guest + "/hash").read().strip()
    if guest != have and not args.record:
        print("Bail out! guest.tar.xz is %s, the recorded values are of %s" % (have, guest))
        return 99
    runs = [r for r in read_runs() if (args.set == "all" or r[1] == "check") and re.search(args.match, r[0])]
    bad, n, lines = 0, 0, {}
    # The longest runs stand last in the table and begin first.
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_one, r, args.build, args.guest) for r in reversed(runs)]):
            name, got, text = future.result()
            lines[name] = got
            want = expected.get(name, {})
            for value in VALUES:
                n += 1
                ran = got["output"] != "-"
                same = ran and (args.record or got[value] == want.get(value))
                bad += not same
                print("%s %d - %s: %s" % ("ok" if same else "not ok", n, name, value), flush=True)
                if not same:
                    print("#   got %s, recorded %s" % (got[value], want.get(value)))
                    for line in text.decode("latin-1").splitlines()[-5:] if value == "output" else ():
                        print("#   | " + line)
    print("1..%d" % n)
    if args.record:
        with open(os.path.join(HERE, "expected"), "w") as out:
            out.write("# SPDX-License-Identifier: GPL-2.0-or-later\n# Written by `make fingerprint-record`. RUN %s\nguest %s\n"
                      % (" ".join(VALUES), have))
            for run in read_runs():
                got = lines.get(run[0]) or expected.get(run[0])
                if got and got["output"] != "-":
                    out.write(" ".join([run[0]] + [got[v] for v in VALUES]) + "\n")
    return bad != 0


sys.exit(main())
