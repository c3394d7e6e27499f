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
like 'first line: the lock of the address space' "$(head -n 1 "$tmp/kernel")" \
    '^struct mm_struct\.mmap_lock \(slab mm_struct\): true sharing costs [0-9.]+ us, [0-9]+ % of all misses, most of it at [a-z_]+\.[ch]:[0-9]+ in '
# A lock's own functions say nothing of who takes it: the place is the first caller, and the function is behind it.
locks='(queued|_raw|osq|rwsem|down|up)_[a-z_]+\(\)'
like 'first line: who takes the lock, through which function' "$(head -n 1 "$tmp/kernel")" " through $locks\$"
unlike 'first line: the place is no function of a lock' "$(head -n 1 "$tmp/kernel")" " in $locks"
report --kernel --locks= >"$tmp/nolocks"
like '--locks=: what was executed' "$(head -n 1 "$tmp/nolocks")" " in $locks\$"
first=$(sed -n '1s/.* in \([a-z0-9_]*\)() .*/\1/p' "$tmp/kernel")
report --kernel --locks="_raw_:queued_:rwsem_:osq_:up_:down_:$first" >"$tmp/more"
unlike '--locks=: a function that was named is passed over' "$(head -n 1 "$tmp/more")" " in $first\(\)"
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
"$origin" report --html "$tmp/page.html" --kernel "$tmp/p" 2>/dev/null
like 'the page, too' "$(cat "$tmp/page.html")" '"headline":"struct mm_struct\.mmap_lock '
finish
