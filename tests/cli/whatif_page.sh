#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of origin whatif --html in a browser without a network, of runs written by hand: gains and waits are those of the table and the profiles. Names
# of a remedy and a finding are markup and must not become any.
. "$(dirname "$0")/../lib.sh"
ORIGIN_PAGE=$ORIGIN_PAGE /usr/bin/python3 - "$root/launcher/whatif" "$tmp" <<'END' || exit 99
import importlib.machinery, importlib.util, os, sys, types
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("whatif", sys.argv[1])
w = importlib.util.module_from_spec(importlib.util.spec_from_loader("whatif", loader))
loader.exec_module(w)
d = sys.argv[2]


def write(where, name, text):
    os.makedirs(f"{d}/{where}", exist_ok=True)
    with open(f"{d}/{where}/{name}", "w") as f:
        f.write(text)


# Thread 1 is the command's; region 2 is in region 1, which is measured. 1000 ticks are a us.
for where, remote in (("before", 9000000), ("try1", 1000000)):
    write(where, "run.csv", "key,value\ncomm,prog\n")
    write(where, "meta.csv", "key,value\ntick_hz,1000000000\n")
    write(where, "threads.csv", "thread,comm\n1,prog\n2,other\n")
    write(where, "regions.csv", "region,name,parent\n1,work,0\n2,part,1\n3,rest,0\n")
    write(where, "stalls.csv", f"part,thread,region,ticks\nremote,1,1,{remote}\nremote,1,2,500000\nl2,1,1,250000\nremote,1,3,7\nremote,2,1,7\ntlb,1,0,7\n")
o = types.SimpleNamespace(region="work", dir=d, command=["./prog"], html=f"{d}/page.html")
t = {"remedy": "pad <script>alert(1)</script>:8", "problem": "false sharing", "how": "a line each", "saves": "3000", "where": "try1", "alone": 500.0}
found = [{"object": "next <b>one</b>", "problem": "capacity"}]
table = [w.row_of(t, 2000.0, (1500.0, found), found), w.row_of(t | {"remedy": "free x", "where": "try2"}, 2000.0, w.NotTried("interrupted"), found)]
sys.argv = ["whatif", "--html", "page.html"]
w.put_page(o, table, "Interrupted: one.")
END
python3 - "$tmp/page.html" >"$tmp/points" 2>"$tmp/said" <<'END'
import sys
from browser import Page, Points

points = Points()
point = points.point
with Page(sys.argv[1]) as page:
    point("the views", page.js("return [...document.querySelectorAll('#views > section')].map(s => s.id)") == ["view-remedies", "view-futures", "view-made"])
    point("no error, no markup of names", not page.errors() and not page.js("return document.querySelectorAll('#views b b, #views script').length"), page.errors())
    items = page.texts("#view-remedies li")
    point("a gain beside its estimate", "gains 500 us of 2 ms, 25.0 %; by themselves 500 us" in items[0] and "estimated 3 ms of processor time" in items[0], items)
    point("source and next problem", "In the source: a line each." in items[0] and "Next: next <b>one</b>: capacity." in items[0], items)
    point("what was not tried says why", "interrupted" in items[1] and "gains" not in items[1], items)
    point("the note", page.texts("#view-remedies > .drawing > .note") == ["Interrupted: one."])
    wide = page.js("return ['.cost', '.saves', '.estimate'].map(s => document.querySelector('#view-remedies .gain ' + s).getBoundingClientRect().width)")
    point("bars: 2 ms, a quarter of it, 3 ms", abs(wide[1] / wide[0] - .25) < .01 and abs(wide[2] / wide[0] - 1.5) < .01, wide)
    row = page.table("remedies")[0]
    point("table: remedies", (row["remedy"], row["gain_us"], row["gain_percent"], row["estimate_us"], row["alone_us"]) == ("pad <script>alert(1)</script>:8", "500", "25", "3000", "500"), row)
    rows = page.table("futures")
    point("table: waits of the region's threads, in it and within", [(r["future"], r["remote"], r["l2"]) for r in rows] ==
          [("before", "9500", "250"), ("pad <script>alert(1)</script>:8", "1500", "250")], rows)
    bars = page.js("return [...document.querySelectorAll('#view-futures rect[data-part=remote]')].map(e => +e.dataset.value)")
    point("bars: the same", bars == [9500, 1500], bars)
points.end()
END
points_of browser "$tmp/points" "$tmp/said"
finish
