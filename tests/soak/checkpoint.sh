#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checkpoints after 1, 10 and 60 seconds of machine time, with a disk, the network, the console and the share in use before and after: the rest of the run
# is the same to the tick, in another tree that was built from the same sources (docs/checkpoints.md). MACHINES and SECONDS_BEFORE choose others.
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/other"
git -C "$root" ls-files -z | tar -C "$root" -c --null -T - | tar -C "$tmp/other" -x
make -C "$tmp/other" >"$tmp/make" 2>&1 || { echo 'Bail out! the other tree does not build'; tail "$tmp/make"; exit 99; }
busy='i=0; while [ $i -lt N ]; do sleep 0.7; dd if=/dev/zero of=/disk/f$i bs=16k count=20 2>/dev/null; sync; cat /disk/f0 | md5sum >>sums
    ping -c 2 -i 0.1 -s 2000 10.0.2.2 >>pings; echo line $i >/dev/console; i=$((i + 1)); done'
after='cat /proc/uptime /proc/interrupts /proc/diskstats /proc/vmstat /proc/net/dev sums pings; ls -l /disk'
for machine in ${MACHINES:-ricotta arctic}; do
    for s in ${SECONDS_BEFORE:-1 10 60}; do
        job="${busy//N/$s}; snroi rest sh -c '${busy//N/3}; $after'"
        rm -rf "$tmp"/[abc] "$tmp"/*.disk "$tmp/ckpt"; mkdir "$tmp/a" "$tmp/b"
        run -m "$machine" --net=user -s "$tmp/a" --disk "$tmp/a.disk" --regions="$tmp/a.csv" -- "$job"
        cp "$tmp/out" "$tmp/out.a"
        is "$machine, $s s: the run that is not saved" "$status" 0
        like "$machine, $s s: whose network answers" "$out" "^2008 bytes from"
        run -m "$machine" --net=user -s "$tmp/b" --disk "$tmp/b.disk" --regions="$tmp/b.csv" --save "$tmp/ckpt" -- "$job"
        is "$machine, $s s: saved" "$status" 0
        cp "$tmp/out" "$tmp/out.b"
        origin=$tmp/other/origin run --restore "$tmp/ckpt" --net=user -s "$tmp/c" --disk "$tmp/c.disk" --regions="$tmp/c.csv"
        is "$machine, $s s: restored elsewhere: the same output" "$status $(cat "$tmp/out.b" "$tmp/out")" "0 $(cat "$tmp/out.a")"
        is "$machine, $s s: the same region, to the nanosecond" "$(grep -v ,run, "$tmp/b.csv"; tail -n +2 "$tmp/c.csv")" "$(cat "$tmp/a.csv")"
        is "$machine, $s s: the same disk" "$(md5sum <"$tmp/c.disk")" "$(md5sum <"$tmp/a.disk")"
    done
done
finish
