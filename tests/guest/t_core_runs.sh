#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# threads: 1: two runs of its own say how many
# What a run may ask for, with --cpu=pipeline: host threads, a checkpoint, futures, a profile, an image's perf, a debugger. None of them changes the
# machine, and the sums are those of the clock.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/work.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sn_roi.h>
int main(void)
{
    volatile char *p = malloc(4 << 20);
    double sum = 0;
    int n = 0;
    puts("start");
    fflush(stdout);
    sn_roi_begin("work");
    for (int i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4u << 20; j += 64) {
            n += p[j]++;
            sum += n / (sum + 1.0);
        }
    sn_roi_end();
    printf("%d %.6f\n", n, sum);
    return 0;
}
END
# Rounds of four instructions, which an R10000 issues in a cycle; the loop's branch is taken, and costs it another.
cat >"$tmp/loop.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1, v = 0, x = 1;

    __asm__ volatile(".set push; .set noreorder; b 1f; nop; .align 6; 1: ld %1, 0(%2); daddiu %0, %0, -1; bnez %0, 1b; nop; .set pop"
                     : "+r"(n), "+r"(v) : "r"(&x) : "memory");
    return (int)v - 1; /* 0 */
}
END
mkdir "$tmp/share" "$tmp/saved"
"$origin" cc -O2 -o "$tmp/share/work" "$tmp/work.c" -lsnpc && "$origin" cc -O2 -o "$tmp/share/loop" "$tmp/loop.c" || exit 99
cp "$tmp/share/"* "$tmp/saved"
job='./work; cat /proc/uptime /proc/interrupts'
with=(-m origin200 --cpu=pipeline --time=full)

run "${with[@]}" -s "$tmp/share" --regions="$tmp/1.csv" -- "$job"
is 'a run: status' "$status $(sed -n 1p "$tmp/out")" '0 start'
cp "$tmp/out" "$tmp/1"
run "${with[@]}" -s "$tmp/share" --regions="$tmp/3.csv" --threads=3 -- "$job"
is 'on three host threads: the same output' "$out" "$(cat "$tmp/1")"
is 'and the same region, to the nanosecond' "$(cat "$tmp/3.csv")" "$(cat "$tmp/1.csv")"

for time in unloaded full; do
    options=(-m origin200 --cpu=pipeline --time=$time)
    cp -r "$tmp/saved" "$tmp/saved.$time"
    run "${options[@]}" -s "$tmp/share" --regions="$tmp/whole.csv" -- "$job"
    cp "$tmp/out" "$tmp/whole"
    run "${options[@]}" -s "$tmp/saved.$time" --save "$tmp/ckpt.$time" --roi=work -- "$job"
    cp "$tmp/out" "$tmp/first"
    run --restore "$tmp/ckpt.$time" -s "$tmp/new.$time" --regions="$tmp/rest.csv"
    is "a checkpoint, $time: the two outputs together" "$(cat "$tmp/first"; echo "$out")" "$(cat "$tmp/whole")"
    is "a checkpoint, $time: the region ends at the same nanosecond" "$(grep ,end, "$tmp/rest.csv")" "$(grep ,end, "$tmp/whole.csv")"
done

run "${with[@]}" -s "$tmp/share" --split="$tmp/split" --roi=work --future plain --future other --set time=unloaded -- "$job"
is 'futures: one without settings is the run that never split' "$status $(cat "$tmp/split/plain/stdout")" "0 $(cat "$tmp/1")"
is 'another time model: the same result' "$(sed -n 2p "$tmp/split/other/stdout")" "$(sed -n 2p "$tmp/1")"

# A block of a profile has one call more. If it did without that call lose what its misses take, the two would differ.
"$origin" profile "${with[@]}" -s "$tmp/share" -o "$tmp/profile" -- "$job" >"$tmp/out" 2>"$tmp/err" </dev/null
is 'a profile: status and the same output' "$? $(cat "$tmp/out")" "0 $(cat "$tmp/1")"
is 'each clock is the sum of its parts' "$(awk -F, 'NR > 1 { print $4 - $6 - $7 - $8 }' "$tmp/profile/cpus.csv" | tr '\n' ' ')" '0 0 '
# Four are issued in a cycle, so no instruction takes less than a quarter.
is 'and has a quarter of a cycle for each instruction at least' "$(awk -F, '/^tick_hz/ { hz = $2 }
    FILENAME ~ /cpus/ && $3 + 0 { n += $6 * 4 < $5 * (hz / $3 / 1000) } END { print n + 0 }' "$tmp/profile/meta.csv" "$tmp/profile/cpus.csv")" 0
