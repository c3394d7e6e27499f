#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A profile with --cpu=pipeline says what threads, functions and lines computed, by bound, and what they waited. It adds up to the clocks, to the tick.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O1 -g -Wall -o "$tmp/bounds" "$root/tests/guest/bounds.c" || exit 99
# Two processors, and R12000s
sed "s|node@n1 { }|node@n1 { cpu@a { cpu-model = \"R12000\"; }; cpu@b { cpu-model = \"R12000\"; }; }|; s|include/ \"|&$root/qemu-origin/machines/|" \
    "$root/qemu-origin/machines/origin200.dts" >"$tmp/r12000.dts"
profile() { "$origin" profile "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }

# sums DIR: processors; ticks of their clocks that are in no row, and of all clocks in no thread's; rows below 0; are most instructions there?
sums() {
    "$origin" report --all --format=stack "$1" | python3 -c '
import csv, sys
d, bounds = sys.argv[1], ["width", "unit", "dependence", "branch", "mispredict"]
rows = lambda name: csv.DictReader(open(f"{d}/{name}.csv"))
stack = list(csv.DictReader(sys.stdin))
computed, insns, waited, below = {}, {}, {}, 0
nobody = 0
for r in rows("computing"):
    ticks = [int(r[b]) for b in bounds]
    computed[r["cpu"]] = computed.get(r["cpu"], 0) + sum(ticks)
    insns[r["cpu"]] = insns.get(r["cpu"], 0) + int(r["insns"])
    below += min(ticks + [int(r["insns"])]) < 0
    nobody += sum(ticks) * (r["thread"] == "0")
for r in rows("stalls"):
    waited[r["cpu"]] = waited.get(r["cpu"], 0) + int(r["ticks"])
    nobody += int(r["ticks"]) * (r["thread"] == "0")
rest = [int(r["ticks"]) - int(r["idle_ticks"]) - computed[r["cpu"]] - waited[r["cpu"]] for r in rows("cpus")]
# Refills of the TLB are a wait, and their instructions no rows: a thousandth of all at most.
executed = sum(int(r["insns"]) for r in rows("cpus"))
few = 0 <= executed - sum(insns.values()) <= executed / 1000
all_ticks = sum(int(r["ticks"]) - int(r["idle_ticks"]) for r in rows("cpus"))
print(len(rest), sum(map(abs, rest)), all_ticks - nobody - sum(int(r[b]) for r in stack for b in bounds + ["waiting"]), below, few)' "$1"
}
# most FUNCTION BOUND LOW HIGH INSNS: its largest bound, whose cycles are that many a turn, and its instructions
most() {
    read -r name cycles insns <<<"$(python3 -c '
import csv, sys
bounds = ["width", "unit", "dependence", "branch", "mispredict", "waiting"]
rows = [r for r in csv.DictReader(sys.stdin) if r["function"] == sys.argv[1]]
sums = {b: sum(int(r[b]) for r in rows) for b in bounds}
most = max(sums, key=sums.get)
print(most, sums[most] / float(sys.argv[2]) / 1e5, sum(int(r["insns"]) for r in rows))' "$1" "$ticks" <"$tmp/stack")"
    is "$1: its bound" "$name" "$2"
    within "$1: cycles of that in a turn" "$3" "$cycles" "$4"
    within "$1: instructions" "$5" "$insns" $(($5 + 30))
}

for time in unloaded full; do
    profile --cpu=pipeline -m "$tmp/r12000.dts" --time=$time -s "$tmp" -o "$tmp/p" -- ./bounds
    is "$time: status" "$? $(cat "$tmp/out" "$tmp/err")" '0 0'
    is "$time: each clock and all threads add up, to the tick" "$(sums "$tmp/p")" '2 0 0 0 True'
done
"$origin" report --format=stack "$tmp/p" >"$tmp/stack" 2>"$tmp/err"
ticks=$(awk -F, '$1 == "tick_hz" { print $2 / 180e6 }' "$tmp/p/meta.csv")
# 16 additions wait for each other, 16 loads for the unit; 19 instructions are five groups of four. The branch is wrong in half the turns at least, and that
# costs the three cycles of decoding, issuing and resolving it.
most dependent dependence 15.2 16.8 1900000
most one_unit unit 15.2 16.8 1900000
most wide width 4 5.3 1900000
most guessed mispredict 1.5 5 650000
# 131072 lines, each of them at most half a microsecond, at 180 MHz. Several are under way at a time, at most the four of the processor.
most waiting waiting 15 120 524288
annotated=$("$origin" annotate "$tmp/p" dependent 2>&1)
like 'annotate: what a line computed' "$annotated" '\^ CPI=0\.[0-9]+ .*dependence=[0-9.]+'
like 'report: threads' "$("$origin" report "$tmp/p" 2>&1)" '^ +[0-9.]+ +[0-9]+ +[0-9.]+  [0-9]+ bounds +.*dependence=[0-9.]+ .*mispredict=[0-9.]+ waiting=[0-9.]+; user [0-9.]+, kernel [0-9.]+'
is 'json: the same sums' "$("$origin" report --format=json "$tmp/p" | python3 -c '
import json, sys
print(sum(v for r in json.load(sys.stdin)["stack"] for v in list(r.values())[7:]))')" \
    "$(awk -F, 'NR > 1 { for (i = 9; i <= NF; i++) s += $i } END { printf "%d\n", s }' "$tmp/stack")"
# Modes: of threads that are no interrupts' the address of the instruction says which.
is 'time by mode is all the time, and instructions are of the mode that their address says' "$(python3 - "$tmp/stack" "$tmp/p/computing.csv" <<'END'
import csv, sys
stack = list(csv.DictReader(open(sys.argv[1])))
total = lambda *names: sum(int(r[n]) for r in stack for n in names)
wrong = [r for r in csv.DictReader(open(sys.argv[2])) if r["pc"] != "-" and r["mode"] != "interrupt" and (int(r["pc"], 16) >> 63 == 1) != (r["mode"] == "kernel")]
modes = {r["mode"] for r in csv.DictReader(open(sys.argv[2]))}
print(total("user", "kernel", "interrupt") - total("width", "unit", "dependence", "branch", "mispredict", "waiting"), len(wrong), *sorted(modes))
END
)" '0 0 interrupt kernel user'
# Region, processors whose refills are many, and a table that is full: the sums stay.
profile --cpu=pipeline -m origin200 -s "$tmp" -o "$tmp/p" --rows=1024 -- ./bounds
is 'few rows: the sums stay' "$(sums "$tmp/p")" '2 0 0 0 True'
like 'and the report says that instructions were merged' "$("$origin" report "$tmp/p" 2>&1)" '^No room was left for [0-9]+ runs of instructions'
profile --cpu=simple -m origin200 -s "$tmp" -o "$tmp/p" -- ./bounds
is 'simple: no such table' "$(ls "$tmp/p" | grep -c computing) $(grep -c computing "$tmp/p/meta.csv")" '0 0'
"$origin" report --format=stack "$tmp/p" >"$tmp/out" 2>&1
is 'and --format=stack says so' "$? $(cat "$tmp/out")" "1 origin: $tmp/p: no computing.csv: --format=stack needs a profile of --cpu=pipeline"
finish
