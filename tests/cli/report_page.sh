#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report --html in a browser without a network: a page of a profile written by hand, a recording and counters of pages, whose values
# are known. Names of a source file, a thread and a region are markup and must not become any.
. "$(dirname "$0")/../lib.sh"
evil="<script>alert(1)</script>.c"
mkdir "$tmp/<script>alert(1)<" && cp "$root/tests/unit/target/target.c" "$tmp/$evil" || exit 99
target=$tmp/$evil
. "$root/tests/cli/profile.inc"
gcc -O2 -Wall -Wextra -I"$root/lib/trace" -o "$tmp/mktrace" "$root/tests/cli/mktrace.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" || exit 99
cd "$tmp" || exit 99
make p target
cp "$ORIGIN_MACHINES/ricotta.dtb" p/machine.dtb
# Latencies of both processors; what went over two ports of the first router.
zeros() { awk -v n="$1" 'BEGIN { while (n-- > 0) printf ",0" }'; }
cpu() { printf '{"cpu":%d,"node":%d,"latency_hist":[0,0,0,0,0,0,0,0,%d,3,0,0%s]}' "$1" "$2" "$3" "$(zeros 52)"; }
printf '{"version":1,"tick_hz":1000000000,"latency_bin_ns":50,"cpus":[%s,%s],"nodes":[{"node":0,"refcnt":70}],"routers":[{"router":0,"ports":[%s,null,null,null,null,null]}]}\n' \
    "$(cpu 0 0 40)" "$(cpu 2 1 7)" '{"router":2,"port":1,"recv":[5,6,0,0],"sent":[40,2,0,0]}' >p/truth.json
./mktrace short 4 11 thread || exit 99
printf '%s\n' sample,vaddr,paddr,home,total,n0,n1,n2 0,0x10000000,0x4000,0,9,8,1,0 0,0x10001000,0x100005000,1,5,0,2,3 1,0x10000000,0x200004000,2,4,1,0,3 >pages.csv
"$origin" report --html page.html p short thread pages.csv 2>said
is "the page is written" "$? $(cat said)" "0 "
"$origin" report --format=csv p >p.csv
"$root/build/host/sndump" --csv short thread >short.csv
python3 "$root/tests/cli/report_page.py" page.html p.csv short.csv "$root/tests/cli/report_page.grey" >points 2>said
points_of browser points said

# The same with modes: thread 2 computes 4 us in user mode, 2 in the kernel, where its misses are, and 1 in interrupts.
cp -r p modes
for t in misses stalls; do sed '1s/$/,mode/; 2,$s/$/,kernel/' p/$t.csv >modes/$t.csv; done
printf '%s\n' cpu,thread,region,pc,insns,width,unit,dependence,branch,mispredict,mode 0,2,0,-,10,4000,0,0,0,0,user \
    0,2,0,-,10,0,2000,0,0,0,kernel 0,2,0,-,10,0,0,1000,0,0,interrupt >modes/computing.csv
"$origin" report --html modes.html modes 2>said
is "a page of a profile with modes is written" "$? $(cat said)" "0 "
waited=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["thread"] == 2 { n += $at["ticks"] } END { print n / 1000 }' p/stalls.csv)
python3 "$root/tests/cli/report_page_modes.py" modes.html "$waited" >points 2>said
points_of modes points said

# What is not named as it should be.
printf '%s\n' vaddr,paddr,home,total,n0 >empty.csv
"$origin" report --html x.html empty.csv 2>said
is "refused: counters of no page" "$? $(cat said)" "1 origin: empty.csv: no counters of pages: the file ends after its first line"
"$origin" report --html x.html p missing 2>said
is "refused: one of two is missing" "$? $(wc -l <said)" "1 1"
ok "refused: no page is left" test ! -e x.html -a ! -e x.html.part
finish
