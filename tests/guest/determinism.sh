#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the same job on 16 processors several times: threads that share data, reads and writes of a host directory, a pipeline. Its output is the
# same each time, on one to three host threads, and so are the files that it writes and every counter of the model from power-on to the halt. In all runs but the first, a
# monitor wakes QEMU's main loop all the time. `make bench` does ten runs.
#   RUNS       number of runs (3)
#   TRACE=1    also compares every transaction with its time
#   JOB=talk   a shorter job, in which processors talk to each other
#   JOB=tools  the tools: counters of processors, with interrupts and without, of Hubs and routers. Their traces are files of the share
#   JOB=range  counters that are restricted to data, and to code, of a program of 16 threads (docs/range-monitor.md)
#   OPTIONS    more options of `origin run`
. "$(dirname "$0")/../lib.sh"
runs=${RUNS:-3}

cat >"$tmp/truth.py" <<'E2'
import sys
import time
from qmp import Qmp

path, out, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
qmp = Qmp(path)
while pause and "SHUTDOWN" not in qmp.events:
    qmp.command("query-status")
    time.sleep(pause)
# With -no-shutdown the machine stays, stopped, after the guest has halted it.
qmp.wait("SHUTDOWN")
print(qmp.get("truth"), file=open(out, "w"))
print(qmp.get("invariants"), file=open(out + ".laws", "w"))
qmp.command("quit")
E2

"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm ||
    { echo 'Bail out! kernels.c does not compile'; exit 99; }
job='./kernels fft
for i in 1 2 3 4 5 6 7 8; do (cat kernels | md5sum; dd if=/dev/zero of=/tmp/f$i bs=64k count=8 2>/dev/null; md5sum /tmp/f$i) & done
wait
dd if=kernels of=written conv=notrunc 2>/dev/null
md5sum written
cat /proc/interrupts /proc/stat'
case ${JOB-} in
talk)
    "$origin" cc -O2 -pthread -o "$tmp/talk" "$root/tests/guest/talk.c" -lnuma || { echo 'Bail out! talk.c does not compile'; exit 99; }
    job='./talk ticket 0 16 20; ./talk barrier 1 16 5; ./talk bounce 2 1 2 12
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do (md5sum kernels | taskset -c $i sort; dd if=/dev/zero of=/tmp/f$i bs=64k count=4 2>/dev/null) & done
wait
dd if=kernels of=written conv=notrunc 2>/dev/null
md5sum written
cat /proc/interrupts /proc/stat'
    ;;
tools)
    # perf record, snrun's samples and --multiplex take interrupts of counters or clocks; --rgrad alone and perf stat only read counters.
    job='snrun -q --rgrad -o counts snbench -h1 -l3 bw-read
snrun -r1 -s2 -n all --alocal --rtlb -u -o samples ./kernels fft
snrun -q -s1 -n1 --multiplex --mdidle --lp1read --mem -o turns snbench -h1 -l2 -r6 -i2 lmbench-read:DEXD
snsar -n all -p all --mem --send --recv -o sar 0.05 4
snbench -h1 -l3,5 -i2 bw-read lmbench-read
perf stat -x, -e cycles,instructions:u,r10k/l2d_miss/ ./kernels fft 2>stat
perf stat -a -x, -e instructions,r10k/l2d_miss/ sleep 0.1 2>all
perf record -q -g -e cycles:u -c 20000 -o record ./kernels fft
perf record -q -e r10k/l2d_miss/u -c 500 -o misses ./kernels fft
echo perf: $(grep -c "instructions\|l2d_miss" stat) $(grep -c "instructions\|l2d_miss" all) $(head -c 8 record) $(head -c 8 misses)
for f in counts* samples* turns* sar; do sninfo $f; done | cksum
sndump --total samples* | tail -n 3
dd if=kernels of=written conv=notrunc 2>/dev/null
md5sum written
cat /proc/interrupts /proc/stat'
    ;;
range)
    job='snrun -q --range fft_barrier --rgradst --rpmiss -o data ./kernels fft
snrun -q --range fft_part --rgradld --rbrmiss -o code ./kernels fft
for f in data* code*; do sninfo $f; done | cksum
for f in data* code*; do sndump --total $f; done | cksum
dd if=kernels of=written conv=notrunc 2>/dev/null
md5sum written
cat /proc/interrupts /proc/stat'
    ;;
esac
threads=(1 3 2)
pause=0 # seconds between two questions; 0: none
for ((i = 1; i <= runs; i++)); do
    trace=()
    # Each run has other host directories, inodes and dates: the guest must not depend on them.
    share=$tmp/share$i
    mkdir "$share"
    cp "$tmp/kernels" "$share"
    [ "${JOB-}" != talk ] || cp "$tmp/talk" "$share"
    : >"$share/written"
    touch -d "@$((i * 100000000))" "$share/written"
    if [ -n "${TRACE-}" ]; then
        mkfifo "$tmp/fifo$i"
        awk '{ n++; print } END { print n + 0 >"'"$tmp/lines$i"'" }' "$tmp/fifo$i" | md5sum >"$tmp/trace$i" &
        trace=(--qemu-arg=-D --qemu-arg="$tmp/fifo$i" --qemu-arg=-trace --qemu-arg=origin_transaction)
    fi
    "$origin" run -m ricotta -s "$share" --qemu-arg=-no-shutdown --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp$i,server=on,wait=off" \
        "${trace[@]}" --threads="${threads[(i - 1) % 3]}" ${OPTIONS-} -- "$job" >"$tmp/out$i" 2>&1 </dev/null &
    python3 "$tmp/truth.py" "$tmp/qmp$i" "$tmp/truth$i" "$pause"
    pause=$([ "$pause" = 0 ] && echo 0.002 || echo 0.0002)
    wait
done
is 'the counters are there: CPUs' "$(python3 -c "import json; print(len(json.load(open('$tmp/truth1'))['cpus']))")" 16
is 'the laws hold' "$(cat "$tmp/truth1.laws")" ok
like 'the job did its work' "$(cat "$tmp/out1")" "^$(md5sum <"$tmp/kernels" | cut -d' ' -f1)  written"
if [ "${JOB-}" = tools ]; then
    # Eighteen threads and a trace of nodes make samples alone.
    within 'traces were written' 20 "$(find "$tmp/share1" -type f -size +0 | wc -l)" 200
    like 'perf counted two events each time, and wrote two files' "$(cat "$tmp/out1")" '^perf: 2 2 2ELIFREP 2ELIFREP$'
fi
# Two programs of seventeen threads, and of the process that started them
[ "${JOB-}" != range ] || within 'traces were written' 34 "$(find "$tmp/share1" -name '*.snp.*' -size +0 | wc -l)" 40
[ -z "${TRACE-}" ] || within 'transactions were traced' 100000 "$(cat "$tmp/lines1")" 100000000
for ((i = 2; i <= runs; i++)); do
    ok "run $i: the same output, interrupts and CPU times" cmp "$tmp/out1" "$tmp/out$i"
    ok "run $i: the same files" diff -r -q "$tmp/share1" "$tmp/share$i"
    ok "run $i: the same counters everywhere" cmp "$tmp/truth1" "$tmp/truth$i"
    [ -z "${TRACE-}" ] || ok "run $i: the same transactions at the same times" cmp "$tmp/trace1" "$tmp/trace$i"
done
finish
