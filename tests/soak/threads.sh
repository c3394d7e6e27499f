#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors on 1 to 4 host threads, while the host treats the threads badly: taskset and nice of single threads, and SIGSTOP of
# all, at random moments. All runs give the same output and the same transactions at the same times.
#   RUNS   number of runs (20); a hundred take a quarter of an hour: make soak T=soak/threads TEST_TIMEOUT=3000
#   SEED   of the host's moods (1)
. "$(dirname "$0")/../lib.sh"
runs=${RUNS:-20}
RANDOM=${SEED:-1}

mkdir "$tmp/share"
"$origin" cc -O2 -pthread -o "$tmp/share/talk" "$root/tests/guest/talk.c" -lnuma || { echo 'Bail out! talk.c does not compile'; exit 99; }
job='./talk ticket 0 16 20; ./talk barrier 1 16 5; for i in 0 1 2 3 4 5 6 7; do md5sum talk | taskset -c $i sort & done; wait; cat /proc/stat'

# Move one of the threads and make it nicer, stop the machine for a moment, and so on until the machine has gone.
disturb() { # PID of the launcher
    local pid threads t
    while kill -0 "$1" 2>/dev/null; do
        pid=$(pgrep -P "$1" -f qemu-system | head -n 1)
        if [ -n "$pid" ]; then
            threads=(/proc/"$pid"/task/*)
            t=${threads[RANDOM % ${#threads[@]}]##*/}
            taskset -p -c "$((RANDOM % 2))" "$t" >/dev/null 2>&1
            renice -n "$((RANDOM % 19))" -p "$t" >/dev/null 2>&1
            kill -STOP "$pid" 2>/dev/null; sleep "0.0$((RANDOM % 9))"; kill -CONT "$pid" 2>/dev/null
        fi
        sleep "0.$((RANDOM % 4))"
    done
}

for ((i = 1; i <= runs; i++)); do
    n=$((i == 1 ? 1 : RANDOM % 4 + 1))
    mkfifo "$tmp/fifo"
    md5sum <"$tmp/fifo" >"$tmp/trace$i" &
    "$origin" run -m ricotta --threads="$n" --qemu-arg=-D --qemu-arg="$tmp/fifo" --qemu-arg=-trace --qemu-arg=origin_transaction \
        -s "$tmp/share" -- "$job" >"$tmp/out$i" 2>&1 </dev/null &
    launcher=$!
    [ "$i" = 1 ] || disturb "$launcher"
    wait "$launcher"
    is "run $i, $n threads: status" "$?" 0
    wait; rm "$tmp/fifo"
    [ "$i" = 1 ] && continue
    ok "run $i, $n threads: the same output" cmp "$tmp/out1" "$tmp/out$i"
    ok "run $i, $n threads: the same transactions at the same times" cmp "$tmp/trace1" "$tmp/trace$i"
done
finish