like 'a report' "$("$origin" report "$tmp/profile" 2>&1)" '^CAUSES'

# more EVENT: what a million rounds more add. The timer's interrupts and the TLB's refills are in the kernel. The first run of all brings the programs
# into memory.
run -m origin200 --cpu=pipeline -s "$tmp/share" --image tools -- 'perf stat -x, -e cycles:u ./loop 1 2>/dev/null; for n in 1000000 2000000; do
    perf stat -x, -e cycles:u,instructions:u ./loop $n 2>stat.$n; perf stat -x, -e r10k/load_issued/u,r10k/branch_mispredict/u ./loop $n 2>>stat.$n; done
    perf record -q -e cycles:u -c 20000 ./loop 2000000; perf report --stdio 2>/dev/null | grep -v "^#"'
is 'perf: status' "$status" 0
more() { awk -F, -v e="$1" '$3 ~ e { n[FILENAME] = $1 } END { print n[ARGV[2]] - n[ARGV[1]] }' "$tmp/share/stat.1000000" "$tmp/share/stat.2000000"; }
# A branch whose delay slot misses the TLB is executed again; other lines of the L1 are used. So a ten thousandth, and two per cent of the time.
within 'perf stat: instructions of a million rounds' 3999600 "$(more instructions)" 4000400
within 'their cycles: two a round' 1960000 "$(more cycles)" 2040000
is 'perf report: the loop' "$(printf '%s\n' "$out" | awk '/main$/ { print ($1 + 0 > 80), $2 }')" '1 loop'

# A debugger stops at a tick, and the machine is the same each time.
for i in 1 2; do
    timeout 200 "$origin" gdb --kernel --batch -m origin200 --cpu=pipeline --break-at=300000000 --ex continue --ex tick --ex 'p jiffies_64' \
        --ex stepi --ex 'info registers' -- sleep 1 </dev/null 2>&1 | tr -d '\r' >"$tmp/stop$i"
done
is 'gdb: --break-at stops at that tick' "$(grep -x '[0-9][0-9]*' "$tmp/stop1")" 300000000
ok 'twice in the same state' cmp "$tmp/stop1" "$tmp/stop2"

cat >"$tmp/table.toml" <<'END'
[base]
machine = "origin200"
command = "snroi work echo count: 7"
[axes]
cpu = ["simple", "pipeline"]
[metrics]
count = 'count: ([0-9]+)'
END
"$origin" sweep "$tmp/table.toml" -o "$tmp/sweep" >"$tmp/out" 2>&1
is 'a sweep with both' "$? $(cut -d, -f1 "$tmp/sweep/results.csv" | sort -u | wc -l)" '0 3' || cat "$tmp/out"
run -m origin200 --cpu=fast -- true
is 'another processor: refused' "$status $err" "2 origin: --cpu is simple or pipeline, not 'fast' (origin --help)"
# Blocks that processors share have one schedule.
sed "s|node@n1 { }|node@n1 { cpu@a { }; cpu@b { cpu-model = \"R12000\"; }; }|; s|include/ \"|&$root/qemu-origin/machines/|" \
    "$root/qemu-origin/machines/origin200.dts" >"$tmp/mixed.dts"
run -m "$tmp/mixed.dts" --cpu=pipeline -- true
is 'processors of both kinds: refused' "$status $(printf '%s\n' "$err" | grep -c 'cpu=pipeline: the machine has R10000 and R12000 processors, and can have one kind$')" '125 1'
run -m "$tmp/mixed.dts" -- echo runs
is 'by default an instruction takes a cycle there' "$status $out $err" \
    '0 runs origin: origin200 has R10000 and R12000 processors, so an instruction takes a cycle (--cpu=simple)'
finish
