#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which model runs when (docs/fast-forward.md): off until a region, a machine time or a request; cold and warm caches; what a region took.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/work.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <sn_roi.h>
/*
 * Strides through memory five times, the last four in a region: a miss each 128 bytes if the L2 is too small or empty. The last three are regions of
 * their own, because the kernel may have something else to do during one of them.
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

go --time=full
is 'without a switch: status and output' "$status $out" '0 655360'
is 'no model is switched' "$(rows model)" ''
all_ns=$(field end work 5) all_n=$(($(field end work 7) + $(field end work 8)))
is 'all regions, the inner ones end first' "$(awk -F, '$2 == "end" { print $13 }' "$tmp/regions" | tr '\n' ' ')" '"inner" "inner" "inner" "work" '
# Besides: what the kernel misses meanwhile, and misses of TLB refills.
within 'the region misses once a line and pass' 262144 "$all_n" 276000
# An inner pass, the shortest one, begins with the caches as another has left them. How many lines compete for a set depends on the pages that
# each boot hands out, so two boots differ by 0.1 % with one image of the guest and by 1.2 % with another.
numbers() { rows end inner | sort -t, -n -k5,5 | awk -F, -v m="$1" 'NR == 1 { printf "%d %d %d\n", $5 * m / 1000, ($7 + $8) * m / 1000, $11 * m / 1000 }'; }
low=($(numbers 980)) high=($(numbers 1020))
run_ns=$(field run '' 5)

go --until-roi=off --time=full --roi=work
is 'off until the region: status and output' "$status $out" '0 655360'
is 'the switches: there and back' "$(rows model | cut -d, -f1-4 | tr '\n' ' ')" 'model,full,off,region model,off,full,end '
like 'it says what is cold' "$err" '^origin: at [0-9.]+ s, a region begins: model full, before off; caches are empty, all lines unowned$'
like 'and what the region took' "$err" '^origin: region work: 0\.[0-9]+ s of machine time with model full, [0-9]+ instructions, [0-9]+ transactions of [0-9.]+ ns on average'
cold_ns=$(field end work 5) cold_n=$(($(field end work 7) + $(field end work 8)))
within 'transactions as with the model all the time' $((all_n * 99 / 100)) "$cold_n" $((all_n * 103 / 100))
within 'and the time, which lacks write-backs of what was there before' $((all_ns * 96 / 100)) "$cold_ns" $((all_ns * 101 / 100))
within 'machine time until the region is shorter' 1 "$(field run '' 5)" $((run_ns * 9 / 10))
cp "$tmp/regions" "$tmp/first"
go --until-roi=off --time=full --roi=work
is 'a second time it is the same, to the nanosecond' "$(cmp "$tmp/first" "$tmp/regions" 2>&1)" ''

"$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/profile" --regions="$tmp/regions" --until-roi=off --time=full --roi=work -- ./work >"$tmp/out" 2>&1 </dev/null
is 'a profile is recorded while the model runs, and changes nothing' "$(cmp "$tmp/first" "$tmp/regions" 2>&1)" ''
is 'it has all transactions of the region, and no others' "$("$origin" report --all "$tmp/profile" 2>/dev/null | awk '/ all$/ { print $1; exit }')" "$cold_n"

go --until-roi=off --time=full --roi=work --warm=20
is 'warm caches first' "$(rows model | cut -d, -f2-4 | tr '\n' ' ')" 'unloaded,off,region full,unloaded,warm off,full,end '
like 'the output says that they stay' "$err" 'the caches are warm: model full, before unloaded; caches are as they were'
like 'twenty milliseconds later' "$(awk -F, '$2 == "model" { if (NR > 1 && at) print $1 - at; at = $1 }' "$tmp/regions" | head -n 1)" '^200[0-9]{5}$'
warm=($(numbers 1000))
within 'then the time of a pass is within 2 % of that with the model all the time' "${low[0]}" "${warm[0]}" "${high[0]}"
within 'and its transactions' "${low[1]}" "${warm[1]}" "${high[1]}"
within 'and its write-backs' "${low[2]}" "${warm[2]}" "${high[2]}"
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
