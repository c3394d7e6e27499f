#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin sweep (docs/sweep.md): variants that share a start are futures of one run, with the numbers of runs of their own; settings from the region
# on; what is done is not done again. tests/soak/sweep.sh has sixty variants, Slurm and kills.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/columns.py" <<'E2'
import csv
import sys

for r in csv.DictReader(open(sys.argv[1])):
    print(*(r[c] for c in sys.argv[2:] or [c for c in r if c not in ("host_seconds", "cpu_seconds", "host_mb")]))
E2
columns() { python3 "$tmp/columns.py" "$@"; }
cat >"$tmp/start.toml" <<'E2'
[base]
machine = "origin200"
until-roi = "off"
command = "snroi work echo count: 7"
[axes]
time = ["unloaded", "full"]
[metrics]
count = 'count: ([0-9]+)'
E2
sweep() { "$origin" sweep "$@" >"$tmp/out" 2>"$tmp/err"; status=$?; }
sweep "$tmp/start.toml" -o "$tmp/shared"
is 'variants that share a start' "$status $(cat "$tmp/out")" "0 $tmp/shared/results.csv: 4 rows of 2 variants, 0 not ok" || cat "$tmp/err"
is 'their rows' "$(columns "$tmp/shared/results.csv" variant status region model count)" 'time=unloaded ok work unloaded 7
time=unloaded ok  off 7
time=full ok work full 7
time=full ok  off 7'
is 'one run made both' "$(($(wc -l <"$tmp/shared/parallel.log") - 1)) $(ls "$tmp/shared/starts")" '1 '
sweep "$tmp/start.toml" -o "$tmp/alone" --no-futures
is 'each by itself' "$status $(($(wc -l <"$tmp/alone/parallel.log") - 1))" '0 2'
is 'the same table, to the nanosecond' "$(columns "$tmp/shared/results.csv")" "$(columns "$tmp/alone/results.csv")"

# One variant's result is lost, as if its job had been killed.
rm "$tmp"/shared/runs/time=full-*/result.json
columns "$tmp/shared/results.csv" >"$tmp/was"
sweep "$tmp/start.toml" -o "$tmp/shared"
like 'the same command does what is missing' "$status $(cat "$tmp/err")" '^0 origin: sweep: 1 of 2 variants are done already'
is 'and comes to the same table' "$(columns "$tmp/shared/results.csv")" "$(cat "$tmp/was")"

cat >"$tmp/later.toml" <<'E2'
[base]
machine = "origin200"
until-roi = "off"
command = "snroi work sh -c 'echo $WHO; cat /tmp/said; [ $WHO != me2 ] || { echo not me >&2; exit 1; }'"
roi-sh = "echo {k} >/tmp/said"
roi-env = { WHO = "me{k}" }
[axes]
k = [1, 2]
[metrics]
who = 'me([0-9]+)'
said = '^([0-9]+)$'
E2
sweep "$tmp/later.toml" -o "$tmp/later"
is 'settings from the region on, and one that fails' "$status $(columns "$tmp/later/results.csv" variant status exit error region who said | grep work)" '1 k=1 ok 0  work 1 1
k=2 failed 1 command: not me work 2 2'
is 'why is on standard error, too' "$(sed -n 's/^\(origin: sweep: k=.*\) (.*/\1/p' "$tmp/err")" 'origin: sweep: k=2: failed: command: not me'
sed 's/snroi work //' "$tmp/later.toml" >"$tmp/none.toml"
sweep "$tmp/none.toml" -o "$tmp/none"
is 'no region begins: the variants say so' "$status $(columns "$tmp/none/results.csv" status exit error)" '1 machine 125 origin: no region began, so nothing was split
machine 125 origin: no region began, so nothing was split'

