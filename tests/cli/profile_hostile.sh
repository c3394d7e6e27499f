#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles that a guest wrote, for the directory may lie in the share: numbers out of range, links and pipes in place of files, and tables that
# make a reader compare each row with each. What is damaged is refused with one line; the rest takes time and memory in proportion to its bytes.
. "$(dirname "$0")/../lib.sh"

# A profile of a machine with two nodes without rows.
base() {
    mkdir -p "$1"
    printf '%s\n' key,value format,1 complete,yes tick_hz,1000000000 time,unloaded nodes,2 merged, >"$1/meta.csv"
    printf '%s\n' key,value command,x comm,x machine,two page_bytes,16384 >"$1/run.csv"
    printf '%s\n' from,to,hops 0,0,0 0,1,1 1,0,1 1,1,0 >"$1/hops.csv"
    printf '%s\n' cpu,node,khz,ticks,insns,busy_ticks,stall_ticks,idle_ticks 0,0,250000,9,9,9,9,9 2,1,250000,9,9,9,9,9 >"$1/cpus.csv"
    printf '%s\n' thread,pid,tid,ppid,mm,comm 2,20,20,1,2,x 3,20,21,1,2,x >"$1/threads.csv"
    echo mm,start,end,offset,path,inode,flags,first_tick,last_tick >"$1/maps.csv"
    echo block,mm,address,bytes,how,thread,pc,path,first_tick,last_tick >"$1/heap.csv"
    echo region,name,parent,begun,ticks >"$1/regions.csv"
    echo cause,kind,tx,cpu,home,hops,thread,region,pc,path,address,bytes,count,backoff,latency_ns,stall_ticks,block,mode >"$1/misses.csv"
    echo part,cpu,thread,region,pc,hops,count,ticks,address,bytes,block,of,at,mode >"$1/stalls.csv"
    echo thread,state,what,call,address,block,path,by,region,cpu,count,ticks >"$1/blocked.csv"
    echo thread,address,block,pc,path,region,cpu,from,hops,count,contended,waited,held >"$1/locks.csv"
}

# A row of misses.csv: CPU THREAD REGION PC ADDRESS
miss() { echo "capacity,load,unowned,$1,1,1,$2,$3,$4,0,$5,1,1,0,800,800,0"; }

# rows N SCRIPT: what the awk script prints for i = 1 to N.
rows() { awk -v n="$1" "BEGIN { for (i = 1; i <= n; i++) { $2 } }"; }
row='printf "capacity,load,unowned,%d,1,1,%d,%d,0x%x,0,0x%x,1,1,0,800,800,0\n",'

# reads NAME DIR ARGS...: the reader succeeds within 10 s of processor time and 400 MB. All profiles here have at most 8 MB, for which it needs 1 s
# and 120 MB; one that compares each row with each needs more than 15 s, one that takes memory for each node of each page 1 GB.
reads() {
    r_name=$1
    shift
    (
        ulimit -t 10
        ulimit -v 400000
        exec "$ORIGIN_PROFILE_REPORT" report "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
    )
    is "$r_name" "$?" 0
}

# refuses NAME DIR LINE: one line on standard error, and nothing else.
refuses() {
    (
        ulimit -v 400000
        exec "$ORIGIN_PROFILE_REPORT" report "$2" </dev/null >"$tmp/out" 2>"$tmp/err"
    )
    is "$1" "$? $(cat "$tmp/out" "$tmp/err")" "1 origin: $3"
}

# --- numbers ---
base "$tmp/p"
reads 'an empty profile' "$tmp/p"
for n in 0 3 -1 0x10000000000000000; do
    base "$tmp/page"
    sed -i "s/^page_bytes,.*/page_bytes,$n/" "$tmp/page/run.csv"
    miss 0 2 0 0x400000 0x10000000 >>"$tmp/page/misses.csv"
    case $n in
    -1) reads 'page_bytes is no number: that of our kernel' "$tmp/page" ;;
    *) refuses "page_bytes,$n" "$tmp/page" "$tmp/page: damaged: run.csv: page_bytes is not a power of two" ;;
    esac
done
for n in 0 x 257 1024 18446744073709551615; do
    base "$tmp/nodes"
    sed -i "s/^nodes,.*/nodes,$n/" "$tmp/nodes/meta.csv"
    case $n in
    0 | x) why='meta.csv has no tick_hz or nodes' ;;
    *) why='meta.csv: more nodes than a machine has' ;;
    esac
    refuses "nodes,$n" "$tmp/nodes" "$tmp/nodes: damaged: $why"
