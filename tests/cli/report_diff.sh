#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report --diff: two profiles written by hand, whose sums are known, and two recordings, as text and as pages (report_diff.py). The second profile is of the program compiled
# from a source that is three lines longer, so that each line has moved; it shares less, has lost a block and got a variable.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/cli/profile.inc"
mkdir "$tmp/new" && { printf '\n\n\n' && cat "$target"; } >"$tmp/new/target.c" && "$origin" cc -g -O1 -o "$tmp/moved" "$tmp/new/target.c" || exit 99
gcc -O2 -Wall -Wextra -I"$root/lib/trace" -o "$tmp/mktrace" "$root/tests/cli/mktrace.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" || exit 99
sink=$(symbol sink)
cd "$tmp" || exit 99
mkdir temporary && TMPDIR=$tmp/temporary && export TMPDIR # so that what is left there is seen

# queued DIR TICKS: a router of whose two ports one sent 60 micropackets, and the command waited TICKS for that link.
queued() {
    sed -i '1s/$/,address,bytes,block,of,at/' "$1/stalls.csv"
    echo "link,0,2,0,$(plus "$main" 16),1,3,$2,-,0,0,remote,1" >>"$1/stalls.csv"
    printf '{"version":1,"tick_hz":1000000000,"routers":[{"router":0,"ports":[{"router":1,"port":1,"recv":[0,0],"sent":[%s]},null]}]}\n' "$3" >"$1/truth.json"
}
make a target
queued a 900 40,20
make b moved
queued b 600 40,25
sed -i 's/,1,30,0,33000,30000,/,1,10,0,11000,10000,/; /0x50004010/d' b/misses.csv
echo "conflict,load,unowned,0,1,1,2,0,$(plus "$main" 16),0,$sink,1,5,0,4000,4000,0,?" >>b/misses.csv
sed -i 's/,0,30,30000/,0,10,10000/; s/,1,20,16000/,1,5,4000/' b/stalls.csv
sed -i 's/^3,20,21,1,2,moved,6,9/3,20,22,1,2,<i>m<\/i>,6,8/' b/threads.csv
sed -i 's/command,.*/command,"\.\/moved",/; s/machine,two/machine,three/' b/run.csv
echo 'build,"newer"' >>b/run.csv
echo 'options,"-m three -s /x --seed=2 -a y"' >>b/run.csv
echo 'options,"-a y -s /y"' >>a/run.csv
sed -i 's/unloaded/full/; s/complete,yes/complete,no/' b/meta.csv

"$origin" report --diff a b >text 2>said
is "text: status, nothing else" "$? $(cat said)" "0 "
cat >expected <<'END'
Misses cost 21.0 us instead of 53.0 us, 32.0 us less (-60.4 %); table (struct outer [4], target.c:20) explains most of it: 20.0 us less.
A: a: ./target "x" on two, time unloaded
   table (struct outer [4], target.c:17): false sharing costs 35.0 us, 66 % of all misses, most of it at target.c:35 in outermost()
B: b: ./moved on three, time full
   table (struct outer [4], target.c:20): false sharing costs 15.0 us, 71 % of all misses, most of it at target.c:38 in outermost()
Different commands: ./target "x" in A, ./moved in B
Different machines: two in A, three in B
Different time models: unloaded in A, full in B
Different builds: not known in A, newer in B
Different options: none only in A, --seed=2 only in B
B: The machine did not end by itself: this is what was written until then.

TOTAL
   CHANGE us           A           B         COUNT           A           B        WHAT
       -32.0        53.0        21.0           -35          60          25        misses
       -32.3        52.6        20.3           -35          65          30        all waits, those within caches and for the TLB, too

CAUSES of misses
   CHANGE us           A           B         COUNT           A           B        CAUSE
       -20.0        35.0        15.0           -20          35          15        false_sharing
       -16.0        16.0         0.0           -20          20           0  gone  capacity
        +4.0         0.0         4.0            +5           0           5  new   conflict

