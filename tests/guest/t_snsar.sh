#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# snsar, snroute, linkstat: figure 5.3's layout and figures, every metric against programs of computable traffic (traffic.c), all refusals,
# other formats, routes against the kernel's distances.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -Wall -o "$tmp/traffic" "$root/tests/guest/traffic.c" -lnuma -lpthread -lm || exit 99
"$origin" cc -O2 -Wall -o "$tmp/top" "$root/tests/guest/top.c" -lutil || exit 99

# --- figure 5.3 on its machine ----------------------------------------------------------------------------------------------------------
run -m rapture -s "$tmp" -- sh -c 'sleep 1; exec snsar -n1 --mem --mdidle --mdbusy 1 5' </dev/null # a second after booting: idle
is "figure 5.3: status, no complaint" "$status $err" "0 "
shape=$(printf '%s\n' "$out" | sed -E -e 's/^Linux rapture 6\.12\.[0-9]+ .* mips64 (Mon|Tue|Wed|Thu|Fri|Sat|Sun) .* 20[0-9]{2}$/SYSTEM/' \
    -e 's/^[0-5]\.[0-9]{3} n1 +[12]\.[0-9]{3} +9[78][0-9]{6} +[12][0-9]{6}$/ROW/' \
    -e 's/^\[0\.[0-9]{3},5\.[0-9]{3}\]: 500 ticks, 10\.00 ms\/tick, [0-9]+\.[0-9]{2} us\/sample$/END/')
is "figure 5.3: layout" "$shape" "SYSTEM
n1 = /hw/module/11/slot/n2/node
mem      = memory utilization
mdidle   = memory idle cycles
mdbusy   = memory busy cycles

time  loc       mem   mdidle   mdbusy
ROW
ROW
ROW
ROW
ROW

END"
# Six counters are read, each in about 300 ns (thesis 5.3.2), or in three times that if the sampler is at the other end of the machine. The whole took
# 9.60 us on the real one.
cost=$(printf '%s\n' "$out" | sed -n 's/.* \([0-9.]*\) us\/sample$/\1/p')
within "figure 5.3: cost of a sample" 1.8 "$cost" 28.8
printf '%s\n' "$out" | awk '$2 == "n1" && NF == 5 { print $1, $3, $4, $5 }' >"$tmp/rows"
while read -r time mem idle busy; do
    is "figure 5.3: memory utilization is the share of busy cycles" "$mem" "$(awk "BEGIN { printf \"%.3f\", 100 * $busy / ($busy + $idle) }")"
    within "figure 5.3: an idle machine only refreshes, which takes 1.8 %; the thesis saw at most 2.012" 1.8 "$mem" 2.012
    # 100 MHz for a second. At both its ends the reading may come later by what a sample takes.
    within "figure 5.3: idle + busy are the Hub's cycles" "$(awk "BEGIN { print 1e8 - 200 * $cost }")" $((idle + busy)) "$(awk "BEGIN { print 1e8 + 200 * $cost }")"
    # Times are printed in milliseconds.
    [ -z "${last-}" ] || within "figure 5.3: a second between rows" 0.999 "$(awk "BEGIN { print $time - $last }")" 1.001
    last=$time
done <"$tmp/rows"

