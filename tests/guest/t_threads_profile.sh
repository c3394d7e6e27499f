#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# Profiles and remedies on one host thread and on three: the same tables byte for byte, and the same output. The programs share lines, take locks,
# allocate, fork, open files and miss the TLB, on all processors of ricotta. Three threads are more than the default of a host with two processors.
#   FULL=1    more programs, and remedies of all kinds (make soak T=soak/threads_profile)
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"
mkdir "$tmp/share"
"$origin" cc -O2 -g -pthread -DSMALL=1 -o "$tmp/share/kernels" "$root/tests/bench/kernels.c" -lm || { echo 'Bail out! kernels.c does not compile'; exit 99; }
"$origin" cc -O2 -g -pthread -o "$tmp/share/open_close" "$root/tests/guest/open_close.c" || exit 99
for name in hot_bucket handed_locks tlb_thrash; do compile $name share/$name; done
job='./kernels fft; (./hot_bucket & ./handed_locks & wait) >/dev/null
for i in 0 2 4 6 8 10 12 14; do taskset -c $i md5sum kernels & done; wait
cat /proc/interrupts /proc/stat /proc/uptime'
[ -z "${FULL-}" ] || job="./open_close; (./kernels lock & ./tlb_thrash & wait) >/dev/null; $job"

# tables DIR: names and sums, but for two files that tell how the launcher was called
tables() { (cd "$1" && md5sum -- * | grep -v -E ' (meta|run)\.csv$'); }

# profiles NAME OPTION...: one thread boots, three begin with a boot that is kept, if there is one. The first has translated the kernel's code before,
# the second has not, and with $small its buffer of translated code is so small that it is emptied again and again. The tables must not show it.
profiles() {
    local name=$1 n differs
    shift
    for n in 1 3; do
        differs=--boot=cold
        [ $n = 1 ] || differs=$small
        # shellcheck disable=SC2086 # options without blanks
        "$origin" profile -m ricotta --threads=$n $differs "$@" -s "$tmp/share" -o "$tmp/$name$n" -- "$job" >"$tmp/$name$n.out" 2>"$tmp/$name$n.err" </dev/null
        echo $? >>"$tmp/$name$n.out"
    done
    is "$name: status" "$(tail -n 1 "$tmp/${name}1.out")" 0
    ok "$name: the programs print the same" cmp "$tmp/${name}1.out" "$tmp/${name}3.out"
    tables "$tmp/${name}1" >"$tmp/$name.one"
    is "$name: the same tables" "$(tables "$tmp/${name}3" | diff "$tmp/$name.one" - | head)" ''
    less "$name: with rows" 1000 "$(wc -l <"$tmp/${name}1/misses.csv")"
}

small='--qemu-arg=-accel --qemu-arg=tcg,tb-size=10'
profiles usual
small=
job='./handed_locks; ./hot_bucket'
# So few that rows are merged
profiles few --rows=4000 --time=full --cpu=simple

# remedy WHAT: it changes the run, and no thread does
remedy() {
    local n
    for n in 1 3; do
        run -m ricotta --threads=$n -s "$tmp/share" ${1:+--remedy="$1"} -- './handed_locks; ./hot_bucket; cat /proc/interrupts /proc/uptime'
        echo "$status" >>"$tmp/out"
        cp "$tmp/out" "$tmp/out$n"
    done
    ok "${1:-no remedy}: the same on three threads" cmp "$tmp/out1" "$tmp/out3"
    is "${1:-no remedy}: status" "$(tail -n 1 "$tmp/out1")" 0
}
mapped=0x10000-0xffffffffff
remedy ''
cp "$tmp/out1" "$tmp/plain"
kinds=("replicate $mapped" "private $mapped" "pad $mapped:8")
[ -z "${FULL-}" ] || kinds+=("interleave $mapped" "colour $mapped" "huge $mapped" "free $mapped:0.5")
for kind in "${kinds[@]}"; do
    remedy "$kind"
    is "$kind: it does something" "$(cmp -s "$tmp/out1" "$tmp/plain"; echo $?)" 1
done

# Were there several threads at all?
cat >"$tmp/spread.py" <<'E2'
import sys
from qmp import Qmp

qmp = Qmp(sys.argv[1])
qmp.wait("SHUTDOWN")
print(qmp.get("spread-phases"))
qmp.command("quit")
E2
# spread NAME VERB OPTION...
spread() {
    local name=$1 verb=$2
    shift 2
    # With -no-shutdown the machine stays, stopped, after the guest has halted it.
    "$origin" "$verb" -m ricotta --threads=3 "$@" -s "$tmp/share" --qemu-arg=-no-shutdown --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" \
        -- ./kernels fft >/dev/null 2>&1 </dev/null &
    less "$name: phases have several threads" 1000 "$(python3 "$tmp/spread.py" "$tmp/qmp")"
    wait
    rm -f "$tmp/qmp"
}
spread 'a profile' profile -o "$tmp/spread"
spread 'a remedy' run --remedy="replicate $mapped"
finish
