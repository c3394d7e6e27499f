#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's objects: threads of one process that map, touch and unmap memory (tests/guest/page_fault.c) contend for the lock of their
# address space, and the report names it. Members of slabs, struct pages, per-CPU variables and uses of pages have names.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
cp "$root/tests/guest/page_fault.c" "$tmp/share"
"$origin" cc -O2 -g -o "$tmp/share/page_fault" "$tmp/share/page_fault.c" -lpthread || { echo 'Bail out! page_fault.c does not compile'; exit 99; }
out=$("$origin" profile -m ricotta -s "$tmp/share" -o "$tmp/p" -- './page_fault 16 6' 2>"$tmp/err" </dev/null)
is 'the program runs' "$? $out" '0 done'
report() { "$origin" report "$@" "$tmp/p" 2>/dev/null; }
report --kernel --top 1000 >"$tmp/kernel"
report --top 1000 >"$tmp/text"
# Threads of a process take turns with its address space, and most are blocked for that: the lock has the name that most misses there have.
like 'first line: the lock of the address space' "$(head -n 1 "$tmp/kernel")" \
    "^a lock of the kernel in [a-z_]+\(\), probably struct mm_struct\.mmap_lock \(slab mm_struct\): [0-9]+ threads are blocked for [0-9.]+ us, [0-9]+ % of all threads' time, most of it at page_fault\.c:[0-9]+ in work\(\)\$"
like 'a remedy for callers and for the kernel' "$(sed -n '/^PROBLEMS/,/^$/p' "$tmp/kernel")" '^ *call the kernel less often for it, .*; in the kernel: per-CPU data, or a lock for each part; at [a-z0-9]+\.[ch]:[0-9]+ in [a-z0-9_]+\(\)$'
# Half of the misses and more are sharing in the kernel: whoever has not asked for it is told.
like 'without --kernel: where the problems are' "$(sed -n '/^$/q;p' "$tmp/text")" "^Sharing of the kernel's objects costs ([5-9][0-9]|100) % of all misses: --kernel tells their problems\$"
unlike 'with --kernel: not told' "$(sed -n '/^$/q;p' "$tmp/kernel")" "^Sharing of the kernel's objects"
unlike 'without --kernel its objects are no problem' "$(sed -n '/^PROBLEMS/,/^$/p' "$tmp/text")" 'slab|struct [a-z_]+\.|runqueues'
for name in 'struct mm_struct\.rss_stat\[\]\.[a-z]+ \(slab mm_struct\)' 'struct vm_area_struct\.vm_start \(slab vm_area_struct\)' 'struct task_struct\.usage \(slab task_struct\)' \
    'struct page\.lru' 'struct ptdesc\.ptl' 'struct pglist_data\.node_zones\[\]\.lock' 'runqueues \(struct rq, core\.c:[0-9]+\)' 'kernel stack' 'page table' 'slab kmalloc-[0-9]+k?'; do
    like "an object: ${name//\\/}" "$(sed -n '/^OBJECTS/,/^$/p' "$tmp/text")" "^ *[0-9.]+ +[0-9]+  $name  [a-z]"