# --- computable traffic -----------------------------------------------------------------------------------------------------------------
cat >"$tmp/all.sh" <<'END'
./traffic 5 3 6; ./top
echo "== json"; snsar --json -n 0,2 -p /hw/module/1/slot/r1/router:5 --mem --send 0.1 2
echo "== csv"; snsar --csv -n 1 -p /hw/module/1/slot/r1/router:5 --mem --nin 0.1 2
echo "== top"; COLUMNS=80 LINES=24 snsar --top 0.2 2
echo "== narrow"; COLUMNS=40 LINES=9 snsar --top 0.2 2
echo "== trace"; snsar -n 1-2 --mem -o trace 0.1 3 >/dev/null; ls trace
echo "== slow"; snsar -n 1 --mem --sample 50 0.5 1
echo "== links slow"; snsar -p /hw/module/1/slot/r1/router:5 --sendcnt --clkcnt --sample 10 0.5 1
# A processor of another node gives the link something to count.
echo "== turns"; snsar --csv -n 1 --mdidle --mdbusy --out --lp0read --xbowtx --multiplex 1 2; numactl -N 0 -m 1 dd if=/dev/zero of=/dev/null bs=16M 2>/dev/null & snsar --json -n 1 --send --damq0 --multiplex 0.1 2; kill $!; wait $! 2>/dev/null
echo "== io"; snsar -n all --xbartxd 3 1 >io & sleep 1; dd if=/share/big of=/dev/null bs=65536 2>/dev/null; wait; cat io
for d in few many; do echo "== $d"; snsar -n all --xbartxd 3 1 >io & sleep 1; echo $d/* >/dev/null; wait; cat io; done
echo "== refused"
e() { echo "\$ $*"; "$@" 2>&1; echo "= $?"; }
e snsar -n 8 --mem 1 1
e snsar -n 0-99 --mem 1 1
e snsar -n /hw/nodenum/77 --mem 1 1
e snsar -n x --mem 1 1
e snsar -p /hw/module/9/slot/r1/router:1 --send 1 1
e snsar -p /hw/module/1/slot/r1/router:7 --send 1 1
e snsar -p /hw/module/1/slot/r1/router:x --send 1 1
e snsar -n 0 --mem --lp0read 1 1
e snsar -n 0 --xbowtx --xbowrx 1 1
e snsar -n 0 --send --damq0 1 1
e snsar -n 0 --local 1 1
e snsar -p all --mem 1 1
e snsar --mem 1 1
e snsar -n 0 1 1
e snsar -n 0 --mem
e snsar -n 0 --mem 0 1
e snsar -n 0 --mem 1 1 1
e snsar -n 0 --mem --clock sundial 1 1
e snsar -n 0 --mem --runon 99 1 1
e snsar -n 0 --mem --rtprio=100 1 1
e snsar -n 0 --nothing 1 1
e snsar -n 0 --mem -o /nowhere/file 1 1
snsar -n 2 --mem 1 1 >/dev/null & sleep 0.3
snsar -n 2 --mem 1 1 2>&1 | sed 's/process [0-9]*/process N/'; wait
for p in /hw/module/2/slot/r*/router/[1-6]; do
    [ "$(readlink -f $p)" = "$(readlink -f /hw/nodenum/2)" ] && e snsar -n 2 --nin -p ${p%/*}:${p##*/} --send 1 1
done
echo 0 >/sys/devices/system/cpu/cpu5/online
e snsar -n 0 --mem --runon 5 1 1; e snrun -q --runon 5 -n 0 --mem true
echo 1 >/sys/devices/system/cpu/cpu5/online
snsar -n all -p all --mem --send --sample 0.05 --threads 1 0.01 1 2>&1 >/dev/null | sed 's/about [0-9.]* ms/about T ms/'
su guest -c 'snsar -n 0 --mem --rtprio 1 1' 2>&1
chmod 600 /hw/nodenum/3/hub/md; su guest -c 'snsar -n 3 --mem 1 1' 2>&1
e snroute 0 1
e linkstat -e -x -a
e linkstat
rmmod snpc || echo "snpc stays"
e snsar -n 1 --mem 1 1
e snroute -v 0 1
e linkstat -h
insmod "/lib/modules/$(uname -r)/snpc.ko" extended=1
echo "== routes"; snroute -t; echo "== vectors"; snroute -v; echo "== long"; snroute -l 0 5
echo "== nodes"; for n in 0 1 2 3 4 5 6 7; do cat /sys/devices/system/node/node$n/distance; done
echo "== linkstat"; su guest -c "linkstat -a; linkstat -x -a; linkstat -e /hw/module/1/slot/r1/router/mon"
echo "== help"; for t in snsar snroute linkstat; do $t --help >help.$t; $t --version; $t --bash-completion >bash.$t; done
dmesg | grep -E "WARNING|BUG|Oops|Call Trace"
echo "== no graph"; mount --bind /tmp /hw
e snsar -n 0 --mem 1 1; e snroute 0 1; e linkstat -a; e nstats; e sn; e refcnt -n 0; e hinv; e topology
END
dd if=/dev/zero of="$tmp/big" bs=65536 count=64 2>/dev/null
mkdir "$tmp/few" "$tmp/many"
for i in $(seq -f %040.0f 266); do
    : >"$tmp/many/$i"
    [ "$i" -gt 10 ] || : >"$tmp/few/$i"
