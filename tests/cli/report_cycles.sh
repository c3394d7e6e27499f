#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The view Cycles of a page, of a profile with --cpu=pipeline that is written by hand: bars are the sums of the table, and cycles an instruction follow from
# the processor's clock. A profile of the simple processor has no such view. Structures are drawn in lines of the machine's caches.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/cli/profile.inc"
cd "$tmp" || exit 99
make simple target
make p target
echo line,64 >>p/meta.csv
echo "cpu,thread,region,pc,insns,width,unit,dependence,branch,mispredict
0,2,0,$(plus "$main" 16),15,100,200,3000,0,0
0,2,1,$(plus "$outermost" 16),1,0,0,0,300,400
2,4,0,$(plus "$main" 16),7,4000,0,0,0,0" >p/computing.csv
"$origin" report --html page.html p simple 2>said
is "the page is written" "$? $(cat said)" "0 "
python3 - page.html >points 2>said <<'END'
import sys
from browser import Page, Points

points = Points()
point = points.point
ROWS = "return [...document.querySelectorAll('#view-cycles .bar-row')].map(g => [g.querySelector('text').firstChild.textContent, [...g.querySelectorAll('rect')].map(r => r.dataset.part + ' ' + (+r.dataset.value).toFixed(3)).join(', '), g.querySelectorAll(':scope > text')[1].textContent])"
with Page(sys.argv[1]) as page:
    # 250 MHz: 20 us are 5000 cycles. Waits of outermost() are those of two threads.
    rows = page.js(ROWS)
    point("time of functions", rows == [["outermost (/share/target)", "branch 0.300, mispredict 0.400, waiting 35.000", "35.7 us, 8925.00 cycles an instruction"],
                                        ["main (/share/target)", "width 0.100, unit 0.200, dependence 3.000, waiting 16.700", "20 us, 333.33 cycles an instruction"]], *rows)
    table = page.table("cycles")
    point("the table is of the same", [(r["function"], r["insns"], r["cycles"], r["dependence"], r["waiting"]) for r in table] ==
          [("outermost (/share/target)", "1", "8925", "0", "35"), ("main (/share/target)", "15", "5000", "3", "16.7")], *table)
    page.element("#view-cycles select option[value=thread]").click()
    rows = page.js(ROWS)
    point("time of threads", [r[:2] for r in rows] == [["20 target", "width 0.100, unit 0.200, dependence 3.000, branch 0.300, mispredict 0.400, waiting 46.700"], ["21 target", "waiting 5.000"]], *rows)
    page.element("#view-cycles select option[value=cpi]").click()
    rows = page.js(ROWS)
    point("no modes of a profile without", not page.js("return document.querySelector('#view-cycles select option[value=modes]') !== null"))
    point("cycles an instruction: of threads that have one", len(rows) == 1 and rows[0][1].endswith("waiting 729.688"), *rows)
    page.js("document.querySelectorAll('#inputs button')[1].click()")
    point("the simple processor has no such view", page.js("return document.querySelector('#view-cycles') === null"))
    page.js("document.querySelectorAll('#inputs button')[0].click()")
    ticks = page.texts("#view-types .drawing .drawing .axis .tick text")
    point("a structure is drawn in lines of 64 bytes", ticks[-1] == "64" and "lines of 64 bytes" in page.texts("#view-types .says")[0], ticks)
    point("no table is shown a second time", page.js("return document.querySelector('#view-others') === null"))
    point("no error", not page.errors(), page.errors())
points.end()
END
points_of browser points said
finish
