#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topology --json, --dot and --svg draw in the guest, from the hardware graph, the machine that its description names: the same nodes, processors,
# routers and links as `origin machines --json`.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/compare.py" <<'END'
import json
import re
import sys

def shape(d):
    links = sorted(sorted([(l["a"], l["aport"]), (l["b"], l["bport"])]) for l in d["links"])
    return (sorted((n["path"], n["module"], n["slot"], [c["slice"] for c in n["cpus"]]) for n in d["nodes"]),
            sorted((r["path"], r["module"], r["slot"], r["meta"]) for r in d["routers"]), links)

guest, dot, svg, host = [open(f, encoding="utf-8").read() for f in sys.argv[1:]]
g, h = shape(json.loads(guest)), shape(json.loads(host))
print("shape:", g == h or (g, h))
counts = [len(part) for part in h]
print("dot:", [dot.count("shape=box"), dot.count("shape=circle"), dot.count(" -- ")] == counts)
print("svg:", [svg.count('width="56"'), svg.count("<circle"), svg.count("<path")] == counts and svg.rstrip().endswith("</svg>"))
print("apart:", len(set(re.findall(r'<text x="[^"]*" y="[^"]*"', svg))) == counts[0] + counts[1])
END
for m in ${MACHINES:-origin200 ricotta}; do
    run -m "$m" --model=off -s "$tmp" -- 'for f in json dot svg; do topology --$f >$f; done' </dev/null
    is "$m: drawn" "$status $err" '0 '
    "$origin" machines --json "$m" >"$tmp/host"
    is "$m: the same as the description" "$(python3 "$tmp/compare.py" "$tmp/json" "$tmp/dot" "$tmp/svg" "$tmp/host" 2>&1)" 'shape: True
dot: True
svg: True
apart: True'
done
finish