done
run -m ricotta -s "$tmp" -- sh ./all.sh </dev/null
printf '%s\n' "$out" | awk '/^== / { exit } { print }' >"$tmp/points"
is "computable traffic: the program ends" "$(grep -c '^Bail' "$tmp/points")" 0
while IFS= read -r line; do
    case $line in
    ok\ -*) result 0 "${line#ok - }" ;;
    not\ ok\ -*) name=${line#not ok - }; IFS= read -r detail; result 1 "$name" "$detail" ;;
    esac
done <"$tmp/points"
is "computable traffic: points" "$(grep -c 'ok - ' "$tmp/points")" 77
part() { printf '%s\n' "$out" | awk -v want="== $1" '/^== / { on = $0 == want; next } on { print }'; }

# --- formats ----------------------------------------------------------------------------------------------------------------------------
part json >"$tmp/json"
is "JSON: rows, objects" "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(len(d["rows"]), list(d["objects"]), [r["loc"] for r in d["rows"]], d["rows"][2]["mem"], d["rows"][0]["send"], d["dropped"])' "$tmp/json")" \
    "6 ['n0', 'n2', 'p0'] ['n0', 'n2', 'p0', 'n0', 'n2', 'p0'] None None 0"
like "CSV: header" "$(part csv)" '^time,loc,mem,nin$'
like "CSV: rows" "$(part csv)" '^0\.[0-9]{6},n1,[12]\.[0-9]{3},0\.[0-9]{3}$'
like "CSV: a value that is not there is empty" "$(part csv)" '^0\.[0-9]{6},p0,,$'
is "top on a small screen: fits, with sparklines, without colours" \
    "$(part narrow | awk '/^\[/ { next } length > 40 { wide++ } /^ricotta/ { if (n > 8) tall++; n = 0; frames++ } { n++ } END { print frames, wide + 0, tall + 0 }') $(
        part narrow | grep -c '^n[0-7]  *[12]n[1-4]  *[0-9]*% ..... n') $(part top | grep -c "$(printf '\033')")" '2 0 0 6 0'
is "top: two frames of eight nodes and 16 ports" "$(part top | grep -c 'memory') $(part top | grep -o '0n[0-9]\|n[0-9]   *[12]n[1-4]' | wc -l) $(part top | grep -o '[12]r[12]:[1-6]' | wc -l)" "2 16 32"
is "a trace is written" "$(part trace)" trace
is "too slow: said, and every 10 ms in truth" "$(printf '%s\n' "$err" | grep -c 'sampling every 50 ms is too slow: counters wrap after 10.486 ms; every 10 ms instead') $(part slow | grep -c ': 50 ticks, 10.00 ms/tick')" "1 1"
is "too slow for links: counts are estimates" "$(printf '%s\n' "$err" | grep -c 'too slow for exact link counts (1.311 ms): ratios hold') $(part 'links slow' | grep -c ', 50 estimates')" "1 1"
clk=$(part 'links slow' | awk '$2 == "p0" && NF == 4 { print $4 }')
# 50 MHz for half a second. The last reading may come later by what a sample takes, the first one by twice that: nothing of it is in a cache yet.
late=$(part 'links slow' | sed -n 's/.* \([0-9]*\)\.[0-9]* us\/sample, .*/\1/p')
within "estimated clocks are those that passed" $((25000000 - 150 * (late + 1))) "$clk" $((25000000 + 150 * (late + 1)))
# 90 MHz for a second. A mode's turn is 29 ms; a change of modes takes a sample of all registers, 0.1 ms, which belongs to neither: a third of a per cent.
for sum in $(part turns | awk -F, '$2 == "n1" && $5 != "" && $6 != "" && $7 != "" { print $3 + $4 }'); do
    within "modes take turns: what mode 0 counted stands for the whole second" 89700000 "$sum" 90300000
