#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The model's side of a profile: the guest does the same with and without it, its sums are the ground truth's, and programs with one known
# disease show it, at the right address and with the right count.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/guest

mkdir "$tmp/share" "$tmp/profile"
"$origin" cc -O1 -g -pthread -o "$tmp/share/disease" "$here/disease.c" || { echo 'Bail out! disease.c does not compile'; exit 99; }
cp "$root/build/kernel.layout" "$tmp/kernel"

address() { "${ORIGIN_CROSS:-mips64-linux-gnuabi64-}nm" "$tmp/share/disease" | awk -v n="$1" '$3 == n { print "0x" $1 }'; }
profiled() { # profiled MACHINE OPTIONS COMMAND: sets $out; the profile is in $tmp/profile
    rm -f "$tmp"/profile/*
    # shellcheck disable=SC2086
    run -m "$1" -s "$tmp/share" $2 --qemu-arg=-machine \
        --qemu-arg="profile=$tmp/profile,profile-kernel=$tmp/kernel${ROWS:+,profile-rows=$ROWS}" -- "$3"
}
count() { python3 "$here/profile.py" "$tmp/profile" count disease "$@"; } # count CAUSE KIND FROM BYTES [TRANSACTION]
laws() {
    while read -r status line; do
        [ "$status" = ok ]
        result $? "$1: ${line#ok }"
    done < <(python3 "$here/profile.py" "$tmp/profile" laws)
}

# --- nothing changes ---
job='cat /proc/interrupts /proc/stat; ./disease false 500; cat /proc/uptime'
traced=(--qemu-arg=-trace --qemu-arg=origin_transaction --qemu-arg=-D)
for with in out in; do
    mkfifo "$tmp/$with.fifo"
    md5sum <"$tmp/$with.fifo" >"$tmp/$with.trace" &
    if [ $with = in ]; then
        profiled origin200 "--time=full ${traced[*]} --qemu-arg=$tmp/$with.fifo" "$job"
    else
        run -m origin200 --time=full -s "$tmp/share" "${traced[@]}" --qemu-arg="$tmp/$with.fifo" -- "$job"
    fi
    wait
    cp "$tmp/out" "$tmp/$with.out"
done
like 'the program ran' "$out" '^500 500 0$'
ok 'output and time are the same with a profile' cmp "$tmp/in.out" "$tmp/out.out"
ok 'transactions are the same, at the same times' cmp "$tmp/in.trace" "$tmp/out.trace"
laws 'full time'

# --- diseases ---
n=2000
job="./disease false $n; ./disease true $n; ./disease moved 256"
profiled ricotta '' "$job"
like 'the diseased programs ran' "$out" "^$n $n 0\$"
laws 'unloaded time'
counter=$(address counter)
# Each of 2n additions can find the line taken by its load and by its store. While one thread runs alone, because the other one has not begun or
# has ended, nobody takes it: for how long depends on where the scheduler puts them. A tenth is left for the test that the disease shows at all.
read -r all other <<<"$(for kind in load store; do count false_sharing "$kind" "$counter" 8; done | awk '{ all += $1; others += $2 } END { print all, others }')"
within 'false sharing is seen at the counters' $((n / 10)) "$all" $((4 * n))
within 'the threads take turns' -2 $((all - 2 * other)) 2
read -r loads other <<<"$(count false_sharing load "$counter" 8)"
within 'also those that load' -1 $((loads - 2 * other)) 1
# The line comes to the first thread for the last time by a load or by a store, whichever of the two lost it.
is 'true sharing is that of the first thread, which prints the second one'"'"'s counter' \
    "$(for kind in load store; do count true_sharing "$kind" "$counter" 8; done | awk '{ all += $1; others += $2 } END { print all, others }')" '1 0'
# Each round, the second thread reads a word that was just written, and the first one writes it again. The first round's read is of another cause:
# `first`, unless the second thread's processor has had the frame before, for another purpose.
word=$(printf '0x%x' $(($(address talk) + 136)))
read -r all other <<<"$(count true_sharing load "$word" 8)"
within 'true sharing of a word, once a round, but perhaps the first' $((n - 1)) "$all" "$n"
is 'and it is the second thread'"'"'s' "$other" "$all"
is 'which reads it once a round' "$(count any load "$word" 8)" "$n $n"
# The first thread's cache may give up the line for another one, such as a clock tick's. Then its store misses, and invalidates the second one's copy.
is 'the first thread takes what the second has read, once a round' \
    "$({ count upgrade_lost store "$word" 8; count conflict store "$word" 8 invalidate; } | awk '{ all += $1; others += $2 } END { print all, others }')" \
    "$((n - 1)) 0"
# 256 lines are two pages, which move. The second thread reads each line twice. If its processor has had a line of a new frame before, for another
# purpose, the cause is another one; the guest is small, and most of its frames were never used.
moved=$(printf '%s\n' "$out" | grep '^0x')
read -r all other <<<"$(count moved load "$moved" 32768)"
within 'lines whose page was moved are misses of that cause, once each, and most of them' 129 "$all" 256
is 'and the second thread makes them' "$other" "$all"
is 'which reads each line twice' "$(count any load "$moved" 32768)" '512 512'
paths=$(python3 "$here/profile.py" "$tmp/profile" maps disease)
like 'the program is mapped where the guest has it' "$paths" '^/share/disease$'
like 'so is its library' "$paths" '/libc\.so\.6$'
like 'and its stack' "$paths" '^\[stack\]$'

# --- fewer rows than keys: what each processor did stays exact ---
cp "$tmp/profile/cpus.csv" "$tmp/cpus.csv"
ROWS=50000 profiled ricotta '' "$job"
like 'rows were merged' "$(cat "$tmp/profile/meta.csv")" '^merged,"some addresses to blocks'
ok 'the time of each processor has the same parts' cmp "$tmp/cpus.csv" "$tmp/profile/cpus.csv"
laws 'merged rows'

# --- a layout of another kernel ---
sed 's/^symbol.init_task .*/symbol.init_task 0xa800000000100000/' "$tmp/kernel" >"$tmp/other"
mkdir "$tmp/unused"
run -m origin200 --qemu-arg=-machine --qemu-arg="profile=$tmp/unused,profile-kernel=$tmp/other" -- true
is 'the layout of another kernel is refused' "$status" 125
like 'in one line' "$err" 'profile-kernel: it is not of the kernel that runs'
# What a layout says of a struct page leads nobody out of it.
sed 's/^page\.compound_head .*/page.compound_head 0x100000000000/' "$tmp/kernel" >"$tmp/other"
run -m origin200 --qemu-arg=-machine --qemu-arg="profile=$tmp/unused,profile-kernel=$tmp/other" -- true
is 'a layout whose members lie outside of their structures: the run ends, its objects have no names' \
    "$status $(grep -c '\[slab' "$tmp/unused/heap.csv")" '0 0'
"$origin" profile -m origin200 -k "$root/build/kernel/vmlinux" -o "$tmp/unused" -- true >/dev/null 2>&1 </dev/null
is 'the layout of a kernel given with -k is read from itself' "$? $(cat "$tmp/unused/kernel.layout")" "0 $(cat "$tmp/kernel")"
finish
