#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory that refcnt.ko allocates for a process, on the kernel that checks itself, which has control groups for memory: the process is charged for it.
. "$(dirname "$0")/../lib.sh"
[ -e "$root/build/debug-kernel/vmlinux" ] || skip_all 'make debug-kernel first'
"$origin" cc -O2 -o "$tmp/space" "$root/tests/guest/space.c" -lpthread || exit 99
cp "$root"/build/debug-modules/*.ko "$tmp"
grep -v '^#' "$root/kernel/rootfs/etc/modules" >"$tmp/load"
cp "$root/tests/debug/guest.inc" "$tmp/lib"
# shellcheck disable=SC2016
run -m ricotta --model=off -k "$root/build/debug-kernel/vmlinux" -s "$tmp" -- '. ./lib; up
    mkdir /tmp/cg; mount -t cgroup2 none /tmp/cg; echo +memory >/tmp/cg/cgroup.subtree_control; mkdir /tmp/cg/one
    (echo 0 >/tmp/cg/one/cgroup.procs; exec ./space 100 /tmp/cg/one/memory.stat)
    # Half of that is too little for the memory and its counters.
    mkdir /tmp/cg/two; echo 50M >/tmp/cg/two/memory.max
    (echo 0 >/tmp/cg/two/cgroup.procs; exec ./space 100 /tmp/cg/two/memory.stat) >/dev/null 2>&1; echo $?
    down; complaints; true' </dev/null
printf '%s\n' "$out" | grep '^#'
is "a process is charged for its counters; at the limit it is killed, and nothing else happens" "$status
$(printf '%s\n' "$out" | grep -v '^#')" "0
ok - the process is charged for the counters
ok - the charge ends with the range
137"
finish