OBJECTS
   CHANGE us           A           B         COUNT           A           B        OBJECT
       -20.0        35.0        15.0           -20          35          15        table (struct outer [4], target.c:20) [in A table (struct outer [4], target.c:17)]  false_sharing=-20.0
       -16.0        17.6         1.6           -20          24           4        block of malloc() in main (target.c:44) [in A block of malloc() in main (target.c:41)]  capacity=-16.0
        +4.0         0.0         4.0            +5           0           5  new   sink (long int, target.c:22)  conflict=+4.0

MEMBERS of structures
   CHANGE us           A           B         COUNT           A           B        MEMBER
       -20.0        35.0        15.0           -20          35          15        struct outer.tag  false_sharing=-20.0

FUNCTIONS
   CHANGE us           A           B         COUNT           A           B        FUNCTION
       -20.0        35.0        15.0           -20          35          15        outermost (/share/moved) [in A outermost (/share/target)]  dirty=-20.0
       -12.3        17.6         5.3           -15          30          15        main (/share/moved) [in A main (/share/target)]  remote=-12.0 link=-0.3

SOURCE LINES
   CHANGE us           A           B         COUNT           A           B        LINE
       -20.0        35.0        15.0           -20          35          15        target.c:38 in outermost() [in A target.c:35 in outermost()]  false_sharing=-20.0
       -12.0        17.6         5.6           -15          24           9        target.c:44 in main() [in A target.c:41 in main()]  capacity=-16.0 conflict=+4.0

PARTS of the command's waits
   CHANGE us           A           B        PART
       -20.0        35.0        15.0        dirty
       -12.0        16.0         4.0        remote
        -0.3         0.9         0.6        link

THREADS
   CHANGE us           A           B         COUNT           A           B       LIFE us           A           B        THREAD
       -32.0        48.0        16.0           -35          55          20           0.0         0.0         0.0        moved:20 [in A target:20]
         0.0         5.0         5.0             0           5           5           0.0         0.0         0.0        <i>m</i>:22 [in A target:21]

REGIONS of interest, without those in them
   CHANGE us           A           B      STALL us           A           B         COUNT           A           B        REGION
         0.0         0.0         0.0         -20.0        30.0        10.0           -20          30          10        solve

NODES and the memory that they missed
   CHANGE us           A           B         COUNT           A           B        NODES
       -20.0        32.0        12.0           -20          35          15        node 0, memory of node 0
       -12.0        16.0         4.0           -15          20           5        node 0, memory of node 1

LINKS: waits of the command, and micropackets since the machine was switched on
   CHANGE us           A           B         COUNT           A           B       PACKETS           A           B        FROM
        -0.3         0.9         0.6             0           3           3            +5          60          65        router 0, port 1
END
ok "text: every table, to the digit" diff expected text >&2

# --- the sums are those of the single reports ---
for p in a b; do
    "$origin" report "$p" >$p.text
    is "$p: misses as in its report" "$(sed -n 's/^ *\([0-9]*\) *\([0-9.]*\) *100.0  all$/\1 \2/p' $p.text)" \
        "$(awk -v from=$([ $p = a ] && echo 0 || echo 1) '/  misses$/ { print $(5 + from), $(2 + from) }' text)"
done
is "csv: a row for each thing and quantity, with the sum of misses" "$("$origin" report --diff --format=csv a b | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print([r["origin_diff_1"] for r in rows] == [str(i) for i in range(len(rows))])
for table in "objects", "lines", "causes":
    print(table, [sum(float(r[k]) for r in rows if r["table"] == table and r["quantity"] == "stall") for k in ("a", "b", "change")])
print([r["name_in_a"] for r in rows if r["state"] == "new" and r["table"] == "objects"], [r["a"] for r in rows if r["name"] == "capacity"])')" \
    "True
