#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Placement, migration and the tools around them on ricotta: the calls of mmci(5) (pmo.c), sn, nstats, refcnt, hinv, dplace.
. "$(dirname "$0")/../lib.sh"
for f in pmo threads; do "$origin" cc -O2 -o "$tmp/$f" "$root/tests/guest/$f.c" -lpthread || exit 99; done
cat >"$tmp/cube" <<'END'
# four memories, two threads each
memories 4 in topology cube near /hw/module/1/slot/n1/node
threads $N * 2
distribute threads across memories \
    block 2
END
cat >"$tmp/cyclic" <<'END'
memories 2 in topology physical near /hw/nodenum/3 /hw/nodenum/5
threads 8
distribute threads across memories cyclic 1
run thread 2 on memory 1 using cpu 0
mode verbose on
END
echo 'memories 2 in topology ring' >"$tmp/bad"
# shellcheck disable=SC2016
cat >"$tmp/job" <<'END'
try() { echo "$* = $("$@" 2>&1 >/dev/null; echo $?)"; }
./pmo; echo MARK
N=4 dplace -place cube ./threads; dplace -place cyclic ./threads 2>/dev/null; dplace -v -place cyclic ./threads 2>&1 | grep -c 'runs on'
try dplace; try dplace -place bad true; try dplace -place none true; try dplace -data_pagesize 32k true; try dplace -migration 200 true
try dplace -migration 20 -data_pagesize 64k -propagate true; echo MARK
hinv; for c in disk network; do hinv -s -c $c; echo $?; done; hinv -v -t bank -b 3 -u 1; try hinv -b x; echo MARK
sn -v 3 | head -3; sn 3 -m fon -t 12 -z 3 -u on -p 70 -w 5 -i on -f 50 --enqueue on -r on; sn -v /hw/module/2/slot/n4/node/cpu/a; sn -a -s -m off -r off
sn -a | grep -c 'migration off'; su guest -c 'sn 3 -m on'; try sn; try sn 9; try sn -a -m maybe; try sn -a -t 101; try sn -a 3; echo MARK
nstats 6 | head -5; nstats 3 | grep User | tr -s " "; nstats 1 | grep ueued | tr -s " "; nstats -r ./threads | head -1; nstats -a | grep -c ^Node; try nstats 99; try nstats -r; try nstats 2 -r false; echo MARK
sleep 10000 & p=$!
refcnt -p $p -k; refcnt -p $p -m busybox -t 3 | head -1; refcnt -p $p -f csv -z | head -1 | cut -c 1-30; refcnt -p $p -f json | cut -c 1-32
refcnt -n 3 -f csv >a; refcnt -n 3 -i 0.1 -c 3 -f csv | sed -n 's/,.*//p' | sort -u | tr '\n' ' '; echo
su guest -c "refcnt -p $p"; su guest -c 'refcnt -n 3 -t 1' | wc -l
try refcnt; try refcnt -p 99999; try refcnt -p $p -r 5; try refcnt -p $p -m nothing; try refcnt -p 1 -n 1; try refcnt -n 1 -f xml
kill $p; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace'; true
END
run -m ricotta -s "$tmp" -- 'sh job' </dev/null
part() { printf '%s\n' "$out" | awk -v n="$1" '/^MARK$/ { i++; next } i == n'; }
is "the job" "$status" 0
part 0 >"$tmp/points"
while IFS= read -r line; do
    case $line in
    ok\ -*) result 0 "${line#ok - }" ;;
    *) result 1 "${line#not ok - }" ;;
    esac
done <"$tmp/points"
is "all points of pmo" "$(grep -c '^ok' "$tmp/points")" 221
is "dplace" "$(part 1)" "4 4 5 5 0 0 1 1 
3 5 5 5 3 5 3 5 
8
dplace = dplace: no PROGRAM (see dplace --help)
2
dplace -place bad true = dplace: /share/bad:1: 'none' is wanted before 'ring'
1
dplace -place none true = dplace: none: No such file or directory
1
dplace -data_pagesize 32k true = dplace: page size '32k' is not 16k, 64k, 256k, 1m, 4m or 16m (see dplace --help)
2
dplace -migration 200 true = dplace: --migration: '200' is not a whole number from 0 to 100 (see dplace --help)
2
dplace -migration 20 -data_pagesize 64k -propagate true = 0"
is "hinv" "$(part 2)" "FPU: MIPS R10010 Floating Point Chip Revision: 0.0
CPU: MIPS R10000 Processor Chip Revision: 2.7
16 180 MHZ IP27 Processors
Main memory size: 2048 Mbytes
Instruction cache size: 32 Kbytes
Data cache size: 32 Kbytes
Secondary unified instruction/data cache size: 1 Mbyte
Integral IOC3 serial port: ttyS0
Integral IOC3 serial port: ttyS1
Integral Fast Ethernet: eth0
1
0
  Bank 1 contains 128 MB (standard) DIMMS (enabled)
