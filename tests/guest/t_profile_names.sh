#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each function of a report has a name: of README's command, of a program with threads, of the whole machine since it was switched on.
. "$(dirname "$0")/../lib.sh"

# functions ARGS...: the table of `origin report ARGS` without its head
functions() { "$origin" report "$@" 2>"$tmp/err" | sed '1,/^FUNCTIONS/d;/^$/,$d;/^ *STALL us/d'; }
nameless() { printf '%s\n' "$1" | grep -E ' 0x| \(\)|\(\?\)'; }

# --- README's command ---
"$origin" profile -o "$tmp/p" -- snbench -h 1 -l 3 -l 5 bw-read >"$tmp/out" 2>"$tmp/err" </dev/null
is 'the command runs' "$? $(wc -l <"$tmp/out")" '0 3'
top=$(functions "$tmp/p")
is 'its report has ten functions' "$(printf '%s\n' "$top" | wc -l)" 10
is 'each of them has a name' "$(nameless "$top")" ''
like 'the loops that snbench makes are code of the block that it asked for' "$top" ' \[generated code\] \(block of mmap\(\) in area_make, snbench\) '
like 'the functions of a module' "$top" ' refcnt_hardware \(\[module refcnt\]\) '
all=$(functions --all --top 1000000 "$tmp/p")
is 'each function has a name, of all processes since the machine was switched on' "$(nameless "$all")" ''
like 'what a module does when it is loaded' "$all" ' init_module \(\[module refcnt\]\) '
like 'the vector of TLB refills' "$all" ' \[TLB refill\] \(\[vectors\]\) '
like 'the vector of other exceptions' "$all" ' \[exception\] \(\[vectors\]\) '
like 'the boot PROM' "$all" ' \[boot PROM\] \(\[prom\]\) '
like 'the kernel'"'"'s code in programs' "$all" ' __vdso_clock_gettime \(\[vdso\]\) '

# --- threads ---
mkdir "$tmp/share"
"$origin" cc -O2 -g -o "$tmp/share/radix" "$root/examples/radix.c" -lpthread -lm || { echo 'Bail out! radix.c does not compile'; exit 99; }
"$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/threads" -- ./radix -n 16384 -p 4 >"$tmp/out" 2>"$tmp/err" </dev/null
is 'a program with threads runs' "$?" 0
all=$(functions --top 1000000 "$tmp/threads")
like 'its functions' "$all" ' work \(/share/radix\) '
is 'each function has a name' "$(nameless "$all")" ''
is 'and so it is with --all' "$(nameless "$(functions --all --top 1000000 "$tmp/threads")")" ''
finish
