#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What programs that people write bring (tests/guest/fields): a container of their own, headers below a relative -I, functions that headers inline, long template
# arguments, OpenMP's library, a file that is mapped. The report names their own lines.
. "$(dirname "$0")/../lib.sh"
cp -r "$root/tests/guest/fields" "$tmp/share"
mkdir "$tmp/share/src"
mv "$tmp/share/fields.cpp" "$tmp/share/src"
head -c 100000 /dev/zero | tr '\0' 'a' >"$tmp/share/data"
(cd "$tmp/share/src" && "$origin" c++ -O2 -g -fopenmp -I../include -o ../fields fields.cpp) || { echo 'Bail out! fields.cpp does not compile'; exit 99; }
line() { echo "${1##*/}:$(grep -n -F -m 1 -e "$2" "$tmp/share/$1" | cut -d : -f 1)"; }
add=$(line include/field.h '// ADD') declared=$(line src/fields.cpp '// DECLARED')

out=$("$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p" -- ./fields 2>"$tmp/err" </dev/null)
is 'the program runs' "$? $out" '0 9700000 20001 20001'
report() { "$origin" report "$@" "$tmp/p" 2>"$tmp/err"; }
report --top=40 >"$tmp/text"
is 'a file that is mapped as data is no program' "$(grep data "$tmp/err")" ''
is 'the declaration of the container, the line of the header' "$(sed -n '1s/costs\? .* misses, //p' "$tmp/text")" \
    "block of malloc() in main (long int, $declared): false sharing most of it at $add in main._omp_fn.0()"
is "the remedy in the program's language, and the function" "$(sed -n '/^PROBLEMS/,/^$/s/.*\(alignas\)/\1/p' "$tmp/text" | head -n 1)" "alignas(128); at $add in main._omp_fn.0()"
like 'the path names the constructors' "$(cat "$tmp/text")" "allocated by operator new .* < field<long>::field \\(field.h:[0-9]+\\) < .*main \\($declared\\)"
like "memory of OpenMP's library" "$(report --format=csv)" ",block of [a-z]+\\(\\) by libgomp\\.so\\.1 in main,$(line src/fields.cpp '// PARALLEL'),"
like 'the file that is mapped' "$(report --format=csv)" ',"?mmap\(\) of /share/data in mapped<\.\.\.>::sum"?,'"$(line src/fields.cpp '// MMAP'),"
like 'long template arguments are left out in text' "$(sed -n '/^FUNCTIONS/,/^$/p' "$tmp/text")" ' mapped<\.\.\.>::sum \(/share/fields\) '
unlike 'and only there' "$(report --format=folded)" 'mapped<\.\.\.>'
for name in 'mapped<...>::sum' "$(report --format=csv | grep -o 'mapped<std[^"]*>::sum' | head -n 1)"; do
    like "annotate $name" "$("$origin" annotate "$tmp/p" "$name" 2>&1)" '// SUM$'
done
like 'source of a header below a relative -I' "$("$origin" annotate "$tmp/p" main._omp_fn.0 2>&1)" '// ADD$'
finish
