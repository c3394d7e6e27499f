#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What further host threads gain: seconds of the host for the same work on 1, 2, 4, 8 and 16 threads, as far as the host has processors. *Boot* is
# from the launcher's start to the first command. *None* is a process on each processor of the machine that does nothing. *Sort*, *matmul* and
# *triad* are a process on each processor, and *none* is taken off them. *FFT* is one program of 16 threads that meet at a barrier, *FFT of all* has
# a thread on each processor. *Processes* is *none* six times, *lock* one program of 16 threads that want the same mutex. Numbers of threads take turns within a round. Each run must give the output and the truth (docs/board.md) of the first.
# *Two machines at a time* have a thread each and nothing in common but the host: two threads of one machine cannot gain more than their two do together.
# SCALE_MACHINES (arctic stinger), SCALE_THREADS (1 and others) and SCALE_WORKS choose.
#   scale.sh --pack DIR    puts all that it needs into DIR, libraries too, for a host without our packages: it needs x86-64, a C library that is not
#                          older than this host's, and Python 3. There, run its scale.sh
. "$(dirname "$0")/../lib.sh"

# pack DIR: as above. The launcher and QEMU find their products as they do here, in a tree of the same shape.
pack() {
    local dir=$1 program lib
    mkdir -p "$dir"/build/{kernel,machines,lib,programs} "$dir/tests/bench" || exit 1
    cp "$root/tests/lib.sh" "$root/tests/qmp.py" "$dir/tests" && cp "$root/tests/bench/scale.sh" "$dir/tests/bench" || exit 1
    sed 's/^ORIGIN_HOME=.*/ORIGIN_HOME=${ORIGIN_HOME:-$root}/' "$root/build/env" >"$dir/build/env"
    "$ORIGIN_CROSS"strip -g -o "$dir/build/kernel/vmlinux" "$ORIGIN_VMLINUX" && programs "$dir/build/programs" || exit 1
    cp "$ORIGIN_INITRD" "$ORIGIN_QEMU" "$ORIGIN_LAUNCHER" "$ORIGIN_LAYOUT" "$dir/build" && cp "$ORIGIN_MACHINES"/*.dtb "$dir/build/machines" || exit 1
    # The host's own C library goes with its dynamic linker.
    for program in "$ORIGIN_QEMU" "$ORIGIN_LAUNCHER"; do ldd "$program"; done | awk '$3 ~ "^/" { print $3 }' | grep -v -E '/lib(c|m|pthread|dl|rt)\.so' | sort -u |
        while read -r lib; do cp "$lib" "$dir/build/lib" || exit 1; done || exit 1
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/sh' 'root=$(cd "$(dirname "$0")" && pwd)' 'set -a' '. "$root/build/env"' 'LD_LIBRARY_PATH=$root/build/lib' \
        'exec "$ORIGIN_LAUNCHER" "$@"' >"$dir/origin"
    chmod +x "$dir/origin"
    du -sh "$dir"
}

programs() { # programs DIR
    "$origin" cc -O2 -pthread -DSMALL=1 -o "$1/small" "$root/tests/bench/kernels.c" -lm &&
        "$origin" cc -O2 -pthread -o "$1/large" "$root/tests/bench/kernels.c" -lm
}

case ${1:-} in
--pack)
    pack "${2:?no directory}"
    exit
    ;;
esac
machines=${SCALE_MACHINES:-arctic stinger} processors=$(nproc) all=
for n in 1 2 4 8 16; do [ "$n" -gt "$processors" ] || all="$all $n"; done
threads=${SCALE_THREADS:-$all} works=${SCALE_WORKS:-sort matmul triad fft fft-all processes lock}
share=$tmp/share
mkdir "$share"
if [ -d "$root/build/programs" ]; then cp "$root/build/programs"/* "$share"; else programs "$share" || exit 1; fi

cat >"$tmp/follow.py" <<'E2'
"""follow.py QMP TRUTH COMMAND...: runs COMMAND; seconds of the host at which each line "@NAME" came, without the others; then the machine's truth."""
import subprocess
import sys
import time
from qmp import Qmp

start = time.monotonic()
run = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
qmp = Qmp(sys.argv[1])
last = start
with open(sys.argv[2], "w") as out:
    for line in run.stdout:
        if line.startswith("@"):
            now = time.monotonic()
            print(line[1:].strip(), now - last)
            last = now
        else:
            out.write(line)
        if line == "@end\n":
            break
    qmp.wait("SHUTDOWN")  # with -no-shutdown the machine stays, stopped, after the guest has halted it
    out.write(str(qmp.get("truth")))
    assert qmp.get("invariants") == "ok"
qmp.command("quit")
sys.exit(run.wait())
E2

job='echo @boot; all() { for i in $(seq 0 $(($(nproc) - 1))); do taskset -c $i $* & done; wait; }
all ./small none >/dev/null; echo @none
for w in $works; do
    case $w in
    fft) ./large fft ;;
    fft-all) ./large fft $(nproc) ;;
    processes) for k in 1 2 3 4 5 6; do all ./small none; done >/dev/null ;;
    lock) ./large lock ;;
    *) all ./small $w | sort ;;
    esac
    echo @$w
done
cat /proc/interrupts /proc/stat; echo @end'
# once MACHINE THREADS NAME: seconds of each work, added to files of NAME
once() {
    local m=$1 n=$2 to=$tmp/$3
    rm -f "$to.qmp"
    python3 "$tmp/follow.py" "$to.qmp" "$to.truth" "$origin" run -m "$m" --threads="$n" -s "$share" --qemu-arg=-no-shutdown --qemu-arg=-qmp \
        --qemu-arg="unix:$to.qmp,server=on,wait=off" -- "works='$works'; $job" >"$to.times" 2>"$to.err" || { echo "scale: $m on $n threads"; cat "$to.err"; return 1; }
    [ -e "$tmp/truth.$m" ] || cp "$to.truth" "$tmp/truth.$m"
    cmp -s "$to.truth" "$tmp/truth.$m"
    echo $? >>"$tmp/differ.$m"
    grep -v '^end' "$to.times" | while read -r work s; do echo "$s" >>"$to.$work"; done
    echo "# $m, $n threads, round $((i + 1)): $(awk '{ printf "%s %.2f  ", $1, $2 }' "$to.times")"
}

# pair MACHINE: two at a time; the mean of both
pair() {
    local work
    once "$1" 1 "$1.a" &
    once "$1" 1 "$1.b" || return 1
    wait $! || return 1
    for work in boot none $works; do
        paste "$tmp/$1.a.$work" "$tmp/$1.b.$work" | awk '{ print ($1 + $2) / 2 }' >"$tmp/$1.pair.$work"
    done
}

rounds=${ROUNDS:-1}
for ((i = 0; i < rounds; i++)); do
    for m in $machines; do
        for n in $threads; do
            once "$m" "$n" "$m.$n" || exit 1
        done
        [ "$processors" -lt 2 ] || pair "$m" || exit 1
    done
done
for m in $machines; do
    figure "$m: runs whose output or truth differs" '' "$(awk '{ n += $1 } END { print n + 0 }' "$tmp/differ.$m")"
    for work in boot none $works; do
        base='0 0' name=$work
        case $work in
        sort | matmul | triad) base='$3 $4' ;;
        fft) name=FFT ;;
        fft-all) name='FFT of all' ;;
        esac
        for n in $threads; do
            paste "$tmp/$m.1.$work" "$tmp/$m.$n.$work" "$tmp/$m.1.none" "$tmp/$m.$n.none" >"$tmp/rounds"
            # shellcheck disable=SC2046
            if [ "$n" = 1 ]; then
                figure "$m, $name, 1 thread" s $(column "\$1 - ${base% *}")
            else
                figure "$m, $name, gain of $n threads" '' $(column "(\$1 - ${base% *}) / (\$2 - ${base#* })")
            fi
        done
        [ "$processors" -ge 2 ] || continue
        paste "$tmp/$m.1.$work" "$tmp/$m.pair.$work" "$tmp/$m.1.none" "$tmp/$m.pair.none" >"$tmp/rounds"
        # shellcheck disable=SC2046
        figure "$m, $name, two machines at a time" '' $(column "2 * (\$1 - ${base% *}) / (\$2 - ${base#* })")
    done
done