done
like 'a line by member' "$(sed -n '/^CONTENDED/,/^$/p' "$tmp/text")" ' struct mm_struct\.mmap_lock\.count\.counter at '
report --types --top 1000 >"$tmp/types"
like 'types: offset and size of a member' "$(cat "$tmp/types")" ' +[0-9]+ +8  \.mmap_lock\.count\.counter +.*true_sharing='
# What has no name is little: less than a tenth of what the kernel's objects cost.
unnamed=$(sed -n 's/^ *\([0-9.]*\) .*  memory of the kernel  .*/\1/p' "$tmp/text")
all=$(sed -n '/^CAUSES/,/^$/s/^ *[0-9]* *\([0-9.]*\) .*  all$/\1/p' "$tmp/text")
ok 'memory without a name costs less than a tenth' test -n "$all" -a "$(echo "${unnamed:-0} * 10 < $all" | bc)" = 1
# Threads that open and close files spin for the lock of their table of files: first line with and without --kernel.
"$origin" cc -O2 -g -o "$tmp/share/open_close" "$root/tests/guest/open_close.c" -lpthread || { echo 'Bail out! open_close.c does not compile'; exit 99; }
out=$("$origin" profile -m ricotta -s "$tmp/share" -o "$tmp/files" -- './open_close 16 60' 2>"$tmp/err" </dev/null)
is 'open_close runs' "$? $out" '0 done'
"$origin" report --kernel --top 1000 "$tmp/files" >"$tmp/files.kernel" 2>/dev/null
"$origin" report "$tmp/files" >"$tmp/files.text" 2>/dev/null
locks='(queued|_raw)_[a-z_]+\(\)'
like 'first line: time in locks of the kernel, which lock, and the line of the .c file that takes it' "$(head -n 1 "$tmp/files.kernel")" \
    "^struct files_struct\.file_lock \(slab files_cache\): 17 threads spend [0-9.]+ us in locks of the kernel, [0-9]+ % of all threads' time, most of it at file\.c:[0-9]+ in (alloc_fd|file_close_fd|fd_install)\(\) through $locks\$"
# A lock's own functions say nothing of who takes it: the place is the first caller, and the function is behind it.
files() { "$origin" report --kernel "$@" "$tmp/files" 2>/dev/null; }
files --locks= >"$tmp/nolocks"
like 'no lock is known: the first line without --kernel is the first problem of the kernel' "$("$origin" report --locks= "$tmp/files" 2>/dev/null | head -n 1)" \
    '^struct files_struct\.file_lock \(slab files_cache\): (true|false) sharing costs [0-9.]+ us, [0-9]+ % of all misses, most of it at '
like '--locks=: what was executed' "$(sed -n '/^PROBLEMS/,/^$/p' "$tmp/nolocks" | grep -A1 ' struct files_struct\.file_lock ')" "; at [a-z]+\.c:[0-9]+ in $locks\$"
first=$(sed -n '1s/.* in \([a-z0-9_]*\)() .*/\1/p' "$tmp/files.kernel")
files --locks="_raw_:queued_:$first" >"$tmp/more"
unlike '--locks=: a function that was named is passed over' "$(head -n 1 "$tmp/more")" " in $first\(\)"
is 'the same without --kernel' "$(head -n 1 "$tmp/files.text")" "$(head -n 1 "$tmp/files.kernel")"
spent=$(sed -n '1s/.* spend \([0-9.]*\) us .*/\1/p' "$tmp/files.kernel")
sum=$(sed -n '/^CYCLES of the command.s functions/,/^$/p' "$tmp/files.kernel" |
    sed -n -E 's/^ *([0-9.]+) +[0-9]+ +[0-9.]+ +(queued|_raw|osq|(__)?mutex|rwsem|(__)?down|(__)?up|(__)?rt_mutex|(__)?percpu_(down|up))_[^ ]* \(\[kernel\]\).*/\1/p' | paste -s -d + | bc)
ok "time in locks ($spent): that of their functions ($sum), but for interrupts" test "$(echo "$spent <= $sum && $spent > $sum * 0.95" | bc)" = 1
like "a lock's parts cannot be apart" "$(grep -A1 'files_struct\.file_lock .*: false sharing$' "$tmp/files.kernel")" '^ *call the kernel less often for it, .* or a lock for each part; at file\.c:'
like 'where processors queue for a lock' "$(grep -A1 ' qnodes .*: false sharing$' "$tmp/files.kernel")" '^ *processors queue here '
# Of what the compiler split from a function (NAME.isra.0) the header's line is all that is known.
unlike 'no problem is at a header of the kernel' "$(sed -n '/^PROBLEMS/,/^$/p' "$tmp/files.kernel" | grep -v '\.isra\.')" 'at (spinlock|atomic|mmap_lock)\.h:'
"$origin" report --html "$tmp/page.html" --kernel "$tmp/p" 2>/dev/null
like 'the page, too' "$(cat "$tmp/page.html")" '"headline":"a lock of the kernel in [a-z_]+\(\), probably struct mm_struct\.mmap_lock '
finish