done
is "modes take turns: rows with the counters of all modes" "$(part turns | grep -c '^[0-9.]*,n1,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*$')" 2
like "modes take turns: shares" "$err" '^Hub MD modes took turns: 0 counted 33\.[0-9] %, 1 counted 33\.[0-9] %, 5 counted 33\.[0-9] % of the time; counts are scaled$'
is "modes of a link take turns, in JSON" "$(part turns | sed -n '/^{/,$p' | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(len(d["rows"]), d["rows"][0]["send"] > 0, d["rows"][0]["damq0"] > 0, d["turns"].split(":")[0])')" "2 True True histogram modes took turns"
# 4 MB arrive by DMA: 32768 lines of 16 data micropackets each, and some traffic of the console and the share. A line that a processor
# still owns is sent twice: with the write-invalidate, and as a write-back when its owner gives it up.
io() { part "$1" | awk 'NF == 3 && $3 + 0 > n { n = $3 } END { print n }'; }
within "I/O: a file of 4 MB is as many micropackets of data" 524288 "$(io io)" 1120000
# The guest's buffer for names holds 256 KB, or 32768 micropackets, but the device moves only the names that there are. 256 names more of 40 bytes,
# and 24 bytes with each (9P2000.L), are 2048 micropackets, each moved once or twice as above; a line of 16 may be cut at either end, and the device's
# ring goes on to another line once in a while, as do the buffers that the guest has for requests and answers.
within "I/O: more names are their data" $((2048 - 3 * 16)) $(($(io many) - $(io few))) $((2 * (2048 + 4 * 16)))

