#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which model runs when (docs/fast-forward.md): off until a region, a machine time or a request; cold and warm caches; what a region took.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/work.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <sn_roi.h>
/*
 * Strides through memory five times, the last four in a region, the last three of these in regions of their own: a load misses each 128 bytes, because
 * the L2 is smaller than the memory.
 */
#define BYTES (8u << 20)
static volatile char *p;
static long pass(void)
{
    long n = 0;
    for (unsigned i = 0; i < BYTES; i += 128)
        n += p[i]++;
    return n;
}
int main(void)
{
    long n;
    p = malloc(BYTES);
    n = pass();
    sn_roi_begin("work");
    n += pass();
    for (int i = 0; i < 3; i++) {
        sn_roi_begin("inner");
        n += pass();
        sn_roi_end();
    }
    sn_roi_end();
    printf("%ld\n", n);
    return 0;
}
E2
mkdir "$tmp/share"
"$origin" cc -O1 -o "$tmp/share/work" "$tmp/work.c" -lsnpc || { echo 'Bail out! work.c does not compile'; exit 99; }
# rows EVENT [REGION]: of the last run's table, without at_ns
rows() { awk -F, -v e="$1" -v r="\"${2-}\"" '$2 == e && (r == "\"\"" || $13 == r)' "$tmp/regions" | cut -d, -f2-; }
field() { rows "$1" "${2-}" | cut -d, -f"$3"; } # columns after at_ns: 1 event, 2 model, 5 ns, 6 instructions, 7 local, 8 remote
go() { run -m origin200 -s "$tmp/share" --regions="$tmp/regions" "$@" -- ./work; }

# record OPTION... : the same as a profile
record() {
    rm -rf "$tmp/profile"
    "$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/profile" --regions="$tmp/regions" "$@" -- ./work >"$tmp/out" 2>&1 </dev/null
}
# passes REGION: of the profile, how often the load of pass() missed in the region, and the ticks that it waited for
cat >"$tmp/passes.py" <<'E2'
import collections, csv, sys
def table(name):
    return csv.DictReader(open(sys.argv[1] + "/" + name + ".csv"))
region = [r["region"] for r in table("regions") if r["name"] == sys.argv[2]]
count, ticks = collections.Counter(), collections.Counter()
for r in table("misses"):
    if r["region"] in region and r["kind"] == "load":
        count[r["pc"]] += int(r["count"])
        ticks[r["pc"]] += int(r["stall_ticks"])
pc, n = count.most_common(1)[0]
print(n, ticks[pc])
E2
passes() { python3 "$tmp/passes.py" "$tmp/profile" "$1"; }
LINES=65536 # of 128 bytes in the memory of the program
# Which of the two lines of a set leaves the L2 of 1 MB is drawn. Between two uses of a line 15 others come to its set, so it is still there with a
# probability of 2^-15: two lines a pass. Five times as many are as good as impossible.
SURVIVE=10

go --time=full
is 'without a switch: status and output' "$status $out" '0 655360'
is 'no model is switched' "$(rows model)" ''
is 'all regions, the inner ones end first' "$(awk -F, '$2 == "end" { print $13 }' "$tmp/regions" | tr '\n' ' ')" '"inner" "inner" "inner" "work" '
cp "$tmp/regions" "$tmp/plain"
record --time=full
is 'a profile changes nothing' "$(cmp "$tmp/plain" "$tmp/regions" 2>&1)" ''
within 'a load for each line misses, in the region' $((LINES - SURVIVE)) "$(passes work | cut -d' ' -f1)" $LINES
read -r n all_ticks <<E2
$(passes inner)
E2
within 'and in the inner ones' $((3 * (LINES - SURVIVE))) "$n" $((3 * LINES))
run_ns=$(field run '' 5)

go --until-roi=off --time=full --roi=work
is 'off until the region: status and output' "$status $out" '0 655360'
is 'the switches: there and back' "$(rows model | cut -d, -f1-4 | tr '\n' ' ')" 'model,full,off,region model,off,full,end '
like 'it says what is cold' "$err" '^origin: at [0-9.]+ s, a region begins: model full, before off; caches are empty, all lines unowned$'
like 'and what the region took' "$err" '^origin: region work: 0\.[0-9]+ s of machine time with model full, [0-9]+ instructions, [0-9]+ transactions of [0-9.]+ ns on average'
cold_n=$(($(field end work 7) + $(field end work 8)))
within 'machine time until the region is shorter' 1 "$(field run '' 5)" $((run_ns * 9 / 10))
cp "$tmp/regions" "$tmp/first"
go --until-roi=off --time=full --roi=work
is 'a second time it is the same, to the nanosecond' "$(cmp "$tmp/first" "$tmp/regions" 2>&1)" ''