done
base "$tmp/lines"
echo "line,address,home,thread,transactions,events,lost" >"$tmp/lines/followed.csv"
echo "0x100,0x10000000,0,2,1,1,0" >>"$tmp/lines/followed.csv"
echo "line,event" >"$tmp/lines/follow.csv"
reads 'a followed line of which there is no event' "$tmp/lines" --format=page --newest
base "$tmp/stack"
rm "$tmp/stack/threads.csv"
echo '0,0xc000000000000000,0xc000000000010000,0x0,[stack],0,rw-,0,9' >>"$tmp/stack/maps.csv"
miss 0 2 0 0x400000 0xc000000000000100 >>"$tmp/stack/misses.csv"
reads 'a stack of no thread' "$tmp/stack"
like 'a stack of no thread: its name' "$(cat "$tmp/out")" '  data of \[stack\]  capacity=1/'

# --- what is no file ---
for name in meta.csv run.csv cpus.csv threads.csv maps.csv paths.csv heap.csv regions.csv hops.csv misses.csv stalls.csv blocked.csv locks.csv; do
    base "$tmp/odd"
    [ -e "$tmp/odd/$name" ] || : >"$tmp/odd/$name"
    mv "$tmp/odd/$name" "$tmp/secret"
    mkfifo "$tmp/odd/$name"
    exec 9<>"$tmp/odd/$name" # a writer, so that nobody waits for one who opens the pipe
    cat "$tmp/secret" >&9
    refuses "$name is a pipe" "$tmp/odd" "$tmp/odd/$name: not a regular file"
    exec 9>&-
    rm "$tmp/odd/$name"
    ln -s "$tmp/secret" "$tmp/odd/$name"
    refuses "$name is a link" "$tmp/odd" "$tmp/odd/$name: a link stands in its place"
    rm "$tmp/odd/$name"
done
base "$tmp/list"
echo initramfs_list,/dev/zero >>"$tmp/list/run.csv"
reads 'a list that is a device' "$tmp/list"
is 'a list that is a device: said' "$(cat "$tmp/err")" 'origin: /dev/zero: not a regular file'
truncate -s 20000M "$tmp/sparse" # of zeros, which take no room on the disk
base "$tmp/list2"
echo "initramfs_list,$tmp/sparse" >>"$tmp/list2/run.csv"
reads 'a list without an end' "$tmp/list2"
is 'a list without an end: said' "$(cat "$tmp/err")" "origin: $tmp/sparse: File too large"
base "$tmp/hole"
truncate -s 20000M "$tmp/hole/misses.csv"
reads 'a table of zeros' "$tmp/hole"
base "$tmp/image"
mkfifo "$tmp/lib"
echo "share,$tmp" >>"$tmp/image/run.csv"
echo '2,0x10000000,0x10010000,0x0,/share/lib,5,r-x,5,9' >>"$tmp/image/maps.csv"
miss 0 2 0 0x10000100 0x20000000 >>"$tmp/image/misses.csv"
exec 9<>"$tmp/lib"
reads 'a library that is a pipe' "$tmp/image"
exec 9>&-
is 'a library that is a pipe: said' "$(cat "$tmp/err")" "origin: $tmp/lib: not an ELF file"

# --- many rows ---
base "$tmp/threads"
rows 60000 'printf "%d,%d,%d,%d,2,x\n", i + 9, 100 + i, 100 + i, i == n ? 1 : 101 + i' >>"$tmp/threads/threads.csv"
sed -i '/^[23],/d' "$tmp/threads/threads.csv"
reads 'threads whose parents come later' "$tmp/threads"

base "$tmp/maps"
rows 60000 'printf "2,0x%x,0x%x,0x0,/a/%d,0,r-x,0,%d\n", 268435456 + i * 4096, 536870912 + i * 8192, i, i' >>"$tmp/maps/maps.csv"
rows 60000 "$row"' 0, 2, 0, 268435456 + i * 4096, 268435456 + i * 4100' >>"$tmp/maps/misses.csv"
reads 'mappings that overlap' "$tmp/maps"

base "$tmp/blocks"
echo '2,0x10000000,0x60000000,0x0,,0,rwx,0,9' >>"$tmp/blocks/maps.csv"
rows 60000 'printf "%d,2,0x%x,%d,malloc,2,0x0,0,5,9\n", i, 268435456 + i * 64, 1000000 + i' >>"$tmp/blocks/heap.csv"
rows 60000 "$row"' 0, 2, 0, 536870912 + i * 64, 0' >>"$tmp/blocks/misses.csv"
reads 'code in blocks of the heap' "$tmp/blocks"

base "$tmp/regions"
rows 60000 'printf "%d,%s,%d,1,9\n", i, i == 1 ? "solve" : "r", i - 1' >>"$tmp/regions/regions.csv"
rows 50000 "$row"' 0, 2, 60000, 4194304, 268435456' >>"$tmp/regions/misses.csv"
reads 'regions in regions' --region solve "$tmp/regions"
like 'regions in regions: all misses are in the outermost' "$(cat "$tmp/out")" '^ +50000 .* all$'
reads 'regions times misses' --format=page "$tmp/regions"

