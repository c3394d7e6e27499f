#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the model tells from outside the guest: ground truth over QMP while the guest runs, and its laws after a boot.
. "$(dirname "$0")/../lib.sh"

cat >"$tmp/qmp.py" <<'E2'
import json, socket, sys, time

def connect(path):
    for _ in range(600):
        try:
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            return s.makefile("rw")
        except OSError:
            time.sleep(0.1)
    sys.exit("no QMP socket")

def command(f, name, **args):
    f.write(json.dumps({"execute": name, "arguments": args}) + "\n")
    f.flush()
    while True:
        r = json.loads(f.readline())
        if "return" in r or "error" in r:
            return r

f = connect(sys.argv[1])
f.readline()
command(f, "qmp_capabilities")
get = lambda p: command(f, "qom-get", path="/machine", property=p)
# the guest says through a file of the share that it is ready
for _ in range(600):
    try:
        open(sys.argv[2])
        break
    except OSError:
        time.sleep(0.1)
command(f, "stop")
print("invariants", get("invariants").get("return"))
truth = json.loads(get("truth")["return"])
print("keys", " ".join(sorted(truth)))
cpus = truth.get("cpus", [])
print("cpus", len(cpus))
print("nodes", len(truth.get("nodes", [])))
command(f, "qom-set", path="/machine", property="line-address", value=int(sys.argv[3], 0))
print("line", json.dumps(json.loads(get("line")["return"]), sort_keys=True))
command(f, "qom-set", path="/machine", property="line-address", value=0xff00000000)
print("absent", "error" in get("line"))
command(f, "cont")
E2

mkdir "$tmp/share"
# The kernel's first page of text is read by every CPU.
(while [ ! -e "$tmp/done" ]; do sleep 0.2; done) |
    "$origin" run -m ricotta -s "$tmp/share" --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -- \
    'touch ready; cat >/dev/null' >"$tmp/out" 2>&1 &
python3 "$tmp/qmp.py" "$tmp/qmp" "$tmp/share/ready" 0x20000 >"$tmp/answers" 2>&1
touch "$tmp/done"
wait
answers=$(cat "$tmp/answers")
like 'laws hold after a boot' "$answers" '^invariants ok$'
like 'every CPU' "$answers" '^cpus 16$'
like 'every node' "$answers" '^nodes 8$'
like 'a line has a state' "$answers" '^line .*"state": "(UOWN|SHRD|EXCL)"'
like 'absent memory is refused' "$answers" '^absent True$'
finish