# --- refusals: one line each ------------------------------------------------------------------------------------------------------------
is "refused requests" "$(part refused)" '$ snsar -n 8 --mem 1 1
snsar: node 8: this machine has nodes 0 to 7
= 1
$ snsar -n 0-99 --mem 1 1
snsar: node 8: this machine has nodes 0 to 7
= 1
$ snsar -n /hw/nodenum/77 --mem 1 1
snsar: node /hw/nodenum/77: No such file or directory
= 1
$ snsar -n x --mem 1 1
snsar: node '\''x'\'' is neither a number nor a path in /hw
= 1
$ snsar -p /hw/module/9/slot/r1/router:1 --send 1 1
snsar: port /hw/module/9/slot/r1/router:1: there is no such router
= 1
$ snsar -p /hw/module/1/slot/r1/router:7 --send 1 1
snsar: port /hw/module/1/slot/r1/router:7: a router has ports 1 to 6
= 1
$ snsar -p /hw/module/1/slot/r1/router:x --send 1 1
snsar: port '\''/hw/module/1/slot/r1/router:x'\'' is not a router'\''s path and a number
= 1
$ snsar -n 0 --mem --lp0read 1 1
snsar: --lp0read needs Hub MD counter mode 5 and --mem 0: a Hub has one at a time; --multiplex lets them take turns (see snsar --help)
= 2
$ snsar -n 0 --xbowtx --xbowrx 1 1
snsar: --xbowrx needs Hub I/O counter selection 0xf and --xbowtx 0xf0: a Hub has one at a time; --multiplex lets them take turns (see snsar --help)
= 2
$ snsar -n 0 --send --damq0 1 1
snsar: --damq0 needs histogram mode 2 and --send 1: a port has one at a time; --multiplex lets them take turns (see snsar --help)
= 2
$ snsar -n 0 --local 1 1
snsar: --local is a metric of threads: snrun measures it (see snsar --help)
= 2
$ snsar -p all --mem 1 1
snsar: --mem is a metric of nodes and none is named (see snsar --help)
= 2
$ snsar --mem 1 1
snsar: name nodes with --node or ports with --port (see snsar --help)
= 2
$ snsar -n 0 1 1
snsar: name metrics, such as --mem (see snsar --help)
= 2
$ snsar -n 0 --mem
snsar: SECONDS is missing: the time between updates (see snsar --help)
= 2
$ snsar -n 0 --mem 0 1
snsar: SECONDS: '\''0'\'' is not a number from 0.0001 to 1000000 (see snsar --help)
= 2
$ snsar -n 0 --mem 1 1 1
snsar: unexpected argument '\''1'\'' (see snsar --help)
= 2
$ snsar -n 0 --mem --clock sundial 1 1
snsar: --clock: '\''sundial'\'' is not one of auto, realtime, fast, spin (see snsar --help)
= 2
$ snsar -n 0 --mem --runon 99 1 1
snsar: cpu 99: this machine has processors 0 to 15
= 1
$ snsar -n 0 --mem --rtprio=100 1 1
snsar: --rtprio: '\''100'\'' is not a whole number from 0 to 99 (see snsar --help)
= 2
$ snsar -n 0 --nothing 1 1
snsar: unknown option '\''--nothing'\'' (see snsar --help)
= 2
$ snsar -n 0 --mem -o /nowhere/file 1 1
snsar: /nowhere/file: No such file or directory
= 1
snsar: /hw/module/2/slot/n3/node/hub/md: process N is using these counters
$ snsar -n 2 --nin -p /hw/module/2/slot/r2/router:5 --send 1 1
snsar: /hw/module/2/slot/r2/router/stat/5: these counters are named twice, as a node'\''s and as a port'\''s
= 1
$ snsar -n 0 --mem --runon 5 1 1
snsar: cpu 5: this process may not run there
= 1
$ snrun -q --runon 5 -n 0 --mem true
snrun: cpu 5: this process may not run there
= 1
snsar: sampling every 0.05 ms is too fast: one thread'\''s counters take about T ms to read
snsar: no right to realtime priority 1
snsar: /hw/module/2/slot/n4/node/hub/md: no right to use these counters
$ snroute 0 1
snroute: /hw/module/2/slot/n1/node/hub/hubreg: there is no such device: load snpc with extended=1
= 1
$ linkstat -e -x -a
linkstat: -e and -x exclude each other (see linkstat --help)
= 2
$ linkstat
linkstat: name one of -a, -h, -r or a file in /hw (see linkstat --help)
= 2
$ snsar -n 1 --mem 1 1
snsar: /hw/module/2/slot/n2/node/hub/md: there is no such device: the snpc module is not loaded
= 1
$ snroute -v 0 1
snroute: /hw/module/2/slot/r1/router/stat/6: there is no such device: the snpc module is not loaded
= 1
$ linkstat -h
linkstat: Cannot access /hw/module/2/slot/n1/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/2/slot/n2/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/2/slot/n3/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/2/slot/n4/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/1/slot/n1/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/1/slot/n2/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/1/slot/n3/node/hub/mon: there is no such device: the snpc module is not loaded
linkstat: Cannot access /hw/module/1/slot/n4/node/hub/mon: there is no such device: the snpc module is not loaded
= 1'
is "no hardware graph: each program says so" "$(part 'no graph')" '$ snsar -n 0 --mem 1 1
snsar: there is no hardware graph at /hw: is the module hwgfs loaded?
= 1
$ snroute 0 1
snroute: there is no hardware graph at /hw: is the module hwgfs loaded?
= 1
$ linkstat -a
linkstat: there is no hardware graph at /hw: is the module hwgfs loaded?
= 1
$ nstats
nstats: /hw/nodenum: there is no hardware graph: is the module hwgfs loaded?
= 1
$ sn
sn: /hw/nodenum: there is no hardware graph: is the module hwgfs loaded?
= 1
$ refcnt -n 0
refcnt: /hw/nodenum: there is no hardware graph: is the module hwgfs loaded?
= 1
$ hinv
hinv: /hw/inventory: there is no hardware graph: is the module hwgfs loaded?
= 1
$ topology
topology: /hw/nodenum: there is no hardware graph: is the module hwgfs loaded?
= 1'