# What the launcher says about a future: the instruction after the region's begin is none of an R10000.
mkdir "$tmp/share"
cat >"$tmp/r2.c" <<'E2'
void __start(void)
{
    volatile char name[64] __attribute__((aligned(64)));
    register volatile char *at __asm__("$4") = name;

    name[0] = 'w';
    name[1] = 0;
    __asm__ volatile(".word %1\n\t.set push\n\t.set mips64r2\n\tseb $2, $2\n\t.set pop" : : "r"(at), "i"(0x33u << 26 | 4u << 21 | 26u << 16) : "memory");
}
E2
ok 'a program with a region and an instruction of R2 compiles' "$origin" cc -mips4 -static -nostdlib -O2 -o "$tmp/share/r2" "$tmp/r2.c"
printf '[base]\nmachine = "origin200"\nshare = "share"\nr2 = "off"\nuntil-roi = "off"\ncommand = "./r2"\n[axes]\nseed = [1, 2]\n' >"$tmp/r2.toml"
sweep "$tmp/r2.toml"
is 'futures that fail have what the launcher says' "$status $(columns "$tmp/r2.sweep/results.csv" variant status exit error | sort -u | cut -d: -f1,2)" \
    '1 seed=1 failed 132 origin: the command used an instruction that the R10000 does not have
seed=2 failed 132 origin: the command used an instruction that the R10000 does not have'
is 'and were futures of one run' "$(($(wc -l <"$tmp/r2.sweep/parallel.log") - 1))" 1

# Names of regions, from the guest, and of directories, with what gnuplot, GNU parallel, spreadsheets and terminals would take for theirs.
odd="$tmp/{} {#} {= system(q(touch parallel)) =} %a"
mkdir "$odd"
cd "$odd" || exit 99
cat >odd.toml <<'E2'
name = "a `touch title` \" '"
[base]
machine = "origin200"
env = { B = "{b}" }
command = """snroi '`touch region`' true; snroi '=cmd|x' true; snroi '";system("touch region")#' true; [ {a} = 1 ] || { printf 'x\\033]0;x\\007\\n' >&2; false; }"""
[axes]
a = [1, 2]
b = ["'`touch axis`'"]
E2
sweep odd.toml -o out
is 'odd names: status' "$status $(tail -n 1 "$tmp/out" | grep -o '[0-9]* rows.*')" '1 8 rows of 2 variants, 1 not ok'
is 'they are in the table' "$(columns out/results.csv region | grep . | sort -u)" "\";system(\"touch region\")#
'=cmd|x
\`touch region\`"
is 'two pictures for each of them and for the whole run' "$(grep -c '<svg' out/report.html)" 8
is 'and nobody runs them' "$(find "$tmp" -name title -o -name region -o -name axis -o -name parallel)" ''
unlike 'the terminal gets no control character' "$(tr -d '\n' <"$tmp/err")" '[[:cntrl:]]'
cd "$tmp" || exit 99

# The first example of docs/sweep.md, as it stands there: the file, and the commands that make its program and run it, with the
# default number of threads.
mkdir "$tmp/clone"
cd "$tmp/clone" || exit 99
ln -s "$root/origin" "$root/examples" .
sed -n '/^```toml$/,/^```$/p' "$root/docs/sweep.md" | sed '1d; /^```$/,$d' >fft.toml
sed -n '/^mkdir -p bin$/,/^```$/p' "$root/docs/sweep.md" | grep -v '^```$' >commands
is 'the example has its commands' "$(cut -d' ' -f1,2 commands)" 'mkdir -p
./origin cc
./origin sweep'
env -u ORIGIN_THREADS sh -e ./commands >"$tmp/out" 2>"$tmp/err"
is 'the example: all variants are ok' "$? $(tail -n 1 "$tmp/out")" "0 $tmp/clone/fft.sweep/results.csv: 336 rows of 48 variants, 0 not ok" || cat "$tmp/err"
is 'each has its region and its metric' "$(columns fft.sweep/results.csv variant status error region transposes_us | grep -c ' ok  fft [0-9.]*$')" 48
finish
