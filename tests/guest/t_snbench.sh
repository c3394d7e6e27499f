#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# snbench and snsuite in the guest: their output, their refusal to measure when the lines are not in the state asked for, their error lines.
. "$(dirname "$0")/../lib.sh"

# All commands run in one boot. A line "== NAME" precedes each command's output and status.
cat >"$tmp/cases.sh" <<'EOF'
try() {
    echo "== $1"
    shift
    "$@" 2>&1
    echo "status $?"
}
# Clock ticks and the boot's last work disturb single iterations, so the least of eight is a latency (snbench(1)).
# The remote CPUs are two nodes away from the local ones: what a CPU does to its cache while it waits would show in the measurement.
try read snbench -h1 -l3 -l5 -i10 bw-read lmbench-read
try csv snbench --csv -h1 -l2 -i2 restart-read -a 128K
try cexh snbench -h1 -l2 -r6 -s CEXH -i8 -v lmbench-read
try cexm snbench -h1 -l2 -r6 -s CEXM -i8 -v lmbench-read
try dirty sh -c 'for i in 1 2 3; do snbench -h1 -l2 -r6 -i8 lmbench-rdex:DEXT lmbench-read:DEXD; done'
try shrd snbench -h1 -l2 -r6,8 -s SHRD -i8 lmbench-read lmbench-rdex bw-upgrd
try md snbench -h1 -l0,4 -r0,4 -s SHRD -i8 -a 384K --md bw-zero
try all snbench -h1 -l2,3 -i1 bwmp-read
try node snbench -h9 -l2 bw-read
try cpu snbench -h1 -l99 bw-read
try big snbench -h1 -l2 -a 300M bw-read
try sharers snbench -h1 -l2 -r0-16 -s SHRD bw-read
try kept snbench -h1 -l2 -r3 -s CEXH -a 1M bw-read
try impossible snbench -h1 -l2 -r3 -s DEXT bw-read
try unshared snbench -h1 -l2 bw-upgrd
try owners snbench -h1 -l2 -r3,5 -s CEXM bw-read
try itself snbench -h1 -l2 -r2 -s CEXH bw-read
try alone snbench -h1 -l2 -s SHRD bw-read
try group snsuite no-such-group
try suitehome snsuite -h 8 local
try suitesharers snsuite --sharers 9 invalidations
try contention snsuite -q -i1 --csv -o tables contention
# A snbench whose processors do not have their best in the same iteration.
mkdir fake
cat >fake/snbench <<'END'
#!/bin/sh
cat <<ROWS
bwmp-read,UOWN,2,100,300,150,150,1,MB/s
bwmp-read,UOWN,3,100,300,250,250,1,MB/s
bwmp-read,UOWN,all,390,410,400,400,1,MB/s
ROWS
END
chmod 755 fake/snbench
try sums env PATH=$PWD/fake:$PATH snsuite -q -i1 --csv contention
try file cat tables/contention.csv
try plan snsuite -n single-sharer
echo 0 >/sys/devices/system/cpu/cpu9/online
try offline snbench -h1 -l9 bw-read
try offlinesharer snbench -h1 -l2 -r3,9 -s SHRD bw-read
try offlinehome snsuite -n -h 4 single-sharer
echo 0 >/sys/devices/system/cpu/cpu8/online
try offlinenode snsuite -n -h 4 local
try offlinesharers snsuite -n --sharers 8 invalidations
try offlineplan snsuite -n remote
echo 1 >/sys/devices/system/cpu/cpu8/online
echo 1 >/sys/devices/system/cpu/cpu9/online
# If the counters do not answer, nothing can be verified, so snbench must print no number.
rmmod refcnt && try blind snbench -h1 -l2 -i1 bw-read
EOF
run -m ricotta -s "$tmp" -- sh ./cases.sh </dev/null
is 'the cases ran' "$status" 0
all=$out
# part NAME: the output of a case, with its status in the last line
part() {
    printf '%s\n' "$all" | awk -v want="== $1" '/^== / { on = $0 == want; next } on'
}
# field NAME EXPERIMENT TID COLUMN: one value of a case's table
field() {
    part "$1" | awk -v e="$2" -v t="$3" -v c="$4" '$1 == e && $3 == t { print $c }'
}
fails() {
    p=$(part "$1")
    is "$1: status" "${p##*status }" "$2"
    is "$1: one line" "$(printf '%s\n' "$p" | wc -l)" 2
    like "$1: says why" "$p" "$3"
}

