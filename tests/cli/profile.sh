#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report and annotate on a profile written by hand, whose sums are known: threads 2 and 3 of the command share the line of `table`
# falsely, thread 2 uses pages of node 1 from node 0. origin profile: what is refused before the machine starts.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/cli/profile.inc"
make "$tmp/p" target

# --- the text ---
report=$("$origin" report "$tmp/p" 2>"$tmp/err")
is "report: status, no complaint" "$? $(cat "$tmp/err")" "0 "
like "report: first line: object, cause, cost, share, code" "$(printf '%s\n' "$report" | head -n 1)" \
    '^table \(struct outer \[4\], target\.c:17\): false sharing costs 35\.0 us, 66 % of all misses, most of it at target\.c:[0-9]+ in '
like "report: the command" "$report" '^\./target "x" on two, time unloaded, build -$'
like "report: false sharing would save all of its cost" "$report" '^ +35\.0 +35\.0 +35  table .*: false sharing$'
# 20 transactions from memory at 800 ns; at home they take 400 (the mean of the profile's local ones): 8 us.
like "report: placing saves the difference of the latencies" "$report" '^ +8\.0 +16\.0 +20  block of malloc\(\) in main .*: memory far from its users$'
like "report: page, home, best" "$report" '^ +8\.0 +20  0x50004000 +1 +0  block of malloc.*0=20$'
like "report: causes add up to the command's misses" "$report" '^ +60 +53\.0 +100\.0  all$'
like "report: a cause of a newer format" "$report" '^ +1 +0\.4 +0\.8  other'
unlike "report: not the other processes" "$report" 'klogd|0x6000'
like "report: offset, kind, thread, node, member of the contended line" "$report" \
    ' +30\.0 +30  +[0-9]+  store +20    0  false_sharing table\[0\]\.tag at target\.c:'
like "report: parts of a processor" "$report" '^ +0 +4\.0 +.* 36\.0 +100\.0$'
like "report: parts of a function" "$report" '^ +16\.7 +27  main \(/share/target\) +.*l2=0\.7.*remote=16\.0|^ +16\.7 +27  main \(/share/target\) .*remote=16\.0.*'
like "report --all: every process" "$("$origin" report --all "$tmp/p" 2>&1)" '^ +160 +93\.0 +100\.0  all$'
like "report --region" "$("$origin" report --region solve "$tmp/p" 2>&1)" '^ +30 +30\.0 +100\.0  all$'
is "report --placement: a block of the heap cannot be placed before it is there" "$("$origin" report --placement "$tmp/p" 2>&1)" \
    "# no page of a variable is misplaced"

# --- commands to try: table is on node 1 and used from node 0; a thread moves; a library's code is far ---
make "$tmp/try" target
printf '%s\n' 'options,"-m two -s '"$tmp"'"' 'words,"./target ""a b"""' >>"$tmp/try/run.csv"
sed -i 's/false_sharing,/upgrade,/' "$tmp/try/misses.csv"
echo "capacity,load,unowned,0,1,1,2,0,$(plus "$main" 16),0,$(plus "$table" 8),1,200,0,160000,160000,0,?" >>"$tmp/try/misses.csv"
page=$(printf '0x%x' $((table / 16384 * 16384)))
is "report --placement: a variable" "$("$origin" report --placement "$tmp/try" 2>&1)" "memories 1 in topology physical near /hw/nodenum/0
place range $page to $(plus "$page" 16384) on memory 0"
is "report: the command that places it" "$("$origin" report "$tmp/try" 2>&1 | sed -n 's/^ *try: //p' | head -n 1)" \
    "origin report --placement $tmp/try >$tmp/try.place && origin profile -m two -s $tmp -o $tmp/try.next -- dplace -place try.place ./target \"a b\""
cp -r "$tmp/try" "$tmp/page"
sed -i "1a first,load,unowned,0,1,1,2,0,$(plus "$main" 16),0,$(plus "$table" -8),8,1,0,800,800,0,?" "$tmp/page/misses.csv"
like "report: a page is the object's that waits most for its memory, not the first one's" "$("$origin" report "$tmp/page" 2>/dev/null)" \
    '^ +[0-9.]+ +195\.8 +236  table \(.*\): memory far from its users$'