record --until-roi=off --time=full --roi=work
is 'a profile is recorded while the model runs, and changes nothing' "$(cmp "$tmp/first" "$tmp/regions" 2>&1)" ''
is 'it has all transactions of the region, and no others' "$("$origin" report --all "$tmp/profile" 2>/dev/null | awk '/ all$/ { print $1; exit }')" "$cold_n"
is 'with cold caches a load for each line misses, too' "$(passes work | cut -d' ' -f1)" $LINES

go --until-roi=off --time=full --roi=work --warm=20
is 'warm caches first' "$(rows model | cut -d, -f2-4 | tr '\n' ' ')" 'unloaded,off,region full,unloaded,warm off,full,end '
like 'the output says that they stay' "$err" 'the caches are warm: model full, before unloaded; caches are as they were'
like 'twenty milliseconds later' "$(awk -F, '$2 == "model" { if (NR > 1 && at) print $1 - at; at = $1 }' "$tmp/regions" | head -n 1)" '^200[0-9]{5}$'
record --until-roi=off --time=full --roi=work --warm=20
read -r n ticks <<E2
$(passes inner)
E2
within 'and the inner loads miss' $((3 * (LINES - SURVIVE))) "$n" $((3 * LINES))
# The loads wait for the same memory behind the same write-backs. Of the other misses, a fiftieth of all, each can be in the way of one of them, for
# less than half of its time.
within 'for as long as with the model all the time' $((all_ticks * 99 / 100)) "$ticks" $((all_ticks * 101 / 100))
go --until-time=unloaded,0.5 --time=full
like 'a machine time' "$(awk -F, '$2 == "model"' "$tmp/regions")" '^500000[0-9]{3},model,full,unloaded,time,'
run -m origin200 --until-roi=off --roi=none -- true
is 'no such region: the command runs, and it is said' "$status $err" "0 origin: no region none began: the model was off all the time"

# A request while the machine runs; the laws hold before and after, in each model.
cat >"$tmp/ask.py" <<'E2'
import sys
import time
from qmp import Qmp

qmp = Qmp(sys.argv[1])
models = ["full", "off", "unloaded", "off", "full", "unloaded", "full"]
said = []
for model in models:
    qmp.command("qom-set", path="/machine", property="model-now", value=model)
    for _ in range(3000):
        if qmp.get("model-now") == model:
            break
        time.sleep(0.01)
    said.append(qmp.get("model-now"))
    time.sleep(0.1)
    said.append(qmp.get("invariants"))
print(*said)
answer = qmp.ask("qom-set", path="/machine", property="model-now", value="half")
print(answer["error"]["desc"])
E2
"$origin" run -m origin200 -s "$tmp/share" --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=on" -- 'for i in $(seq 24); do ./work; done' >"$tmp/out" 2>&1 </dev/null &
python3 "$tmp/ask.py" "$tmp/qmp" >"$tmp/said" 2>&1
wait $!
is 'the command does its work' "$? $(grep -v 'QEMU waiting for connection' "$tmp/out" | sort -u)" '0 655360'
is 'each model by a request' "$(sed -n 1p "$tmp/said")" 'full ok off ok unloaded ok off ok full ok unloaded ok full ok'
like 'another one is refused' "$(sed -n 2p "$tmp/said")" "model-now is off, unloaded or full, not 'half'"

refused() { # NAME MESSAGE OPTION...
    local name=$1 message=$2
    shift 2
    run "$@" -- true
    is "$name" "$status $err" "2 origin: $message"
}
refused '--until-roi on a machine without a model' '--until-roi does not go with --model=off: it switches the model on' --model=off --until-roi=off
refused '--until-roi: another value' "--until-roi is off or unloaded, not 'full' (origin --help)" --until-roi=full
refused '--until-time without a time' "--until-time is off,SECONDS or unloaded,SECONDS, not 'off' (origin --help)" --until-time=off
refused '--roi alone' '--roi needs --until-roi, --split, --save or --restore: what shall happen at the region?' --roi=x
refused '--warm: no number' "--warm wants a positive number of milliseconds, not 'x'" --until-roi=off --warm=x
refused '--seed: no number' "--seed is a number from 0 to 4294967295, not '-1' (origin --help)" --seed=-1
refused 'without machine time' '--regions does not go with --quantum=off: regions need machine time' --quantum=off --regions=x
finish
