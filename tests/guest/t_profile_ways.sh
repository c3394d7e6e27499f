#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The type of a block of the heap, as each language tells it (tests/guest/types): a cast and posix_memalign()'s pointer in C, `new T[n]` of C++,
# ALLOCATE of Fortran. The first line is exact but for what the misses cost, and the remedy is in the program's language.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
cp "$root/tests/guest/types/"* "$tmp/share"
at() { echo "$1:$(grep -n -F -m 1 -e "$2" "$tmp/share/$1" | cut -d : -f 1)"; }

# way FILE COMMAND OPTION...: compile it, run it, report on it.
way() {
    name=${1%.*} file=$1 command=$2
    shift 2
    "$origin" "$command" -O2 -g "$@" -o "$tmp/share/$name" "$tmp/share/$file" -lpthread || { echo "Bail out! $file does not compile"; exit 99; }
    "$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p.$name" -- "./$name" >"$tmp/$name.out" 2>&1 </dev/null
    is "$file: runs" "$? $(cat "$tmp/$name.out")" '0 '
    "$origin" report "$tmp/p.$name" >"$tmp/$name.report" 2>/dev/null
    first=$(sed -n '1s/costs\? .* misses, //p' "$tmp/$name.report")
}

way cast.c cc
is 'C, a cast' "$first" "block of malloc() in main (struct cast, $(at cast.c '/* MALLOC */')): false sharing most of it at $(at cast.c '/* CAST */') in count()"
like 'C, the pointer of posix_memalign()' "$(cat "$tmp/cast.report")" "  block of memalign\\(\\) in main \\(struct aligned, $(at cast.c '/* MEMALIGN */')\\): false sharing$"
like 'C, the remedy' "$(cat "$tmp/cast.report")" "aligned\\(128\\)\\)\\); at $(at cast.c '/* ALIGNED */') in "
way new.cpp c++ -std=c++20
like 'C++, new' "$first" "^block of malloc\\(\\) in main \\(struct score, $(at new.cpp '// NEW')\\): false sharing most of it at $(at new.cpp '// COUNT') in count\\(\\)$"
like 'C++, the remedy' "$(cat "$tmp/new.report")" "alignas\\(128\\); at $(at new.cpp '// COUNT') in count\\(\\)$"
way share.f90 fortran -fopenmp
like 'Fortran, ALLOCATE' "$first" "^block of malloc\\(\\) in share \\(struct score, $(at share.f90 '! ALLOCATE')\\): false sharing most of it at $(at share.f90 '! DO') in MAIN__\\._omp_fn\\.0\\(\\)$"
like 'Fortran, the remedy' "$(cat "$tmp/share.report")" "a first dimension of 128 bytes, 16 doubles; at $(at share.f90 '! DO') in MAIN__\\._omp_fn\\.0\\(\\)$"
finish
