#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hypothetical machines (docs/whatif.md): what a description can say is the same machine as a description that says it, to the last transaction; other
# keys change times and not results; wrong ones are refused with one line.
. "$(dirname "$0")/../lib.sh"
presets=$root/qemu-origin/machines

# traced OPTION...: what the command prints, and a hash of all transactions since power-on with their times
traced() {
    mkfifo "$tmp/fifo"
    sha256sum <"$tmp/fifo" >"$tmp/hash" &
    "$origin" run --regions="$tmp/regions" --qemu-arg=-trace --qemu-arg=origin_transaction --qemu-arg=-D --qemu-arg="$tmp/fifo" "$@" -- \
        'cat /proc/cpuinfo | grep -v BogoMIPS; dd if=/dev/zero of=/dev/null bs=2M count=3 2>&1 | head -n 2' 2>"$tmp/err" </dev/null
    wait
    rm "$tmp/fifo"
    cat "$tmp/hash" "$tmp/regions"
}

sed -n '/l2-kb/p' "$presets/r10k-180.dtsi" >"$tmp/kb"
like 'the preset has 1 MB' "$(cat "$tmp/kb")" 'l2-kb = <1024>'
sed 's/l2-kb = <1024>/l2-kb = <8192>/' "$presets/r10k-180.dtsi" >"$tmp/large.dtsi"
sed 's/r10k-180.dtsi/large.dtsi/' "$presets/origin200.dts" >"$tmp/large.dts"
small=$(traced -m origin200)
large=$(traced -m "$tmp/large.dts")
what=$(traced -m origin200 --what=L2=8M)
is 'L2=8M: the same as a description with 8 MB, in each transaction' "$what" "$large"
is 'L2=8M: nothing to say about it' "$(cat "$tmp/err")" ''
ok 'L2=8M: another machine than with 1 MB' [ "$large" != "$small" ]

what=$(traced -m origin200 --what=L2-ways=2,L2-replacement=random,L1=32K,L1-ways=2)
is "the R10000's own ways, replacement and sizes: the same machine in each transaction" "$what$(cat "$tmp/err")" "$small"

# What no description can say: other times, the same output; and a line that says so.
run -m origin200 --what=memory=x0.5,hub=x2 --what=L2=512K -- 'echo done; uname -m'
plain=$out
is 'hypothetical: the command runs' "$status" 0
like 'hypothetical: a line names the keys' "$err" '^origin: hypothetical, not validated: memory=x0.5, hub=x2, L2=512K$'
mkdir "$tmp/recorded"
for keys in L2=8M memory=x2; do
    run -m origin200 -s "$tmp/recorded" --what=$keys -- "snrun -o $keys sleep 0.1"
done
like 'a recording of a hypothetical machine says so' "$("$origin" report "$tmp/recorded/memory=x2")" '^Linux origin200-hypothetical '
like 'one of a machine that a description can say does not' "$("$origin" report "$tmp/recorded/L2=8M")" '^Linux origin200 '
slow=$(traced -m origin200 --what=memory=x4)
ok 'memory=x4: other times' [ "$slow" != "$small" ]
run -m origin200 --what=network=ideal,sysad=ideal,memory=ideal,hub=ideal,memory-bandwidth=ideal,link-bandwidth=ideal,miss-registers=32,active-list=512 --time=full -- 'echo done; uname -m'
is 'all ideal: the command runs' "$status $out" "0 $plain"

run -m ricotta --what=protocol=msi,no-backoff,directory=limited:2 -- 'echo done; uname -m'
is 'another protocol: the command runs' "$status $out" "0 $plain"
like 'another protocol: a line says so' "$err" '^origin: hypothetical, not validated: protocol=msi, no-backoff, directory=limited:2$'
# With two pointers each reader of code takes it from another, also between two beginnings of an instruction that waits for its turn.
for what in directory=limited:2:evict no-speculation four-hop protocol=msi,four-hop,directory=limited:6:evict; do
    run -m ricotta --what="$what" --time=full -- 'echo done; uname -m'
    is "$what: the command runs, the same output" "$status $out" "0 $plain"
done