objects [53.0, 21.0, -32.0]
lines [53.0, 21.0, -32.0]
causes [53.0, 21.0, -32.0]
['-', '-', '-'] ['16', '20']"
cp -r b formula && sed -i 's/solve/=HYPERLINK(1)/' formula/regions.csv
is "csv: what a spreadsheet would take for a formula" "$("$origin" report --diff --format=csv a formula | grep HYPERLINK | cut -d , -f 2-5 | sort -u)" "regions,'=HYPERLINK(1),-,new"
"$origin" report --diff --format=json a b >json
is "json: the same" "$(python3 -c '
import json
d = json.load(open("json"))
t = {t["name"]: t for t in d["changes"]}["objects"]
column = [c["name"] for c in t["columns"]].index("stall_change")
print(d["format"], d["of"], d["a"]["host"], d["b"]["time"], len(d["notes"]), sum(r[column] for r in t["rows"]), sorted(r[2] for r in t["rows"] if r[2]))')" \
    "1 profile two full 6 -32 ['new']"
like "--top: rows of each table" "$("$origin" report --diff --top 1 a b | sed -n '/^OBJECTS/,/^$/p' | wc -l)" '^4$'
like "--region" "$("$origin" report --diff --region solve a b | head -n 1)" '^Misses cost 10\.0 us instead of 30\.0 us, 20\.0 us less \(-66\.7 %\); table .* explains most of it: 20\.0 us less\.$'
like "--all: every process" "$("$origin" report --diff --all a b | head -n 1)" '^Misses cost 61\.0 us instead of 93\.0 us'
like "the other way round: more, and what is new is gone" "$("$origin" report --diff b a)" '^ +-4\.0 +4\.0 +0\.0 +-5 +5 +0  gone  sink '
same=$("$origin" report --diff a a 2>&1)
is "no difference: status, first line, no table" "$? $(printf '%s\n' "$same" | head -n 1) $(printf '%s\n' "$same" | wc -l)" "0 No difference: 60 misses cost 53.0 us in both. 5"

# --- which line is which ---
is "lines that moved" "$(python3 - "$root/launcher/difference" <<'END'
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("difference", sys.argv[1])
sys.dont_write_bytecode = True
d = importlib.util.module_from_spec(importlib.util.spec_from_loader("difference", loader))
loader.exec_module(d)
thing = lambda line: d.Thing(str(line), {}, line=line, function="f")
for a, b in (([5, 6, 9], [5, 6, 9]), ([5, 6, 9], [8, 9, 12]), ([5, 6, 9], [8, 12]), ([5, 6, 7, 9], [5, 6, 8, 9]), ([5, 6, 7, 9], [5, 9]), ([10, 12], [12, 14]), ([5], [50]),
             ([5, 7], [5, 9]), ([], [5])):
    pairs = d.matched([thing(i) for i in a], [thing(i) for i in b], (d.about("function"), d.by_line))
    print(*sorted(f"{p and p.name or '-'}:{q and q.name or '-'}" for p, q in pairs))
END
)" "5:5 6:6 9:9
5:8 6:9 9:12
5:8 6:- 9:12
5:5 6:6 7:8 9:9
5:5 6:- 7:- 9:9
10:12 12:14
5:50
5:5 7:9
-:5"

# --- recordings: the memory of the last node is busy during one of 10 intervals, and of 20 ---
mkdir one two && ./mktrace one/nodes 4 11 one/thread && ./mktrace two/nodes 4 21 two/thread || exit 99
"$origin" report --diff one two >text 2>said
is "recordings: status, nothing else" "$? $(cat said)" "0 "
cat >expected <<'END'
The recording takes 0.200000 s instead of 0.100000 s (+100.0 %); mem of n3 /hw/module/1/slot/n4/node changed most: 14.500 % instead of 19.000 %.
A: one: snsar on <b>nobody</b>
B: two: snsar on <b>nobody</b>

TOTAL
    CHANGE s           A           B        WHAT
   +0.100000    0.100000    0.200000        the recording

PER CENT, means over the whole time
    CHANGE %           A           B        METRIC
      -4.500      19.000      14.500        mem of n3 /hw/module/1/slot/n4/node

COUNTS of all objects of a kind
      CHANGE           A           B        METRIC
   +36000000    35100000    71100000        mdidle of all nodes
    +4000000     4900000     8900000        mdbusy of all nodes
    +4000000     4900000     8900000        mdmem of all nodes

