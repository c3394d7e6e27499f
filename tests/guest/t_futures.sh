#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Forked futures (docs/futures.md): one without settings is the run that never split, to the nanosecond; each has its own settings, streams, share
# and status; killing one, or the launcher, leaves the others, or nothing.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/work.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <sn_roi.h>
int main(void)
{
    FILE *f = fopen("kept", "a");
    volatile char *p = malloc(4 << 20);
    int n = 0;
    fprintf(f, "before\n");
    fflush(f);
    puts("start");
    sn_roi_begin("work");
    for (int i = 0; i < 8; i++)
        for (unsigned j = 0; j < 4u << 20; j += 64)
            n += p[j]++;
    sn_roi_end();
    fprintf(f, "after\n");
    fclose(f);
    printf("%d %s\n", n, getenv("WHO") ? getenv("WHO") : "nobody");
    fprintf(stderr, "done\n");
    return getenv("STATUS") ? atoi(getenv("STATUS")) : 0;
}
E2
mkdir "$tmp/share" "$tmp/alone"
"$origin" cc -O1 -o "$tmp/share/work" "$tmp/work.c" -lsnpc || { echo 'Bail out! work.c does not compile'; exit 99; }
cp "$tmp/share/work" "$tmp/alone"
job='./work; s=$?; cat /proc/uptime /proc/interrupts; ls; exit $s'
mine() { pgrep -f "qemu-system-mips64.*path=$tmp/share" | wc -l; }

run -m origin200 -s "$tmp/alone" --regions="$tmp/alone.csv" -- "$job"
is 'the run that does not split' "$status $(head -n 2 "$tmp/out")" '0 start
1835008 nobody'
cp "$tmp/out" "$tmp/out.alone"

# Where the command starts, nothing ends the quantum of a run that does not split. Threads on four nodes take turns by the last nanosecond.
mkdir "$tmp/early"
"$origin" cc -O2 -o "$tmp/early/turns" "$root/tests/guest/diseases/false_sharing.c" -lpthread || { echo 'Bail out! false_sharing.c does not compile'; exit 99; }
run -m ricotta -s "$tmp/early" --regions="$tmp/turns.csv" -- ./turns
cp "$tmp/out" "$tmp/out.turns"
run -m ricotta -s "$tmp/early" --split="$tmp/start" --split-at=command --future plain -- ./turns
is 'split where the command starts: the same output' "$status $(cat "$tmp/start/plain/stdout")" "0 $(cat "$tmp/out.turns")"
is 'and the same table, to the nanosecond' "$(cat "$tmp/start/plain/regions.csv")" "$(cat "$tmp/turns.csv")"

# Sixteen processors that are busy, on three host threads before the split and after it. --at-once=1: by default futures would share the threads.
"$origin" cc -O2 -pthread -o "$tmp/early/kernels" "$root/tests/bench/kernels.c" -lm || { echo 'Bail out! kernels.c does not compile'; exit 99; }
busy='./kernels fft; cat /proc/interrupts /proc/stat'
run -m ricotta --threads=1 -s "$tmp/early" -- "$busy"
cp "$tmp/out" "$tmp/out.busy"
run -m ricotta --threads=3 -s "$tmp/early" --split="$tmp/wide" --split-at=command --at-once=1 --future plain -- "$busy"
like 'the busy program did its work' "$(cat "$tmp/out.busy")" '^ctxt [0-9]+$'
is 'three host threads before and after the split: the same output' "$status $(md5sum <"$tmp/wide/plain/stdout")" "0 $(md5sum <"$tmp/out.busy")"

run -m origin200 -s "$tmp/share" --split="$tmp/split" --roi=work --at-once=2 --future plain --future seed --set seed=9 --future set --set env:WHO=me \
    --set env:STATUS=5 --set 'sh=echo ran >first; echo to stderr >&2' --future full --set time=full -- "$job"
is 'one has failed: exit status and complaint' "$status $(grep -v region "$tmp/err" | grep -v 'model full')" '1 origin: future set: exit status 5'
is 'the table of futures' "$(cut -d, -f1-3 "$tmp/split/futures.csv")" 'future,exit,why
plain,0,
seed,0,
set,5,
full,0,'
is 'without settings: the same output, of all counters' "$(cat "$tmp/split/plain/stdout")" "$(cat "$tmp/out.alone")"
is 'and the same table, to the nanosecond' "$(cat "$tmp/split/plain/regions.csv")" "$(cat "$tmp/alone.csv")"
is 'settings: environment, and its own streams' "$(sed -n 2p "$tmp/split/set/stdout")|$(cat "$tmp/split/set/stderr")" '1835008 me|to stderr
done'
is 'its own share, in which the open file goes on' "$(cat "$tmp/split/set/share/kept" "$tmp/split/set/share/first" | tr '\n' ' ')$(ls "$tmp/split/seed/share" | tr '\n' ' ')" \
    'before after ran kept work '