unlike 'report: the first one has none' "$("$origin" report --top=100 "$tmp/page" 2>/dev/null)" '  data of .*: memory far'
make "$tmp/move" target
printf '%s\n' 'words,./target' >>"$tmp/move/run.csv"
sed -i 's/^\(false_sharing.*\),2,0,1,3,/\1,2,0,1,2,/' "$tmp/move/misses.csv"
is "report: the command that binds a thread: to a processor at the memory's node" \
    "$("$origin" report "$tmp/move" 2>&1 | sed -n 's/^ *try: //p' | head -n 1)" "origin profile -o $tmp/move.next -- numactl --physcpubind=0 ./target"
make "$tmp/code" target
printf '%s\n' 'words,./target' >>"$tmp/code/run.csv"
sed -i "s,/share/target,/lib/libx.so," "$tmp/code/maps.csv"
echo "fetch,fetch,shared,2,0,1,3,0,$(plus "$outermost" 16),0,$(plus "$outermost" 16),1,300,0,240000,240000,0,?" >>"$tmp/code/misses.csv"
echo "first,load,unowned,2,1,0,3,0,$(plus "$main" 16),0,0x50004080,1,1,0,400,400,1,?" >>"$tmp/code/misses.csv"
code=$("$origin" report "$tmp/code" 2>/dev/null)
like "report: code that is far saves what local memory is nearer" "$code" '^ +120\.0 +240\.0 +300  code of /lib/libx\.so: instructions far'
like "report: the command that copies a library" "$code" \
    "^ *try: origin profile -o $tmp/code\.next -- sh -c 'numactl --membind=1 cp /lib/libx\.so /tmp/ && LD_LIBRARY_PATH=/tmp \./target'\$"

# --- other formats ---
csv=$("$origin" report --format=csv "$tmp/p" 2>&1)
is "csv: rows" "$(printf '%s\n' "$csv" | wc -l)" 6
is "csv: columns and sums" "$(printf '%s\n' "$csv" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(list(rows[0])[0], sum(int(r["count"]) for r in rows), sum(float(r["stall_ns"]) for r in rows), rows[0]["place"], rows[0]["function"])')" \
    "origin_profile_1 60 53000.0 table[0].tag outermost"
cp -r "$tmp/p" "$tmp/short" && echo line,64 >>"$tmp/short/meta.csv"
like "lines of 64 bytes: the remedy has them" "$("$origin" report "$tmp/short")" 'a line of its own: __attribute__\(\(aligned\(64\)\)\)'
cp -r "$tmp/p" "$tmp/cells" && sed -i 's/,klogd,/,"=1+1,2",/' "$tmp/cells/threads.csv"
is "csv: what a spreadsheet would take for a formula, and what is not known" "$("$origin" report --all --format=csv "$tmp/cells" | python3 -c '
import csv, sys
cells = {c for r in csv.DictReader(sys.stdin) for c in r.values()}
print(*sorted(c for c in cells if c[0] in "=\x27-"))')" "'=1+1,2 -"
is "json: the same" "$("$origin" report --format=json "$tmp/p" 2>&1 | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["format"], d["complete"], sum(r["count"] for r in d["misses"]), sum(r["stall_ns"] for r in d["misses"]), d["misses"][4]["address"])')" \
    "1 True 60 53000.0 None"
folded=$("$origin" report --format=folded "$tmp/p" 2>&1)
is "folded: the sum" "$(printf '%s\n' "$folded" | awk '{ s += $NF } END { print s }')" 53000
like "folded: the path and the cause" "$folded" '^target;main;outermost.*;\[false_sharing\] 35000$'
# Self costs add up to the summary; main's calls carry what outermost costs.
is "callgrind: sums, inclusive costs" "$("$origin" report --format=callgrind "$tmp/p" 2>&1 | awk '
    /^summary:/ { total = $2 }
    /^events:/ { events = NF - 1 }
    /^fn=/ { fn = substr($0, 4) }
    /^cfn=/ { callee = substr($0, 5) }
    /^calls=/ { call = 1; next }
    /^[0-9]/ { if (NF != events + 1) bad = 1
               if (call) { if (fn == "main" && callee == "outermost") inclusive += $2 } else self += $2
               call = 0 }
    END { print total, self, inclusive, bad + 0 }')" "53000 53000 35000 0"