# Memory is in proportion to the rows, and so is the largest number of one.
base "$tmp/far"
echo 1000000,far,0,1,9 >>"$tmp/far/regions.csv"
miss 0 2 1000000 0x400000 0x10000000 >>"$tmp/far/misses.csv"
reads 'a region with a large number' "$tmp/far"
is 'a region with a large number: it is none' "$("$ORIGIN_PROFILE_REPORT" report --region far "$tmp/far" 2>&1)" "origin: $tmp/far: the profile has no region 'far'"

base "$tmp/pages"
sed -i 's/^nodes,.*/nodes,256/' "$tmp/pages/meta.csv"
rows 80000 "$row"' i % 2 * 2, 2, 0, 4194304, i * 16384' >>"$tmp/pages/misses.csv"
reads 'many pages on many nodes' "$tmp/pages"

base "$tmp/cpus"
rows 80000 'printf "%d,1,250000,9,9,9,9,9\n", i + 1000' >>"$tmp/cpus/cpus.csv"
rows 80000 "$row"' 999999, 2, 0, 4194304, 268435456' >>"$tmp/cpus/misses.csv"
reads 'many processors' "$tmp/cpus"

# An object for each row, and a problem for each object: without stalls nothing is too small for one.
base "$tmp/objects"
rows 60000 'printf "2,0x%x,0x%x,0x0,[a%d],0,rw-,0,9\n", i * 16384, i * 16384 + 16384, i' >>"$tmp/objects/maps.csv"
rows 60000 'printf "conflict,load,unowned,0,1,1,2,0,0x400000,0,0x%x,1,1,0,800,800,0\n", i * 16384' >>"$tmp/objects/misses.csv"
reads 'many objects with problems' "$tmp/objects"
like 'many objects with problems: each of them' "$(cat "$tmp/out")" ': conflict misses$'

# A path that leads in a circle, a wait for each object, and names that are none.
base "$tmp/waits"
echo path,parent,pc >"$tmp/waits/paths.csv"
rows 60000 'printf "%d,%d,0x%x\n", i, i % 60000 + 1, 4194304 + i * 8' >>"$tmp/waits/paths.csv"
rows 60000 'printf "%d,2,0x%x,64,malloc,2,0x%x,0,5,9\n", i, i * 64, i * 8' >>"$tmp/waits/heap.csv"
rows 60000 'printf "2,blocked,futex,futex,0x%x,%d,%d,%d,0,-,1,18446744073709551615\n", i * 64, i, i, i % 4' >>"$tmp/waits/blocked.csv"
echo '3,asleep,love,-1,x,-1,-1,nobody,99,-1,-1,-1' >>"$tmp/waits/blocked.csv"
rows 60000 'printf "2,0x%x,%d,0x%x,%d,0,9,-,-,18446744073709551615,1,18446744073709551615,1\n", i * 64, i, i * 8, i' >>"$tmp/waits/locks.csv"
echo '3,love,-1,-,-1,99,-1,-1,-1,-1,-1,-1,x' >>"$tmp/waits/locks.csv"
reads 'waits on paths without an end' "$tmp/waits"
reads 'waits on paths without an end, as CSV' --format=blocked "$tmp/waits"
is 'waits on paths without an end: each is there' "$(wc -l <"$tmp/out")" 60002

# Numbers that are the same in their lower halves, which is all that GLib's own hash of a number has.
base "$tmp/same"
rows 120000 'printf "%.0f,2,0x10000000,64,malloc,2,0x0,0,5,9\n", i * 4294967296' >>"$tmp/same/heap.csv"
reads 'numbers that agree in their lower halves' "$tmp/same"
# --- a page, where links may have its names ---
echo precious >"$tmp/victim"
mkdir "$tmp/dir"
ln -s "$tmp/victim" "$tmp/page.html.part"
ln -s "$tmp/dir" "$tmp/page.html"
is 'a page: status' "$("$origin" report --html="$tmp/page.html" "$tmp/p" 2>&1; echo $?)" 0
is 'a page: the victim' "$(cat "$tmp/victim")" precious
ok 'a page: no link' test -f "$tmp/page.html" -a ! -L "$tmp/page.html"
is 'a page: nothing behind the link' "$(ls "$tmp/dir")" ''
mkfifo "$tmp/p/machine.dtb"
is 'a page: a pipe in place of the machine' "$("$origin" report --html="$tmp/page.html" "$tmp/p" 2>&1; echo $?)" 0
finish
