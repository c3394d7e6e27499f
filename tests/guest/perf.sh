#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf of the image `tools`: counts of a loop whose instructions are known, samples and call chains of an FFT, each processor's own events.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/loop.c" <<'END'
#include <stdlib.h>
/* The given number of rounds of four instructions, one of them a load. */
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1, v = 0, x = 1;

    __asm__ volatile(".set push; .set noreorder; 1: ld %1, 0(%2); daddiu %0, %0, -1; bnez %0, 1b; nop; .set pop"
                     : "+r"(n), "+r"(v) : "r"(&x) : "memory");
    return (int)v - 1; /* 0 */
}
END
"$origin" cc -O2 -o "$tmp/loop" "$tmp/loop.c" && "$origin" cc -O2 -g -o "$tmp/fft" "$root/examples/fft.c" -lpthread -lm ||
    { echo 'Bail out! a program does not compile'; exit 99; }

job='perf list pmu 2>&1 | grep "r10k/" >list.$1
    for n in 1000000 2000000; do perf stat -x, -e r10k/load_$2/u,instructions:u ./loop $n 2>stat.$1.$n; echo "loop: $?"; done
    perf stat -x, -e cycles:u,instructions:u,r10k/l2d_miss/u ./fft -m 12 -p 2 2>stat.fft | sed "s/,.*;/;/"
    perf record -q -g -e cycles:u -c 20000 ./fft -m 12 -p 2 2>&1 | sed "s/,.*;/;/"
    perf report --stdio --no-inline --no-children --percent-limit 1 >report.$1 2>report.err; echo "report: $? $(wc -l <report.err)"'
run -m ricotta -s "$tmp" --image tools -- sh -c "$job" sh r10000 issued
is 'perf stat, record and report of an FFT: what they print' "$(printf '%s\n' "$out" | sed 's/largest error .*/right/')" 'loop: 0
loop: 0
fft: 4096 points; right
fft: 4096 points; right
report: 0 0'
like 'perf list: the R10000'"'"'s events' "$(cat "$tmp/list.r10000")" 'r10k/insn_issued/'
# Loads issued need the first of an R10000's two counters; named first, they get it, and no event has to take turns.
# more PROCESSOR EVENT: what a million rounds more add. The dynamic linker and main() do the same in both runs.
more() { awk -F, -v e="$2" '$3 ~ e { n[FILENAME] = $1 } END { print n[ARGV[2]] - n[ARGV[1]] }' "$tmp/stat.$1.1000000" "$tmp/stat.$1.2000000"; }
is 'perf stat: loads of a million rounds' "$(more r10000 load_issued)" 1000000
# A branch whose delay slot misses the TLB is executed again. What the TLB holds when the program begins is not the same in both runs.
within 'perf stat: their instructions' 3999990 "$(more r10000 instructions)" 4000010
is 'perf stat of the FFT: three counts' "$(awk -F, '$1 > 1000 { printf "%s ", $3 }' "$tmp/stat.fft")" 'cycles:u instructions:u r10k/l2d_miss/u '
like 'perf report: a function of the FFT' "$(cat "$tmp/report.r10000")" '^ +[0-9.]+% +fft +fft +\[\.\] transform'
like 'and its callers' "$(cat "$tmp/report.r10000")" '^ +(\| +)*team_thread$'
run -m bwana -s "$tmp" --image tools -- sh -c "$job; perf stat -e r10k/insn_issued/ true 2>refused; echo refused: \$?" sh r12000 decoded
like 'perf list: the R12000 has events of its own' "$(cat "$tmp/list.r12000")" 'r10k/insn_decoded/'
unlike 'and none of the R10000 alone' "$(cat "$tmp/list.r12000")" 'insn_issued'
like 'which it refuses by name' "$(cat "$tmp/refused")" "r10k/insn_issued/'?$"
like 'with a status' "$out" '^refused: [1-9]'
is 'the R12000 counts the loop, too' "$(more r12000 load_decoded)" 1000000
finish