unlike 'the share itself gets nothing after the split' "$(cat "$tmp/share/kept")" after
is 'another seed: the same work, other victims' "$(sed -n 2p "$tmp/split/seed/stdout") $(cmp -s "$tmp/split/seed/regions.csv" "$tmp/alone.csv" || echo differs)" '1835008 nobody differs'
like 'another time model' "$(cat "$tmp/split/full/regions.csv")" ',end,full,.*"work"'
is 'no process is left' "$(mine)" 0

# One is killed in the middle, then the launcher of another run.
rm -f "$tmp/share/kept"
long=(-t 900 -m origin200 -s "$tmp/share" --split="$tmp/split" --at-once=3 --future a --future b --set sh='sleep 1' --future c --set sh='while :; do :; done')
"$origin" run "${long[@]}" -- "$job" >"$tmp/out" 2>"$tmp/err" </dev/null &
launcher=$!
until [ -d "$tmp/split/b" ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.2; done
is 'two are done, the third runs' "$(mine) $(ls "$tmp/split" | grep -c part)" '1 1'
pkill -KILL -f "qemu-system-mips64.*path=$tmp/share"
wait $launcher
is 'it is killed: the others have their results, it has none' "$? $(cut -d, -f1-3 "$tmp/split/futures.csv" | tr '\n' ' ')$(ls -d "$tmp"/split/[abc]* | sed 's|.*/||' | tr '\n' ' ')" \
    '1 future,exit,why a,0, b,0, c,,"killed or stopped" a b '
"$origin" run "${long[@]}" -- "$job" >"$tmp/out" 2>"$tmp/err" </dev/null &
launcher=$!
until [ -d "$tmp/split/c.part" ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.2; done
kill -KILL $launcher
wait $launcher 2>/dev/null
for ((i = 0; i < 50 && $(mine) > 0; i++)); do sleep 0.1; done
is 'the launcher is killed: no process is left, and no result of c' "$(mine) $(ls "$tmp/split" | grep -c '^c$')" '0 0'

mkdir -p "$tmp/mine/src" "$tmp/mine/b.part" "$tmp/other"
echo mine | tee "$tmp/mine/src/file" >"$tmp/other/futures.csv"
in_the_way() { # NAME PATH OPTION...
    local name=$1 path=$2
    shift 2
    run -m origin200 "$@" -- true
    is "$name" "$status $err" "125 origin: $path: in the way of a future's results, and no future has left it"
}
in_the_way 'a directory that no future has left is not removed' "$tmp/mine/src" --split="$tmp/mine" --future src
in_the_way 'nor one with the name of an unfinished one' "$tmp/mine/b.part" --split="$tmp/mine" --future a --future b
in_the_way 'nor a file with the name of the table' "$tmp/other/futures.csv" --split="$tmp/other" --future a
is 'all are there' "$(cat "$tmp/mine/src/file" "$tmp/other/futures.csv"; ls -d "$tmp/mine/b.part")" "mine
mine
$tmp/mine/b.part"

# What QEMU is told of a future has 60,000 bytes at most.
run -m origin200 --split="$tmp/long" --future a --set sh="true $(printf '%070000d' 0)" -- snroi work true
is 'a request that is too long: status, the table, and nothing of the future' "$status $(tail -n 1 "$tmp/long/futures.csv" | cut -d, -f1-3) $(ls "$tmp/long")" \
    '1 a,,"its settings are too long" futures.csv'

run -m origin200 --split="$tmp/split" --future a --roi=none -- true
is 'no such region' "$status $err" '125 origin: no region none began, so nothing was split'
refused() { # NAME MESSAGE OPTION...
    local name=$1 message=$2
    shift 2
    run "$@" -- true
    is "$name" "$status $err" "2 origin: $message"
}
refused '--split without a future' '--split needs --future: what shall it split into?' --split="$tmp/x"
refused 'each profile is in its results' '-o does not go with --split: each future has its own profile in its results' --follow=0x1 -o "$tmp/x" --split="$tmp/x" --future a
refused '--set before a future' '--set seed=1: it belongs to the --future before it, and there is none' --set seed=1
refused '--set: another key' '--set x=1: it is model=, time=, seed=, env:NAME=, sh= or remedy=' --split="$tmp/x" --future a --set x=1
refused 'a name twice' "--future a: a name has letters, digits, '.', '_', '-', and is given once" --split="$tmp/x" --future a --future a
refused 'with a network' '--split does not go with --net: all futures would have one place in the network' --split="$tmp/x" --future a --net=user
refused 'results in the share' "--split $tmp/share/x: it lies in the share $tmp/share, which each future copies: choose a place outside" -s "$tmp/share" --split="$tmp/share/x" --future a
finish