hinv -b x = hinv: --controller: 'x' is not a whole number from 0 to 1073741824 (see hinv --help)
2"
is "sn" "$(part 3)" "Node 3 /hw/module/2/slot/n4/node
  migration off, threshold 50% of 2047, extended counters off
  distance at least 1 hops, 5% of the target's memory free
Node 3 /hw/module/2/slot/n4/node
  migration fon, threshold 12% of 2047, extended counters on
Node 3 /hw/module/2/slot/n4/node
  migration fon, threshold 12% of 2047, extended counters on
  distance at least 3 hops, 5% of the target's memory free
  dampening on, factor 50%; queueing on
  freezing off, threshold 20%; melting off, threshold 90%; interval 100 s
  unpegging on, level 70%, period 5 s
  hardware thresholds: difference 204, absolute 1023
8
sn = sn: no node is named; -a means all nodes (see sn --help)
2
sn 9 = sn: '9' names no node: 0 to 7, or a path below /hw (see sn --help)
2
sn -a -m maybe = sn: migration: 'maybe' is not one of on, off, fon, foff (see sn --help)
2
sn -a -t 101 = sn: threshold: '101' is not a whole number from 0 to 100 (see sn --help)
2
sn -a 3 = sn: --all and '3' exclude each other (see sn --help)
2"
like "sn for a user" "$err" 'sn: node 3: cannot set: Operation not permitted'
like "nstats" "$(part 4 | tr -s ' \n' ' ')" '^Node 6 /hw/module/1/slot/n3/node Migration Threshold 50 % Counter Interrupts [1-9][0-9]* Auto Migrations To Node [1-9][0-9]* Auto Migrations From Node [1-9][0-9]* User Migrations To Node 4 User Migrations From Node 0 User Migration Skips 0 Migrations Queued [1-9][0-9]* Migrations Dequeued [3-9] [0-7 ]* 8 '
like "nstats: errors" "$(part 4 | tail -n 5 | tr '\n' ' ')" "names no node: .* 2 nstats -r = nstats: -r: no COMMAND .* 2 nstats 2 -r false = 1 "
like "refcnt" "$(part 5 | tr '\n' ' ' | tr -s ' ')" '^address physical home references most n0 n1 n2 n3 n4 n5 n6 n7 .*address physical .*vaddr,paddr,home,total,n0,n1,n \{"sample":0,"nodes":8,"pages":\[\{ ([012] )*sample [12] '
like "refcnt: other users' processes" "$err" 'refcnt: process [0-9]+: (Permission denied|Operation not permitted)'
like "refcnt: errors" "$(part 5 | tr '\n' ' ')" "refcnt = refcnt: give either -p PID or -n NODE .*2 refcnt -p 99999 = refcnt: process 99999: No such file or directory 1 .*START-END in hexadecimal.* 2 .*no such mapping 1 .*2 .*'xml' is not table, csv or json .* 2"
unlike "the kernel" "$out" 'WARNING|BUG|Oops|Call Trace'

# shellcheck disable=SC2016
run -m ricotta --model=off -s "$tmp" -- './pmo room; c=/tmp/cgroup; mkdir $c; mount -t cgroup2 c $c; echo +cpuset >$c/cgroup.subtree_control
    mkdir $c/half; echo 0-3 >$c/half/cpuset.mems; echo $$ >$c/half/cgroup.procs; ./pmo confined' </dev/null
is "a node without memory, and a process that has some nodes only" "$(printf '%s\n' "$out" | cut -d ' ' -f 1 | tr '\n' ' ')" "ok ok ok ok ok "
finish
