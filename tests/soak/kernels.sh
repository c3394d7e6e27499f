#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels of other configurations boot, from one node to 64: pages of 4 KB, CONFIG_PREEMPT and 1000 ticks a second; pages of 64 KB. They are built as
# ours is, with a fragment of tests/soak/kernels over kernel/origin.config, which takes some minutes for each.
# timeout: 5400
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -fopenmp -o "$tmp/sum" "$root/tests/guest/build/sum.c" || { echo 'Bail out! sum.c does not compile'; exit 99; }
run -m ricotta --model=off -- 'grep -m 1 BogoMIPS /proc/cpuinfo'
mips=$(printf '%s\n' "$out" | sed 's/.*: *//')

job='uname -v; awk "/^KernelPageSize/ { print \$2; exit }" /proc/self/smaps; sed -n "s/BogoMIPS.*: *//p" /proc/cpuinfo | head -n 1; ls /hw | wc -l; nproc
    ./sum said; echo kept >/disk/file; cat /disk/file; numactl -m 0 true; echo $?'
while read -r name pages kind; do
    "$root/scripts/build-kernel" "kernel-$name" "tests/soak/kernels/$name.config" >"$tmp/built" 2>&1
    result $? "$name: a kernel with pages of $pages KB is built" "$(tail -n 20 "$tmp/built")" || continue
    kernel=$root/build/kernel-$name/vmlinux
    for m in origin200 ricotta stinger; do
        model=on
        [ $m = origin200 ] || model=off
        rm -f "$tmp/disk"
        run -m $m --model=$model -k "$kernel" -s "$tmp" --disk "$tmp/disk" -- "$job" </dev/null
        cpus=$(printf '%s\n' "$out" | sed -n 5p)
        is "$name, $m: status, and the line about modules" "$status $err" \
            "0 origin: kernel $kernel has pages of $pages KB, and our modules need 16 KB: they are not loaded, and there is no /hw (docs/kernel.md)"
        like "$name, $m: uname -v" "$(printf '%s\n' "$out" | sed -n 1p)" "^#1 SMP $kind"
        is "$name, $m: pages, and what runs in it" "$(printf '%s\n' "$out" | sed '1d; 3d; 5d')" "$pages
0
said 500500 $cpus
kept
0"
        [ $m != ricotta ] || within "$name: the delay loop's turns are those of our kernel" "$(echo "$mips" | awk '{ print $1 * 0.99 }')" \
            "$(printf '%s\n' "$out" | sed -n 3p)" "$(echo "$mips" | awk '{ print $1 * 1.01 }')"
    done
done <<'LIST'
small 4 PREEMPT
large 64 [0-9]
LIST
finish