# --- annotate ---
annotated=$("$origin" annotate "$tmp/p" outermost 2>&1)
is "annotate: status" "$?" 0
like "annotate: a source line and its cost" "$annotated" '^ +35\.0 +35 +[0-9]+  '
like "annotate: causes" "$annotated" 'false_sharing=35'
unlike "annotate FUNCTION: nothing else" "$annotated" ' 16\.0 '
"$origin" annotate "$tmp/p" nothing >"$tmp/out" 2>"$tmp/err"
is "annotate: no such function" "$? $(cat "$tmp/out" "$tmp/err")" "1 origin: no miss of the command is in nothing"

# --- what processors with a pipeline computed: main 4 us of 16 instructions, of which outermost has one ---
make "$tmp/c" target
echo "cpu,thread,region,pc,insns,width,unit,dependence,branch,mispredict
0,2,0,$(plus "$main" 16),15,100,200,3000,0,0
0,2,1,$(plus "$outermost" 16),1,0,0,0,300,400
2,4,0,$(plus "$main" 16),7,4000,0,0,0,0" >"$tmp/c/computing.csv"
stack=$("$origin" report --format=stack "$tmp/c" 2>&1)
is "stack: threads, lines, bounds and waits of the command" "$(printf '%s\n' "$stack" | cut -d, -f3,4,6,9-)" \
    "tid,comm,function,insns,width,unit,dependence,branch,mispredict,waiting,user,kernel,interrupt
20,target,outermost,1,0,0,0,300,400,30000,-,-,-
20,target,main,15,100,200,3000,0,0,16700,-,-,-
21,target,outermost,0,0,0,0,0,0,5000,-,-,-"
is "json: the same" "$("$origin" report --format=json "$tmp/c" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["tick_hz"], [sum(r[k] for r in d["stack"]) for k in ("insns", "dependence", "mispredict", "waiting")])')" "1000000000 [16, 3000, 400, 51700]"
computed=$("$origin" report "$tmp/c" 2>&1)
cp -r "$tmp/c" "$tmp/cm" && sed -i '1s/$/,mode/; 2,3s/$/,user/; 4,$s/$/,interrupt/' "$tmp/cm/stalls.csv"
is "stack: modes of waits alone are no modes of all time" "$("$origin" report --format=stack "$tmp/cm" | sed -n 2p | cut -d, -f16-)" "-,-,-"
sed -i '1s/$/,mode/; 2s/$/,user/; 3s/$/,kernel/; 4s/$/,interrupt/' "$tmp/cm/computing.csv"
is "stack: time by mode" "$("$origin" report --format=stack "$tmp/cm" | sed 1d | cut -d, -f6,16- | paste -s -d ' ') $("$origin" report --format=json "$tmp/cm" |
    python3 -c 'import json, sys; print([sum(r[m] for r in json.load(sys.stdin)["stack"]) for m in ["interrupt"]])')" "outermost,30000,700,0 main,3300,0,16700 outermost,5000,0,0 [16700]"