COUNTS
      CHANGE           A           B        METRIC
    +9000000     9000000    18000000        mdidle of n0 /hw/module/1/slot/n1/node
    +9000000     9000000    18000000        mdidle of n1 /hw/module/1/slot/n2/node
    +9000000     9000000    18000000        mdidle of n2 /hw/module/1/slot/n3/node

THREADS
    CHANGE s           A           B        THREAD
   +0.100000    0.100000    0.200000        t0 <i>fft</i>:8
END
"$origin" report --diff --top 3 one two >text
ok "recordings: every table" diff expected text >&2
is "recordings: the totals are sndump's" "$("$origin" report --diff --format=csv one two | sed -n 's/.*,counts,mdidle of n3 .*,value,count,\([^,]*\),\([^,]*\),.*/\1 \2/p')" \
    "$(for d in one two; do "$root/build/host/sndump" --total --csv --mdidle -n 3 $d/nodes | sed -n '2s/.*,//p'; done | paste -s -d ' ')"
like "recordings: files, and no difference" "$("$origin" report --diff one/nodes one/nodes 2>&1 | head -n 1)" '^No difference: both recordings take 0\.100000 s\.$'

# --- the pages, in a browser without a network ---
"$origin" report --html profiles.html --diff a b 2>said && "$origin" report --html recordings.html --diff one two 2>>said
is "the pages are written" "$? $(cat said)" "0 "
"$origin" report --diff --format=csv a b >profiles.csv
python3 "$root/tests/cli/report_diff.py" profiles.html profiles.csv recordings.html >points 2>said
points_of browser points said

# --- refusals: one line, and nothing else ---
refuses() {
    r_name=$1 r_status=$2 r_pattern=$3
    shift 3
    "$origin" report --diff "$@" >out 2>err </dev/null
    is "refused: $r_name: status, one line" "$? $(wc -l <err) $(wc -c <out)" "$r_status 1 0"
    like "refused: $r_name: says why" "$(cat err)" "$r_pattern"
}
printf '%s\n' vaddr,paddr,home,total,n0 0,0,0,1,1 >pages.csv
head -c 20 one/nodes >cut
cp -r a noticks && sed -i '/tick_hz/d' noticks/meta.csv
cp -r a nojson && echo '{' >nojson/truth.json
cp -r a nocounts && echo '{"routers":[{"router":0,"ports":7}]}' >nocounts/truth.json
mkdir empty
refuses 'one' 2 'two profiles or two recordings, not 1 ' a
refuses 'three' 2 'two profiles or two recordings, not 3 ' a b a
refuses 'kinds' 2 'a is a profile, and one a recording: ' a one
refuses 'counters of pages' 2 'not counters of pages' pages.csv pages.csv
refuses 'missing' 1 '^origin: report: missing: No such file' a missing
refuses 'damaged profile' 1 '^origin: noticks: damaged: ' a noticks
refuses 'truth that is no JSON' 1 '^origin: report: nojson: damaged: truth.json' a nojson
refuses 'truth without counts' 1 '^origin: report: nocounts: damaged: truth.json' nocounts a
refuses 'damaged recording' 1 'cut: ' one cut
refuses 'empty directory' 1 'no file in empty' one empty
refuses 'form' 2 'text, csv or json, not folded' --format=folded a b
refuses 'placement' 2 '^origin: --diff does not go with --placement: ' --placement a b
cp -r a other && sed -i 's/solve/other/' other/regions.csv
refuses 'region that only one has' 1 "^origin: b: the profile has no region 'other'" --region other other b
refuses 'region of a recording' 2 'are of profiles' --region solve one two
refuses 'no page of what is damaged' 1 'noticks' --html x.html a noticks
ok "refused: no page is left" test ! -e x.html -a ! -e x.html.part
"$origin" report --diff a b >/dev/full 2>err
is "full disk" "$? $(cat err)" "1 origin: standard output: No space left on device"
is "nothing is left" "$(ls temporary)" ""
finish