# --- routes and links -------------------------------------------------------------------------------------------------------------------
part nodes | awk '{ for (i = 1; i <= NF; i++) if ($i > 10) print "n" NR - 1, "n" i - 1, $i - 10; else print "n" NR - 1, "n" i - 1, 0 }' >"$tmp/want"
for kind in routes vectors; do
    part $kind | awk '{ print $1, $3, $5 }' >"$tmp/got"
    is "$kind: as many routers as the kernel's distance says" "$(cmp "$tmp/got" "$tmp/want" && wc -l <"$tmp/got")" 64
done
is "routes: none leads elsewhere" "$(printf '%s\n' "$err" | grep -c '^snroute: n')" 0
is "routes: a hop for each router" "$(part routes | awk '{ split($0, x, ": "); print $5 == split(x[2], y, " ") }' | sort -u)" 1
like "routes: long form" "$(part long | tr '\n' '#')" '^n0 -> n5 table, [23] routers:#  /hw/module/2/slot/n1/node#  /hw/module/./slot/r./router port [1-6]#.*#  /hw/module/1/slot/n2/node#n0 -> n5 vector, '
is "linkstat: Hubs" "$(part linkstat | grep -A 2 '^Hub: /hw/module/1/slot/n4')" 'Hub: /hw/module/1/slot/n4/node/hub/mon
 NI: Retries 0 (0/Min), SN errs 0 (0/Min), CB errs 0 (0/Min)
 II: SN errs 0 (0/Min), CB errs 0 (0/Min)'
is "linkstat: errors of one router's links" "$(part linkstat | sed -n '/^Router: .*1.slot.r1/,$p' | tail -n 9 | sed 's/[1-6]:$/N:/' | sort | uniq -c | sed 's/^ *//')" \
    "4   Retries 0 (0/Min), SN errs 0 (0/Min), CB errs 0 (0/Min)
4  Port N:
1 Router: /hw/module/1/slot/r1/router/mon"
like "linkstat: ports" "$(part linkstat | tr '\n' '#')" '#Router: /hw/module/2/slot/r1/router/mon# Port [1-6]:  Utilization: bypass [0-9]+%  receive [0-9]+%  send [0-9]+%#  Retries 0 \(0/Min\), SN errs 0 \(0/Min\), CB errs 0 \(0/Min\)#'
is "linkstat: Hubs, ports" "$(part linkstat | grep -c '^Hub') $(part linkstat | grep -c Utilization)" "8 16"

# --- help, manual pages, completion -----------------------------------------------------------------------------------------------------
for tool in snsar snroute linkstat; do
    missing=
    for o in $(sed -nE 's/^ +(-., )?--([a-z0-9-]+).*/\2/p' "$tmp/help.$tool"); do
        grep -qE -e "-$o( |\$)" "$root/docs/man/$tool.1" || missing="$missing --$o"
    done
    is "$tool: the manual page has every option of --help" "$missing" ""
    ok "$tool: completion is bash" bash -n "$tmp/bash.$tool"
    is "$tool: completion has the options" "$(bash -c '. "$1"; COMP_WORDS=("$2" --v); COMP_CWORD=1; _$2; echo "${COMPREPLY[@]}" | tr " " "\n" | grep -c version' x "$tmp/bash.$tool" $tool)" 1
done
is "clock's values are completed" "$(bash -c '. "$1"; COMP_WORDS=(snsar --clock ""); COMP_CWORD=2; _snsar; echo "${COMPREPLY[@]}"' x "$tmp/bash.snsar")" "auto realtime fast spin"
unlike "no complaint of the kernel" "$(part help)" 'WARNING|BUG|Oops|Call Trace'
finish
