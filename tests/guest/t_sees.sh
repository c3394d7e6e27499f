#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs see the machine that they run on: whose caches are whose, packages, cores and nodes, in sysfs, and through what reads it there: lscpu, hwloc,
# OpenMP's places, numactl; and our own topology. Each processor is a package with one core and caches of its own; a node is two of them.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/places.c" <<'END'
#include <omp.h>
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < omp_get_num_places(); i++) {
        int ids[128], n = omp_get_place_num_procs(i);

        omp_get_place_proc_ids(i, ids);
        for (int j = 0; j < n; j++)
            printf("%s%d", j ? "," : i ? " " : "", ids[j]);
    }
    puts("");
    return 0;
}
END
cat >"$tmp/line.cc" <<'END'
#include <cstdio>
#include <new>

struct counter {
    alignas(std::hardware_destructive_interference_size) long count;
};

int main()
{
    static counter all[2];

    std::printf("%zu %td\n", std::hardware_destructive_interference_size, (char *)&all[1] - (char *)&all[0]);
}
END
"$origin" cc -fopenmp -Wall -Werror -o "$tmp/places" "$tmp/places.c" || exit 99
"$origin" c++ -std=c++17 -Wall -Wextra -Werror -o "$tmp/line" "$tmp/line.cc" 2>"$tmp/said"
is 'C++: no warning of an unknown size' "$? $(cat "$tmp/said")" '0 '
"$origin" c++ -std=c++17 --param destructive-interference-size=256 -o "$tmp/wider" "$tmp/line.cc" || exit 99

# What the guest says, a line for each question.
cat >"$tmp/ask" <<'END'
cd /sys/devices/system/cpu
n=$(ls -d cpu[0-9]* | wc -l)
each() { i=0; while [ $i -lt $n ]; do cat cpu$i/$1; i=$((i + 1)); done | xargs; }
for f in topology/physical_package_id topology/core_id topology/package_cpus_list topology/core_cpus_list cache/index0/shared_cpu_list \
    cache/index1/shared_cpu_list cache/index2/shared_cpu_list; do
    echo "$f: $(each $f)"
done
echo "cpuinfo: $(awk '/^package/ { print $3 }' /proc/cpuinfo | xargs)"
echo 0 >cpu$((n - 1))/online; echo 1 >cpu$((n - 1))/online
echo "again: $(cat cpu$((n - 1))/cache/index?/shared_cpu_list cpu0/cache/index?/shared_cpu_list | xargs)"
cd /share
for p in threads cores sockets numa_domains; do echo "$p: $(OMP_PLACES=$p ./places)"; done
echo "numactl: $(numactl -H | sed -n 's/^node [0-9]* cpus: //p' | sed 's/ *$//; s/ /,/g' | xargs)"
lscpu | sed -n 's/^ *\([A-Za-z0-9]*([sy]*)[a-z ]*\|Model name\|NUMA node(s)\|Core(s) per socket\|L[12]d*i* cache\): */lscpu \1: /p'
for kind in Package Core L1d L2 PU NUMANode; do echo "lstopo $kind: $(lstopo --only $kind | wc -l)"; done
topology | head -n 1
./line; ./wider
END
up() { seq -s "$1" 0 "$2"; }
says() { is "$m: $1" "$(sed -n "s|^$1: ||p" "$tmp/out")" "$2"; }
while IFS='|' read -r m last nodes l1 l2 model; do
    run -m "$m" --model=off --image tools -s "$tmp" -- sh ask </dev/null
    is "$m: everything answers" "$status $err" '0 '
    own=$(up ' ' "$last") count=$((last + 1))
    for f in physical_package_id core_id package_cpus_list core_cpus_list; do says topology/$f "$own"; done
    for i in 0 1 2; do says cache/index$i/shared_cpu_list "$own"; done
    says cpuinfo "$own"
    says again "$last $last $last 0 0 0"
    for p in threads cores sockets; do says $p "$own"; done
    # ll_caches is missing here: GCC 12's libgomp reads processor 0's caches for all others, and so finds one place (docs/debugging.md).
    # Two processors on each node, numbered one after the other.
    pairs=$(seq 0 2 "$last" | while read -r c; do echo "$c,$((c + 1))"; done | xargs)
    says numa_domains "$pairs"
    says numactl "$pairs"
    says 'lscpu CPU(s)' $count
    says 'lscpu Socket(s)' $count
    says 'lscpu Core(s) per socket' 1
    says 'lscpu Thread(s) per core' 1
    says 'lscpu NUMA node(s)' "$nodes"
    says 'lscpu L1d cache' "$l1 ($count instances)"
    says 'lscpu L1i cache' "$l1 ($count instances)"
    says 'lscpu L2 cache' "$l2 ($count instances)"
    says 'lscpu Model name' "$model"
    for kind in Package Core L1d L2 PU; do says "lstopo $kind" $count; done
    says 'lstopo NUMANode' "$nodes"
    like "$m: topology counts the same" "$out" "^Machine $m has $count cpu's, $nodes memory nodes?, "
    is "$m: C++ has the size of a secondary cache's line; the user's own option wins" "$(tail -n 2 "$tmp/out")" '128 128
256 256'
done <<END
origin200|1|1|64 KiB|2 MiB|R10000 V2.7  FPU V0.0
ricotta|15|8|512 KiB|16 MiB|R10000 V2.7  FPU V0.0
arctic|63|32|2 MiB|512 MiB|R12000 V2.3  FPU V0.0
END
finish