like "report: a function's time by mode" "$("$origin" report "$tmp/cm" 2>&1)" '^ +20\.0 +15 .*waiting=16\.7; user 3\.3, interrupt 16\.7$'
like "report: a processor's bounds are all that it computed" "$computed" '^ +2 +4\.0 +0\.0 +0\.0 +0\.0 +0\.0 '
# 20000 ns of 250 MHz are 5000 cycles, of 15 instructions.
like "report: a function's cycles" "$computed" '^ +20\.0 +15 +333\.33  main \(/share/target\) +width=0\.1 unit=0\.2 dependence=3\.0 waiting=16\.7$'
like "annotate: a line's cycles" "$("$origin" annotate "$tmp/c" main 2>&1)" '\^ CPI=333\.33 width=0\.1 unit=0\.2 dependence=3\.0 waiting=16\.7$'
is "report --region: only that" "$("$origin" report --region solve --format=stack "$tmp/c" | sed 1d | cut -d, -f6,9,14)" "outermost,1,400"
"$origin" report --format=stack "$tmp/p" >"$tmp/out" 2>"$tmp/err"
is "stack: a profile without" "$? $(cat "$tmp/out" "$tmp/err")" "1 origin: $tmp/p: no computing.csv: --format=stack needs a profile of --cpu=pipeline"

# --- code that is in no file, and modules of the kernel: target.c compiled as one of them ---
make "$tmp/n" target
mkdir -p "$tmp/modules/debug"
"$origin" cc -g -O1 -c -o "$tmp/modules/debug/probe.ko" "$target" || exit 99
cp "$tmp/modules/debug/probe.ko" "$tmp/modules/debug/older.ko"
module() { "${ORIGIN_CROSS}nm" "$tmp/modules/debug/probe.ko" | sed -n "s/^\([0-9a-f]*\) . $1\$/0x\1/p"; }
printf '%s\n' "modules,$tmp/modules" >>"$tmp/n/run.csv"
text=0xc000000000320000 bss=0xc000000000330000
printf '%s\n' "0,$text,$(plus $text 16384),0x0,[module probe .text],0,r-x,0,9" "0,$bss,$(plus $bss 16384),0x0,[module probe .bss],0,rw-,0,9" \
    '0,0xc000000000340000,0xc000000000340010,0x0,[module older .text],0,r-x,0,9' '0,0xc000000000350000,0xc000000000354000,0x0,[module foreign .text],0,r-x,0,9' \
    '0,0xffffffff80000000,0xffffffff80000400,0x0,[vectors],0,r-x,0,9' '0,0xffffffffbfc00000,0xffffffffbfd00000,0x0,[prom],0,r-x,0,9' \
    '2,0x50000000,0x50008000,0x0,,0,rwx,5,9' '2,0x70000000,0x70004000,0x0,,0,r-x,5,9' '2,0x70008000,0x7000c000,0x0,[heap],0,rwx,5,9' >>"$tmp/n/maps.csv"
echo part,cpu,thread,region,pc,hops,count,ticks >"$tmp/n/stalls.csv"
for pc in "$(plus $text "$(module outermost)")" "$(plus $text "$(module main)")" 0xffffffff80000084 0xffffffff80000110 0xffffffff80000184 0xffffffffbfc00600 \
    0x50000010 0x50000040 0x70000010 0x70008010 - 0xc000000000340004 0xc000000000350004 0xc000000000360004; do
    echo "l2,0,2,0,$pc,0,1,1000"
done >>"$tmp/n/stalls.csv"
for at in "$(plus $bss "$(module sink)")" "$(plus $text 64)"; do
    echo "capacity,load,unowned,0,1,1,2,0,$(plus "$main" 16),0,$at,1,20,0,16000,16000,0,?"
done >>"$tmp/n/misses.csv"
named=$("$origin" report --top 99 "$tmp/n" 2>"$tmp/err")
is "names: each function" "$(printf '%s\n' "$named" | sed -n '/^FUNCTIONS/,/^$/s/^ *[0-9.]* *\([0-9]*\)  \([^=]*)\) .*/\1 \2/p' |
    sed 's/target\.c:[0-9]*/target.c:N/' | LC_ALL=C sort)" \
    "1 0x4 ([module foreign])
1 0x4 ([module older])
1 0xc000000000360004 ([kernel])
1 [TLB refill] ([vectors])
1 [boot PROM] ([prom])
1 [cache error] ([vectors])
1 [exception] ([vectors])
1 [generated code] ([anonymous])
1 [generated code] ([heap])
1 [not known] (?)
1 main ([module probe])
1 outermost ([module probe])
2 [generated code] (block of malloc() in main, target.c:N)"
like "names: a variable of a module" "$named" '^ +16\.0 +20  sink  capacity=20'
like "names: data where a module's code was is not the module's" "$named" '^ +16\.0 +20  memory of the kernel  capacity=20'
is "names: what has none, and why, once" "$(LC_ALL=C sort "$tmp/err")" "origin: [module foreign]: not on this host; its code and data have no names
origin: [module older]: its file on this host is another one; it has no names"

