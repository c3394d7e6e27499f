#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks of the heap by allocation site, call paths, regions of interest: tests/guest/blocks.c makes each of them a known number of misses.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O1 -g -pthread -o "$tmp/share/blocks" "$root/tests/guest/blocks.c" -lsnpc || { echo 'Bail out! blocks.c does not compile'; exit 99; }

n=400
out=$("$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p" -- "./blocks $n; snroi script sh -c './blocks three; true'" 2>"$tmp/err" </dev/null)
is 'the program runs' "$? $out" "0 $((4 * n * (n - 1) / 2))"
while read -r status line; do
    [ "$status" = ok ]
    result $? "laws: ${line#ok }"
done < <(python3 "$root/tests/guest/profile.py" "$tmp/p" laws)
"$origin" report --format=csv "$tmp/p" >"$tmp/csv" 2>"$tmp/err"
# heard FUNCTION [REGION]: misses of hear() for true sharing, on words of blocks that FUNCTION asked for, in that region
heard() {
    python3 - "$tmp" "$@" <<'END'
import csv, sys
tmp, function = sys.argv[1:3]
name = {r["region"]: r["name"] for r in csv.DictReader(open(f"{tmp}/p/regions.csv"))}
print(sum(int(r["count"]) for r in csv.DictReader(open(f"{tmp}/csv"))
          if r["cause"] == "true_sharing" and r["function"] == "hear" and r["object"].endswith(f"in {function}")
          and r["place"] == "struct talk.word" and name.get(r["region"], "-") == (sys.argv[3:] or [name.get(r["region"], "-")])[0]))
END
}
is 'a block of malloc: true sharing of its word, once a round' "$(heard first_block one)" "$n"
is 'a block of calloc, where that one was' "$(heard second_block two)" "$n"
is 'a block of posix_memalign, outside of regions' "$(heard third_block -)" "$n"
is 'a block of realloc' "$(heard changed_block -)" "$n"
is 'the kinds of blocks' "$(cut -d, -f5 "$tmp/p/heap.csv" | sort -u | grep -c -x -e malloc -e calloc -e memalign -e realloc -e mmap)" 5
like 'where a block was asked for' "$(grep 'in first_block' "$tmp/csv")" 'blocks\.c:[0-9]+'

# --- regions ---
is 'regions: names, in which one, how often' "$(sed 1d "$tmp/p/regions.csv" | cut -d, -f1-4 | tr '\n' ' ')" '1,one,0,1 2,two,1,1 3,script,0,1 4,three,3,1 '
ok 'a region in another one is shorter' test "$(awk -F, '$2 == "one" { one = $5 } $2 == "two" { two = $5 } END { print (two > 0 && two < one) }' "$tmp/p/regions.csv")" = 1
total() { "$origin" report --region "$1" "$tmp/p" 2>/dev/null | sed -n 's/^ *\([0-9]*\) .* all$/\1/p'; }
ok 'a region has what is in it' test "$(total one)" -gt "$(total two)"
ok 'children of snroi are in its region' test "$(total script)" -gt "$(total three)"
out=$("$origin" run -m origin200 -s "$tmp/share" -- 'snroi x sh -c "exit 3"; echo $?; snroi x; echo $?; snroi x /nowhere; echo $?' 2>&1 </dev/null)
is 'snroi: statuses, refusals' "$out" "3
snroi: no COMMAND (see snroi --help)
2
snroi: /nowhere: No such file or directory
127"

# --- call paths ---
"$origin" report --format=folded "$tmp/p" >"$tmp/folded" 2>/dev/null
like 'the path of a thread' "$(cat "$tmp/folded")" '^blocks;.*;listener;listen_to;hear;\[true_sharing\] [0-9]+$'
like 'the path of what the kernel does for a program' "$(cat "$tmp/folded")" '^blocks;.*;main;.*;tlb_do_page_fault_[01];.* [0-9]+$'
unlike 'no path has a call that is over' "$(cat "$tmp/folded")" ';hear;hear;|;listen_to;listen_to;|first_block;.*hear;'
callgrind=$("$origin" report --format=callgrind "$tmp/p" 2>/dev/null | awk '
    /^fn=/ { fn = substr($0, 4) } /^cfn=/ { callee = substr($0, 5) } /^calls=/ { call = 1; next }
    /^[0-9]/ { if (call && fn == "listen_to" && callee == "hear") inclusive += $2
               if (fn == "hear") self += $2 # itself, and the kernel where it interrupted hear()
               call = 0 }
    END { print (self > 0 && self == inclusive) }')
is 'callgrind: what hear() costs is in its call' "$callgrind" 1
finish
