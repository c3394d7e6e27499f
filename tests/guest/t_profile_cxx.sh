#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# C++ in a profile (tests/guest/worker.cpp): names as in the source, in each format, and what library headers do told of the program's lines.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
source=$root/tests/guest/worker.cpp
"$origin" c++ -O2 -g -pthread -o "$tmp/share/worker" "$source" || { echo 'Bail out! worker.cpp does not compile'; exit 99; }
line() { grep -n -F -m 1 -e "$1" "$source" | cut -d : -f 1; }
run=worker.cpp:$(line '// COUNT') declared=worker.cpp:$(line '// DECLARED')

out=$("$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p" -- './worker 3000' 2>"$tmp/err" </dev/null)
is 'the program runs' "$? $out" '0 '
report() { "$origin" report "$@" "$tmp/p" 2>/dev/null; }
report >"$tmp/text"
is 'first line: the declaration of the vector, the line of the loop, and the library below it' \
    "$(sed -n '1s/costs\? .* misses, //p' "$tmp/text")" \
    "block of malloc() in main (struct atomic<long int>, $declared): false sharing most of it at $run in work::worker<long>::run() through std::__atomic_base<long>::fetch_add(), atomic_base.h:$(
        report --format=csv | grep -o 'atomic_base\.h,[0-9]*' | head -n 1 | cut -d , -f 2 | grep . || sed -n '1s/.*atomic_base\.h://p' "$tmp/text")"
like 'a variable of a name space' "$(cat "$tmp/text")" "  work::table \(struct atomic<long int> \[4\], worker\.cpp:$(line 'table[4]')\): false sharing\$"
like 'how to do it, in C++' "$(cat "$tmp/text")" '  give each thread.s part a line of its own: alignas\(128\); at '"$run"' in work::worker<long>::run\(\)$'
unlike 'no mangled name' "$(report; report --format=csv; report --format=folded; report --format=callgrind; report --format=json)" '_Z[A-Z]'
# The kernel has an object that is declared in a file whose name begins with digits, that of the early console of an 8250.
ok 'json: it is JSON' sh -c "'$origin' report --all --format=json '$tmp/p' | python3 -m json.tool >/dev/null"
like 'folded: inlined functions of the library, below the program' "$(report --format=folded)" \
    '^worker;.*;work::worker<long>::run;std::__atomic_base<long>::fetch_add;\[false_sharing\] [0-9]+$'
like 'callgrind' "$(report --format=callgrind)" '^fn=work::worker<long>::run$'
like 'annotate: by the name in the source' "$("$origin" annotate "$tmp/p" 'work::worker<long>::run' 2>&1)" "fetch_add\(1\); // COUNT"
like 'without libraries: the header' "$(report --libraries= | head -n 1)" 'most of it at atomic_base\.h:[0-9]+ in std::__atomic_base<long>::fetch_add\(\)$'
like 'another library: the program itself, so the innermost line stays' "$(report --libraries="/usr:$root/tests" | head -n 1)" 'most of it at atomic_base\.h:[0-9]+ in '
finish
