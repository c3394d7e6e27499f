#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks of the heap by type and member (tests/guest/members.c): types from the source, wrappers, call paths, `origin report --types`.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
cp "$root/tests/guest/members.c" "$root/tests/guest/members.h" "$tmp/share"
source=$tmp/share/members.c
"$origin" cc -O2 -g -pthread -o "$tmp/share/members" "$source" || { echo 'Bail out! members.c does not compile'; exit 99; }
at() { echo "$1:$(grep -n -F -m 1 -e "$2" "$tmp/share/$1" | cut -d : -f 1)"; }
sums=$(at members.c '/* SUMS */') odd=$(at members.c '/* ODD */') values=$(at members.c '/* VALUES */') longs=$(at members.c '/* LONGS */')
made=$(at members.h 'malloc(n)')

out=$("$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p" -- './members 1000' 2>"$tmp/err" </dev/null)
is 'the program runs' "$? $out" '0 2000 2000'
report() { "$origin" report "$@" "$tmp/p" 2>/dev/null; }
report >"$tmp/text"
# Of two blocks that cost about as much, either may be the first.
like 'first line: the type of the pointer, and the caller of the wrapper' "$(head -n 1 "$tmp/text")" \
    "^block of (calloc\(\) in main \(sums, $sums\)|malloc\(\) in odd_new.* \(struct odd, $made\)): false sharing costs .* at members\.c:[0-9]+ in count\(\)$"
like 'the same in the table' "$(cat "$tmp/text")" "  block of calloc\(\) in main \(sums, $sums\): false sharing"
like 'the call path of the allocation' "$(cat "$tmp/text")" "^ *allocated by checked \($(at members.h 'calloc(n')\) < main \($sums\)( <|$)"
like 'a line by member' "$(cat "$tmp/text")" '  store .* false_sharing sums\.S[XY] at members\.c:'
like 'what a function returns with a type is no wrapper' "$(cat "$tmp/text")" "block of malloc\(\) in odd_new.* \(struct odd, $made\): false sharing"
like 'a wrapper by name' "$(report --wrappers=other:odd_new)" "  block of malloc\(\) in main \(struct odd, $odd\): false sharing"
objects=$(report --top 1000 | sed -n '/^OBJECTS/,/^$/p')
like 'a pointer that is assigned, the first of a line' "$objects" "block of malloc\(\) in main \(double, $values\)"
like 'the second of the line' "$objects" "block of calloc\(\) in main \(double, $values\)"
like 'the size, behind a wrapper' "$objects" "block of malloc\(\) in main \(long int, $longs\)"

report --types --top 1000 >"$tmp/types"
like 'a structure: its size and objects' "$(cat "$tmp/types")" "  sums, 24 bytes, .*: block of calloc\(\) in main \(sums, $sums\)$"
like 'a member: offset, size, causes' "$(cat "$tmp/types")" ' 16      8  \.SY +.*false_sharing=[0-9]+/'
like 'elements of several threads' "$(cat "$tmp/types")" '^ *apart: each element on lines of its own, for different threads use them$'
like 'members of several threads' "$(cat "$tmp/types")" '^ *apart: \.left \| \.right$'
like 'a line of the layout' "$(cat "$tmp/types")" '^ *------ line 1$'
all=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { n += $at["count"] } END { print n }' <(report --format=csv | sed 's/"[^"]*"/x/g'))
is 'the types add up to all misses' "$(sed -n '/no miss/d; s/^ *[0-9.]* *\([0-9][0-9]*\)  [^ ].*/\1/p' "$tmp/types" | awk '{ n += $1; last = $1 } END { print n - last, last }')" "$all $all"
is 'members add up to their type' "$(awk '/  sums, 24 bytes/ { want = $2; on = 1; next } /no miss/ { next } on && /^ *[0-9.]+ +[0-9]+  +[0-9(]/ { n += $2; next } on && /apart|^ *[0-9.]+ +[0-9]+  [^ ]/ { on = 0 } END { print n - want }' "$tmp/types")" 0
report --types --top 1 >"$tmp/short"
is 'with --top the rest is in one row' "$(sed -n '/no miss/d; s/^ *[0-9.]* *\([0-9][0-9]*\)  [^ ].*/\1/p' "$tmp/short" | awk '{ n += $1; last = $1 } END { print n - last, last }')" "$all $all"
touch -d 'now + 1 hour' "$source"
like 'an object without its source' "$(report)" '  block of calloc\(\) in .*: false sharing'
unlike 'source that is newer than the program tells no type' "$(report)" '\(sums, '
unlike 'nor a member' "$(report)" ' sums\.S'
finish
