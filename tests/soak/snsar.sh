#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All 64 nodes and all router ports of a machine of 128 processors are sampled each millisecond for ten machine seconds. No overflow is lost, no
# sample is dropped.
. "$(dirname "$0")/../lib.sh"
# The sampler runs with real-time priority on processors to which the scheduler moves no other work, by the commands of docs/man/snsar.1: docs/kernel.md,
# "A thread on each millisecond".
cat >"$tmp/sample.sh" <<'END'
mkdir /tmp/cg; mount -t cgroup2 none /tmp/cg; cd /tmp/cg || exit
echo +cpuset >cgroup.subtree_control; mkdir sampler
seq -s, 1 2 127 >sampler/cpuset.cpus; echo isolated >sampler/cpuset.cpus.partition; echo $$ >sampler/cgroup.procs
cat sampler/cpuset.cpus.partition; cd /share
COLUMNS=80 LINES=24 snsar --top 0.2 2 >top
snsar --json -n all -p all --mem --mdidle --mdbusy --sendcnt --recvcnt --clkcnt --sample 1 --rtprio=50 --threads 16 10 1 >out.json; echo $?
END
run -m stinger -s "$tmp" -- sh sample.sh </dev/null
is "an isolated partition, snsar ends" "$out" "isolated
0"
python3 - "$tmp/out.json" >"$tmp/figures" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
nodes = [r for r in d["rows"] if r["mem"] is not None]
ports = [r for r in d["rows"] if r["clkcnt"] is not None]
cycles = [r["mdidle"] + r["mdbusy"] for r in nodes]
clocks = [r["clkcnt"] for r in ports]
print(len(nodes), len(ports), d["ticks"], d["dropped"], d["overflows"], d["estimates"], d["threads"],
      min(cycles), max(cycles), min(clocks), max(clocks), d["us_per_sample"], d["ms_per_tick"])
END
is "top: two frames of 64 nodes, as wide and as high as a screen" "$(awk '/^\[/ { next } length > 80 { wide++ } /^stinger/ { frames++; n = 0 }
    { n++; tall += n > 24 } END { print frames, wide + 0, tall + 0 }' "$tmp/top") $(grep -o '[0-9]n[1-4] ' "$tmp/top" | wc -l)" "2 0 0 128"
read -r nodes ports ticks dropped overflows estimates threads cmin cmax kmin kmax cost interval <"$tmp/figures"
echo "# $nodes nodes, $ports ports, $ticks ticks of $interval ms, $threads threads, $cost us/sample"
is "all nodes" "$nodes" 64
within "all ports that lead somewhere" 190 "$ports" 240
within "ten seconds of ticks" 10000 "$ticks" 10300
is "no sample dropped, no overflow, no estimate" "$dropped $overflows $estimates" "0 0 0"
within "Hub cycles: the least" 999900000 "$cmin" 1000100000
within "Hub cycles: the most" 999900000 "$cmax" 1000100000
within "link clocks: the least" 499950000 "$kmin" 500050000
within "link clocks: the most" 499950000 "$kmax" 500050000
within "cost of a sample, of 18 objects by one thread, 14 of them ports that are looked at twice" 100 "$cost" 400
finish