# Caches of other geometries. With one way, code and the lines of its LL may belong to the same place, and the kernel boots all the same.
for keys in L1=128K,L1-ways=1,L2-ways=1 L1D=16K,L1I=64K,L1-ways=4,L2-ways=16,L2-replacement=lru L1=8K,L2=64K,L2-ways=4 L2-line=32 L2-line=64 L2-line=256,L2-ways=4; do
    run -m origin200 --what=$keys -- 'echo done; uname -m'
    is "$keys: the command runs" "$status $out" "0 $plain"
done

# Four pages whose lines belong to the same sets, four reads a round, in 5000 rounds: two ways miss at least half of them (diseases/page_colour.c), four
# ways hold them. Others' lines of these sets, the kernel's, may push one out at times: 100 is a hundredth of the bound of two ways.
"$origin" cc -O2 -g "$root/tests/guest/diseases/page_colour.c" -o "$tmp/page_colour" -lpthread || exit 99
misses() { # PROGRAM OBJECT CAUSE OPTION...: of the object, by the cause
    "$origin" profile -m "$machine" -s "$tmp" -o "$tmp/c" "${@:4}" -- "./$1" >"$tmp/out" 2>&1 </dev/null
    "$origin" report --format=csv "$tmp/c" | python3 -c '
import csv, sys
print(sum(int(r["count"]) for r in csv.DictReader(sys.stdin) if r["object"].startswith(sys.argv[1]) and r["cause"] == sys.argv[2]))' "$2" "$3"
    rm -r "$tmp/c"
}
machine=origin200
less 'two ways: conflicts' 9999 "$(misses page_colour pool conflict)"
less 'L2-ways=4: none' "$(misses page_colour pool conflict --what=L2-ways=4)" 100
less 'L2-ways=4, LRU: none' "$(misses page_colour pool conflict --what=L2-ways=4,L2-replacement=lru)" 100

# Two threads on two nodes count, 64 and 128 bytes apart. Together they make false sharing as diseases/false_sharing.c does; on lines of their own none.
cat >"$tmp/apart.c" <<'END'
#include "disease.h"
#define TIMES 20000
static volatile long counters[64] __attribute__((aligned(256)));
static int words;
static void count(int me)
{
    for (int i = 0; i < TIMES; i++)
        counters[me * words]++;
}
int main(int n, char **arg)
{
    words = atoi(arg[n - 1]) / 8;
    start(2, count);
    return counters[0] != TIMES || counters[words] != TIMES;
}
END
"$origin" cc -O2 -g -I"$root/tests/guest/diseases" "$tmp/apart.c" -o "$tmp/apart" -lpthread || exit 99
for bytes in 64 128; do
    printf '#!/bin/sh\nexec ./apart %s\n' $bytes >"$tmp/apart$bytes"
    chmod +x "$tmp/apart$bytes"
done
machine=ricotta
less 'lines of 128 bytes: two counters share one' 199 "$(misses apart64 counters false_sharing)"
is 'L2-line=64: they do not' "$(misses apart64 counters false_sharing --what=L2-line=64)" 0
is 'lines of 128 bytes: two others do not share' "$(misses apart128 counters false_sharing)" 0
less 'L2-line=256: they do' 199 "$(misses apart128 counters false_sharing --what=L2-line=256)"

# Independent loads of 2 MB: one miss after the other takes more than four at a time, by far more than a quarter.
cat >"$tmp/stream.c" <<'END'
#include <stdio.h>
#include <sn_roi.h>
static long a[1 << 18];
int main(void)
{
    long sum = 0;
    for (int i = 0; i < 1 << 18; i++)
        a[i] = i;
    sn_roi_begin("stream");
    for (int i = 0; i < 1 << 18; i += 16)
        sum += a[i];
    sn_roi_end();
    return (int)sum;
}
END
"$origin" cc -O2 -g "$tmp/stream.c" -o "$tmp/stream" -lsnpc || exit 99
stream() { # OPTION...: ns of the region
    "$origin" run -m origin200 -s "$tmp" --time=full --regions="$tmp/regions" "$@" -- ./stream 2>/dev/null </dev/null
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["event"] == "end" && $at["region"] == "\"stream\"" { print $at["ns"] }' "$tmp/regions"
}
own=$(stream)
is 'the numbers of the processor itself' "$(stream --what=miss-registers=4,active-list=32)" "$own"
less 'miss-registers=1' "$((own * 5 / 4))" "$(stream --what=miss-registers=1)"
less 'active-list=8 holds two of the four loads' "$own" "$(stream --what=active-list=8)"