like 'header of figure 5.4' "$(part read)" '^EXPERIMENT +STAT TID      MIN      MAX      MED      AVG      STDEV  UNIT$'
like 'a row of a bandwidth' "$(part read)" '^bw-read       UOWN  3      [0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.e-]+ +MB/s$'
like 'status' "$(part read)" '^status 0$'
# The same experiments on the engine alone, one a line: KERNEL:STATE HOME LOCAL REMOTE CASE. It knows neither a TLB nor a kernel, so a latency in
# the guest is at least its, less the clock's step of 800 ns shared by 2048 lines; and more by at most 5 us, in which the kernel refills the TLB and
# the primary caches after the wait for the other processors. A line that was stored to may still be modified in a primary cache, which
# depends on addresses: writing it back takes 5 cycles of an L2 at 120 MHz (RDEX_L1, timing.h.inc). Three runs get three sets of pages for such lines, and
# the least counts: with some pages every iteration takes some 10 ns a line more. It is not known what takes them.
cat >"$tmp/alone" <<'END'
lmbench-read:UOWN 1 3 - read
lmbench-read:UOWN 1 5 - read
lmbench-read:CEXH 1 2 6 cexh
lmbench-read:CEXM 1 2 6 cexm
lmbench-read:DEXD 1 2 6 dirty stored
lmbench-rdex:DEXT 1 2 6 dirty stored
lmbench-read:SHRD 1 2 6,8 shrd
lmbench-rdex:SHRD 1 2 6,8 shrd stored
END
# shellcheck disable=SC2046
"$root/tests/accuracy/run.sh" alone ricotta unloaded $(cut -d ' ' -f 1-4 "$tmp/alone") >"$tmp/ns"
while read -r experiment home cpu remote case stored && read -r ns <&3; do
    write=${stored:+41.7}
    within "$experiment by CPU $cpu, node $home: the latency of the engine alone" "$(echo "$ns ${write:-0}" | awk '{ print $1 - $2 - 800 / 2048 }')" \
        "$(part "$case" | awk -v e="${experiment%:*}" -v s="${experiment#*:}" -v t="$cpu" '$1 == e && $2 == s && $3 == t && (!n++ || $4 < least) { least = $4 } END { print least }')" "$(echo "$ns ${write:-0}" | awk '{ print $1 + $2 + 5000 / 2048 }')"
done <"$tmp/alone" 3<"$tmp/ns"
like 'CSV header' "$(part csv)" '^EXPERIMENT,STAT,TID,MIN,MAX,MED,AVG,STDEV,UNIT$'
like 'restart latency' "$(part csv)" '^restart-read,UOWN,2,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.e-]+,ns$'

# Witnesses are lines that are accessed once more to see who still holds them. The owner requests none again where it kept its copies, and all
# 128 where it dropped them; the local CPU always requests all.
like 'CEXH: the owner has its copies' "$(part cexh)" '^status 0$'
unlike 'CEXH: the owner requests no more' "$(part cexh)" 'node 3 made (9[0-9]|1[0-9][0-9]) requests where the remote'
like 'CEXM: the owner has none' "$(part cexm)" 'node 3 made 1(2[0-9]|30) requests where the remote CPUs accessed the witnesses again, expected 128'
like 'the local CPU never has one' "$(part cexh)" 'node 1 made 1(2[0-9]|30) requests where the local CPUs accessed the witnesses, expected 128'
like 'and the controller finds its lines another CPU owns' "$(part cexm)" 'controller found 1[2-9][0-9] of 128 lines another'
# Each store is a read request. Iterations differ by the clock ticks in them, and a processor that is done stops the others within 64 of 3072 lines. So
# what the controller counts lies between the worst of both processors together, less a fiftieth, and the best of both. In each iteration the kernel
# adds less than a line in a hundred: snsar counts 6 to 9 reads of node 1 in 4 ms, which an iteration takes, and the threads are woken.
sum_of() { part md | awk -v column="$1" '$3 == 0 || $3 == 4 { sum += $column } END { print sum }'; } # sum_of COLUMN: 4 the least, 5 the most
counted() { part md | awk -v unit="$1" -v column="$2" '$9 == unit { print $column }'; }             # counted UNIT COLUMN
within 'read requests as the controller counts them, at least' "$(sum_of 4 | awk '{ print $1 * 0.98 }')" "$(counted RDEX_MB/s 4)" "$(sum_of 5 | awk '{ print $1 * 1.01 }')"
within 'and at most' "$(sum_of 4)" "$(counted RDEX_MB/s 5)" "$(sum_of 5 | awk '{ print $1 * 1.01 }')"
# A store displaces a modified line, which is a write-back, but for those where the kernel has been: a clean line is displaced there. And what the
# kernel reads displaces modified lines, too. It reads some hundred lines while it wakes the threads and in a clock tick; a tenth of all is 614.
reads=$(counted RDEX_MB/s 6)
within 'and write-backs' "$(echo "$reads" | awk '{ print $1 * 0.9 }')" "$(counted WB_MB/s 6)" "$(echo "$reads" | awk '{ print $1 * 1.1 }')"
like 'share of backoff messages' "$(part md)" '^bw-zero +SHRD n1 +[0-9.]+ .*boff_%$'
# Only bandwidths of the same iteration may be added.
is 'the bandwidth of all is the sum' "$(part all | awk '$3 == 2 || $3 == 3 { sum += $5 } $3 == "all" { all = $5; n++ }
    END { print n, sum - all < 0.01 && all - sum < 0.01 }')" '1 1'
# The best is the engine's: at most the last four of 4096 stores are still under way when the clock is read. The least has a clock tick in it, which
# takes less than a hundredth.
most=$("$root/tests/accuracy/run.sh" alone ricotta unloaded bw-upgrd:SHRD 1 2 6,8)
within 'bandwidth of upgrades' "$(echo "$most" | awk '{ print $1 * 0.99 }')" "$(field shrd bw-upgrd 2 5)" "$(echo "$most" | awk '{ print $1 * 1.001 }')"

fails node 1 'no such node: 9 \(nodes are 0 to 7\)'
fails cpu 1 'no such CPU: 99'
fails offline 1 'snbench: CPU 9 is offline$'
fails offlinesharer 1 'snbench: CPU 9 is offline$'
fails offlinehome 1 'single-sharer: not on this machine: the home node has not two processors$'
fails offlinenode 1 'snsuite: node 4 has no processor that is online$'
fails offlinesharers 1 'more sharers than the 7 nodes'
is 'a node without processors measures nothing' "$(part offlineplan | grep -c -e '-l 8 ')" 0
is 'the other seven do, both processors of one that is alone at its distance' "$(part offlineplan | grep -c 'lmbench-read:UOWN$')" 9
fails big 1 '307200 KB: node 1 has [0-9]+ KB free'
fails sharers 1 '17 sharers on as many CPUs, but the machine has 16'
fails kept 1 'impossible with 1024 KB: at most 496 KB'
fails impossible 2 'bw-read in state DEXT is impossible'
fails unshared 2 'bw-upgrd in state UOWN is impossible: only a shared line is upgraded'
fails owners 2 'bw-read in state CEXM is impossible: the lines have one owner'
fails itself 2 'state CEXH is impossible: CPU 2 is both local and remote'
fails alone 2 'bw-read in state SHRD is impossible: name the sharers'
fails group 2 "'no-such-group' is not a group"
fails suitehome 1 'no such node: 8 \(nodes are 0 to 7\)'
fails suitesharers 1 'more sharers than the 8 nodes'
like 'a state that cannot be verified gives no number' "$(part blind)" 'the reference counters, which verify states, cannot be read'
unlike 'no number' "$(part blind)" '^bw-read .*[0-9]\.[0-9]'
like 'and status 1' "$(part blind)" '^status 1$'

like 'table 4.10 as CSV' "$(part contention)" '^R10K 180/120/1,[0-9.]+,[0-9.]+,-?[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+$'
is 'it takes what the processors had together' "$(part sums | awk -F , 'NR == 2 { print $6, $8 }')" '410.0 410.0'
is 'the same in the file' "$(part file)" "$(part contention)"
like 'calls of the suite' "$(part plan)" '^snbench --csv -h1 -i3 -l 2 -r 3 -a 128K lmbench-rdex:SHRD$'

# The kernel keeps pages that a processor freed last in a list of that processor, where they do not count as free memory. snbench waits until
# they are free again.
cat >"$tmp/lists.sh" <<'EOF'
free() {
    awk '/MemFree/ { print int($4 / 1024) }' /sys/devices/system/node/node1/meminfo
}
mkdir /tmp/node1
mount -t tmpfs -o mpol=bind:1 tmpfs /tmp/node1
dd if=/dev/zero of=/tmp/node1/fill bs=1M count=$(($(free) - 72)) 2>/dev/null
for cpu in 4 6 8; do
    numactl -C $cpu -m 1 dd if=/dev/zero of=/dev/null bs=20M count=1 2>/dev/null
done
for i in $(seq 40); do
    [ $(free) -ge 40 ] || break
    dd if=/dev/zero of=/tmp/node1/more$i bs=1M count=1 2>/dev/null
done
echo "MB free: $(free)"
snbench -h1 -l2 -a 40M -i1 bw-read
EOF
run -m ricotta -s "$tmp" -- sh ./lists.sh </dev/null
is 'processors keep memory: status' "$status" 0
within 'too little is free for the array' 1 "$(printf '%s\n' "$out" | sed -n 's/^MB free: //p')" 40
like 'it is waited for' "$out" '^bw-read .*MB/s$'

# Backoff (thesis 6.3) begins when the home's queue is longer than a few threads can make it. If a processor ran all stores of an unrolled loop
# before the others had their turn, it would make the queue too long.
run --time=full -m ricotta -- 'for l in 0,4,6,8 0,4,6,8,10,12,14; do snbench --csv -h1 -i2 -l$l -r$l --md -a 128K bw-rdex:SHRD; done' </dev/null
is 'backoff: status' "$status" 0
share() { # share N: the Nth call's
    printf '%s\n' "$out" | awk -F, -v n="$1" '$9 == "boff_%" && ++i == n { print $6 }'
}
within 'four threads: none backs off' 0 "$(share 1)" 0
within 'seven threads: per cent that do; on the engine alone 34' 24 "$(share 2)" 44

# Groups that need more than one node are named on a single node, and "all" does not fail because of them.
run -m origin200 -- snsuite -n all
is 'all on one node' "$status" 0
is 'what it cannot have' "$(printf '%s\n' "$err" | grep 'not on this machine' | sed 's/.*snsuite: \([a-z-]*\): .*: /\1: /' | sort)" \
    "$(printf '%s\n' 'backoff: it takes five nodes' 'remote-detail: the machine has no second node' 'remote: the machine has no second node')"
like 'what it has' "$out" '^snbench --csv -h0 -i3 -l 0 .*bw-read:UOWN'

# No processor is free for snbench's own thread. Where the owner is, it displaces a line in ten at the least, and an unowned line costs less than half.
# What the kernel needs for waking the threads is there, too: it displaces a line in fifty to a line in sixteen, by the colours of the pages. snbench refuses
# a measurement in which more than 86 lines are missing and makes it anew.
alone=$("$root/tests/accuracy/run.sh" alone origin200 full lmbench-rdex:DEXT 0 0 1)
run --time=full -m origin200 -- snbench -h0 -l0 -r1 -i8 -v lmbench-rdex:DEXT </dev/null
is 'the node has an owner and a requestor: status' "$status" 0
found=$(printf '%s\n' "$err" | sed -n "s/.* found \([0-9]*\) of 2048 lines another's while it was timed/\1/p" | sort -n)
is 'as many measurements as were asked for' "$(printf '%s\n' "$found" | awk '$1 >= 2048 - 86' | wc -l)" 8
within 'the fewest lines that were still modified' $((2048 - 204)) "$(printf '%s\n' "$found" | head -n 1)" 2048
within 'the least is the latency on the engine alone' "$(echo "$alone" | awk '{ print $1 * 0.98 }')" \
    "$(printf '%s\n' "$out" | awk '$1 == "lmbench-rdex" { print $4 }')" "$(echo "$alone" | awk '{ print $1 * 1.02 }')"
finish