# --- what files lack, and damage ---
make "$tmp/s" stripped
report=$("$origin" report "$tmp/s" 2>"$tmp/err")
is "stripped: status, said once" "$? $(cat "$tmp/err")" "0 origin: $tmp/stripped: stripped: symbols of dynamic linking only"
like "stripped: the sums are there" "$report" '^ +60 +53\.0 +100\.0  all$'
make "$tmp/without" gone
report=$("$origin" report "$tmp/without" 2>"$tmp/err")
is "program that is gone: status, said once" "$? $(cat "$tmp/err")" "0 origin: $tmp/gone: No such file or directory"
make "$tmp/cut" target
printf 'capacity,load,unowned,0,1,1,2,0,0x1,0,0x50004010,1,20,0,16' >>"$tmp/cut/misses.csv"
sed -i 's/complete,yes/complete,no/' "$tmp/cut/meta.csv"
report=$("$origin" report "$tmp/cut" 2>&1)
like "cut short: the rest is read" "$report" '^ +60 +53\.0 +100\.0  all$'
like "cut short: says so" "$report" '^The machine did not end by itself'
make "$tmp/nothreads" target
rm "$tmp/nothreads/threads.csv" "$tmp/nothreads/maps.csv" "$tmp/nothreads/heap.csv"
like "no threads: everything counts" "$("$origin" report "$tmp/nothreads" 2>&1)" '^ +160 +93\.0 +100\.0  all$'

# --- refusals ---
# refuses NAME STATUS PATTERN ARGS...
refuses() {
    r_name=$1 r_status=$2 r_pattern=$3
    shift 3
    "$origin" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    r_got=$?
    is "$r_name: status" "$r_got" "$r_status"
    like "$r_name: says why" "$(cat "$tmp/err")" "$r_pattern"
    is "$r_name: one line" "$(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "1 0"
}
mkdir "$tmp/empty" "$tmp/v9"
printf '%s\n' key,value format,9 >"$tmp/v9/meta.csv"
refuses 'no profile' 1 'no profile: it has no meta.csv' annotate "$tmp/empty"
refuses 'no directory' 1 'No such file or directory' annotate "$tmp/nowhere"
refuses 'another format' 1 'another format' report "$tmp/v9"
refuses 'unknown output' 2 "^origin: --format is text, csv" report --format=xml "$tmp/p"
refuses 'bad --top' 2 "^origin: --top is a number from 1 to 1000000, not '0'" report --top 0 "$tmp/p"
refuses 'unknown region' 1 "no region 'nothing'" report --region nothing "$tmp/p"
refuses 'two profiles' 2 'one profile at a time' report --format=csv "$tmp/p" "$tmp/s"
refuses 'annotate nothing' 2 'no profile named' annotate
refuses '-o without a profile' 2 '^origin: -o needs --follow: what shall be recorded[?]' run -o x -- true
refuses 'profile without caches' 2 '^origin: --model does not go with origin profile: ' profile --model=off -o "$tmp/x" -- true
refuses 'profile into a file' 125 "^origin: profile $tmp/target: Not a directory" profile -o "$tmp/target" -- true
refuses 'profile where nothing can be' 125 '^origin: profile /proc/x: No such file' profile -o /proc/x -- true
refuses 'kernel without debug information' 125 "^origin: kernel $tmp/stripped: no profile can be made of it: it has no debug" \
    profile -k "$tmp/stripped" -o "$tmp/x" -- true
"$origin" report --format=csv "$tmp/p" >/dev/full 2>"$tmp/err"
is "full disk" "$? $(cat "$tmp/err")" "1 origin: standard output: No space left on device"
finish