# All that has figures says so.
mark='memory=x0.5, hub=x2'
"$origin" profile -m origin200 -s "$tmp" -o "$tmp/p" --what=memory=x0.5,hub=x2 -- ./stream >/dev/null 2>&1 </dev/null
like 'report' "$("$origin" report "$tmp/p")" "^Hypothetical, not validated: $mark$"
"$origin" report --html "$tmp/page.html" "$tmp/p" 2>/dev/null
like 'page' "$(cat "$tmp/page.html")" "\"notes\":\[\"Hypothetical, not validated: $mark\""
like 'report for programs' "$("$origin" report --format=json "$tmp/p" | head -c 200)" "\"hypothetical\":\"$mark\""
marks() { python3 -c 'import csv, sys; print({r["hypothetical"] for r in csv.DictReader(sys.stdin) if r.get("event", "end") == "end"})'; }
is 'report: CSV' "$("$origin" report --format=csv "$tmp/p" | marks)" "{'$mark'}"
"$origin" run -m origin200 -s "$tmp" --until-roi=off --what=memory=x0.5,hub=x2 --regions="$tmp/r.csv" -- ./stream >/dev/null 2>&1 </dev/null
is 'table of regions' "$(marks <"$tmp/r.csv")" "{'$mark'}"
"$origin" run -m origin200 -s "$tmp" --until-roi=off --regions="$tmp/r.csv" -- ./stream >/dev/null 2>&1 </dev/null
is 'table of regions: another machine' "$(head -n 1 "$tmp/r.csv" | sed 's/.*,//')" region
like 'callgrind' "$("$origin" report --format=callgrind "$tmp/p" | head)" "^desc: hypothetical, not validated: $mark$"
"$origin" whatif -m origin200 -s "$tmp" -o "$tmp/w" --what=memory=x0.5 --try 'free a' --json -- ./stream >"$tmp/table" 2>&1 </dev/null
like 'whatif' "$(cat "$tmp/table")" '"hypothetical": "memory=x0.5"'
is 'whatif: its table' "$(sed 's/.*,//' "$tmp/w/whatif.csv")" 'hypothetical
memory=x0.5'
cat >"$tmp/s.toml" <<'END'
[base]
machine = "origin200"
command = "true"
[axes]
what = ["L2=2M", "router=x2,hub=x2"]
END
"$origin" sweep -j 1 -o "$tmp/s" "$tmp/s.toml" >/dev/null 2>&1
is 'sweep' "$(python3 -c '
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print(r["what"], r["status"], r["hypothetical"] or "-")' "$tmp/s/results.csv")" 'L2=2M ok -
router=x2,hub=x2 ok router=x2, hub=x2'

# A description says the same as the option.
sed '/compatible/i \    what = "memory=x0.5", "hub=x2";' "$presets/origin200.dts" >"$tmp/what.dts"
is 'a description: the same machine' "$(traced -m "$tmp/what.dts")" "$(traced -m origin200 --what=memory=x0.5,hub=x2)"

refused() { # NAME VALUE LINE
    run -m origin200 --what="$2" -- true
    is "$1" "$status $err" "2 origin: --what: $3"
}
refused 'unknown key' memroy=x2 'memroy: no such key, the nearest is memory'
refused 'out of range' L2=3M 'L2=3M: SIZE is wanted, 64K to 64M, a power of 2'
refused 'one pointer' directory=limited:1:evict 'directory=limited:1:evict: an owner and the reader that it gives the line to are two sharers'
refused 'contradictory' network=x2,router=x2 'router: another key has changed router already'
refused 'impossible' ack-use=x100 '/: what: ack-use is a part of ack-next, and would be longer'
finish
