#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A law: what snrun counts in user mode and what the profile of the same run has are the same, thread by thread.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O2 -g "$root/examples/radix.c" -o "$tmp/share/radix" -lpthread -lm || { echo 'Bail out! radix.c does not compile'; exit 99; }
"$origin" cc -O2 "$root/tests/guest/fetched.c" -o "$tmp/share/fetched" -lpthread || { echo 'Bail out! fetched.c does not compile'; exit 99; }
job='snrun -q -u -o a --rsmisss --rsimiss ./radix -n 8192 -p 4 -c
snrun -q -u -o b --rstshrd --rpimiss sh -c "./radix -n 4096 -p 2; exec ./radix -n 4096 -p 3"
snrun -q -o k --rsmisss ./radix -n 4096 -p 2
snrun -q -u -o f --rsimiss ./fetched'
out=$("$origin" profile -m ricotta -s "$tmp/share" -o "$tmp/p" -- "$job" 2>"$tmp/err" </dev/null)
is 'the programs run' "$? $(grep -c 'in order' <<<"$out")" '0 4'
cd "$tmp/share" || exit 99
"$origin" report "$tmp/p" a.snp.* b.snp.* 2>"$tmp/err" >"$tmp/report"
is 'report' "$? $(grep -c 'COUNTERS of snrun' "$tmp/report")" '0 1'
sed -n '/^COUNTERS/,$p' "$tmp/report" | grep -E 'rsmisss|rsimiss|rstshrd' >"$tmp/rows"
# 4 threads with two counters each; with one: a shell, its child, radix' 2 threads in it, and 3 of the radix that the shell becomes
is 'a row for each thread and counter that a profile has' "$(sed -E 's/.* (rs[a-z]+) .*/\1/; s/.*(rst[a-z]+) .*/\1/' "$tmp/rows" | sort | uniq -c | tr -s ' \n' ' ')" ' 4 rsimiss 4 rsmisss 7 rstshrd '
# An image that replaces another one has estimates, for the events of both are there for a moment: the other one counts its beginning.
is 'snrun counts what the profile has' "$(awk '$1 !~ /~/ && $2 != "-" && $1 != $2' "$tmp/rows")" ''
is 'of images that others replace the profile does not know it' "$(awk '$2 == "-" { print $4 }' "$tmp/rows" | cut -d : -f 1 | tr '\n' ' ')" 'sh sh '
is 'and there is something to count' "$(awk '$3 == "rsmisss" && $1 > 100' "$tmp/rows" | wc -l) $(awk '$3 == "rstshrd" && $1 == $2 && $1 > 10' "$tmp/rows" | wc -l)" '4 3'
is 'what a profile does not have is said' "$(tail -n 1 "$tmp/report")" 'Counters of snrun that a profile does not have: rpimiss'
"$origin" report "$tmp/p" f.snp.* 2>/dev/null | awk '$3 == "rsimiss"' >"$tmp/fetched"
is 'both count the fetch of the first instruction that is counted' "$(awk '$1 == $2' "$tmp/fetched" | wc -l) $(awk '$1 != $2' "$tmp/fetched")" '7 '
"$origin" report "$tmp/p" k.snp.e* 2>/dev/null | sed -n '/^COUNTERS/,$p' >"$tmp/kernel"
is 'with the kernel they begin at different times' "$(awk '$3 == "rsmisss" { print $2 }' "$tmp/kernel")
$(tail -n 1 "$tmp/kernel")" '-
  -: snrun counted the kernel, too, in which the two do not begin at the same time: snrun -u'
refused() { # refused NAME STATUS MESSAGE ARG...: origin report ARG... says so and ends with that status
    name=$1 want="$2 $3"
    shift 3
    "$origin" report "$@" >/dev/null 2>err
    is "$name" "$? $(tail -n 1 err)" "$want"
}
refused 'no trace' 1 'origin: radix: not a trace file' "$tmp/p" radix
"$origin" run -m ricotta -s "$tmp/share" -- 'sleep 3; snrun -q -u -o other --rsmisss ./radix -n 4096 -p 1' >/dev/null 2>&1 </dev/null
set -- other.snp.e*
refused 'another run' 1 "origin: $1: its thread is not in the profile: a trace of another run" "$tmp/p" "$1"
refused 'a trace of nodes' 1 'origin: a: no thread is in this trace; those of the threads of snrun end in .snp.*' "$tmp/p" a
refused 'a part of a profile' 2 "origin: counters are shown for a whole profile and as text only: '$1' (origin report --help)" --region x "$tmp/p" "$1"
finish
