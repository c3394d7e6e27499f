# SPDX-License-Identifier: GPL-2.0-or-later
"""Read a trace of sndump --perfetto from standard input and print its counters and slices as those of sndump --chrome, whose file is the
argument, are read: "same N counters M slices", or the first difference."""

import json
import struct
import sys


def fields(b):
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            v |= (b[at] & 127) << shift
            shift += 7
            at += 1
            if b[at - 1] < 128:
                return v

    while at < len(b):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value = struct.unpack("<d", b[at:at + 8])[0]
            at += 8
        else:
            n = varint()
            value = b[at:at + n]
            at += n
        yield key >> 3, value


tracks, got, began = {}, [], {}
for _, packet in fields(sys.stdin.buffer.read()):
    p = dict(fields(packet))
    assert p[10] == 1
    if 60 in p:
        d = dict(fields(p[60]))
        tracks[d[1]] = d[2].decode() if 2 in d else tuple(dict(fields(d[4]))[k] for k in (1, 2))
    if 11 in p:
        e = dict(fields(p[11]))
        if e[9] == 4:
            got.append((tracks[e[11]], p[8], float(f"{e[44]:.10g}")))
        elif e[9] == 1:
            began[e[11]] = p[8], e[23].decode()
        else:
            start, name = began.pop(e[11])
            got.append((tracks[e[11]], start, p[8] - start, name))
want = []
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    ns = round(e.get("ts", 0) * 1000)
    if e["ph"] == "C":
        want.append((e["name"], ns, list(e["args"].values())[0]))
    elif e["ph"] == "X":
        want.append(((e["pid"], e["tid"]), ns, round(e["dur"] * 1000), e["name"]))
for a, b in zip(got, want):
    if a != b:
        sys.exit(f"{a} is not {b}")
assert len(got) == len(want) and not began
print(f"same {sum(len(g) == 3 for g in got)} counters {sum(len(g) == 4 for g in got)} slices")
