#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin gdb --kernel: breakpoints, a step on one CPU of many, watchpoints in delay slots, ticks that come again. What lies beside a program is not run.
. "$(dirname "$0")/../lib.sh"
. "$root/build/env"

# kernel OPTIONS... : what gdb says
kernel() {
    timeout 200 "$origin" gdb --kernel --batch "$@" </dev/null 2>&1 | tr -d '\r'
}

# do_timer() ends with a jump whose delay slot stores jiffies_64. Its last instructions:
said=$(gdb-multiarch --batch -ex 'disassemble do_timer' "$root/build/kernel/vmlinux" 2>/dev/null)
like 'do_timer stores jiffies_64 in a delay slot' "$(printf '%s\n' "$said" | tail -n 2 | head -n 1)" 'sd[[:space:]]'
out=$(kernel -m ricotta --ex 'hbreak start_kernel' --ex continue --ex delete --ex 'watch jiffies_64' --ex continue --ex continue --ex continue \
    --ex 'delete' --ex 'watch total_forks' --ex continue --ex continue --ex tick --ex delete --ex continue -- 'echo the machine goes on')
like 'a breakpoint with its line' "$out" 'hit Breakpoint 1, start_kernel \(\) at .*main\.c:[0-9]+'
is 'a watchpoint that a delay slot hits: three times' "$(printf '%s\n' "$out" | awk '/watchpoint 2: jiffies_64/ { on = 1 }
    on && /^Old value/ { old = $4 } on && /^New value/ { n += $4 == old + 1; on = 0 } END { print n }')" 3
is 'and one on a CPU that others wait for' "$(printf '%s\n' "$out" | grep -c 'hit Hardware watchpoint 3: total_forks')" 2
like 'the machine is not lost' "$out" '^the machine goes on$'
tick=$(printf '%s\n' "$out" | grep -x '[0-9][0-9]*' | tail -n 1)
within 'tick says when' 1000000 "$tick" 1000000000000

# Two later runs stop there, in the same state, on one thread of the host and on three. The machine ends with gdb, soon after it is let go, so its command prints nothing.
for i in 1 3; do
    kernel -m ricotta --threads=$i "--break-at=$tick" --ex continue --ex tick --ex 'p jiffies_64' --ex 'p total_forks' --ex 'info registers' -- true >"$tmp/stop$i"
done
is '--break-at stops at that tick' "$(grep -x '[0-9][0-9]*' "$tmp/stop1")" "$tick"
ok 'twice in the same state' cmp "$tmp/stop1" "$tmp/stop3"

# Threads of a program on sixteen processors come to a barrier: each thread that sleeps there stops the machine at the same tick, and with the same registers, on one
# thread of the host and on three.
"$origin" cc -O2 -pthread -o "$tmp/kernels" "$root/tests/bench/kernels.c" -lm || { echo 'Bail out! kernels.c does not compile'; exit 99; }
for i in 1 3; do
    kernel -m ricotta -s "$tmp" --threads=$i --ex 'hbreak futex_wait' --ex 'ignore 1 11' --ex continue --ex tick --ex 'p $_thread' --ex 'info registers' \
        --ex continue --ex tick --ex 'p $_thread' --ex 'info registers' --ex delete --ex continue -- './kernels fft; cat /proc/stat' >"$tmp/busy$i"
done
is 'a busy program: two stops of two processors' "$(grep -c 'hit Breakpoint 1, futex_wait' "$tmp/busy1") $(grep '^\$[12] = ' "$tmp/busy1" | cut -d' ' -f3 | sort -u | wc -l)" '2 2'
ok 'the same on one thread and on three, and so is what it prints' cmp "$tmp/busy1" "$tmp/busy3"
like 'which is all of it' "$(cat "$tmp/busy1")" '^ctxt [0-9]+$'

# A thread on CPU 40 of arctic reaches a function of the kernel, steps there, and goes on.
out=$(kernel -m arctic --model=off --ex 'hbreak version_proc_show' --ex continue --ex 'p $_thread' --ex 'x/i $pc' --ex stepi --ex stepi --ex 'x/i $pc' \
    --ex 'info threads' --ex delete --ex continue -- taskset -c 40 cat /proc/version)
like 'arctic: CPU 40 is at the breakpoint' "$out" '^\$1 = 41$'
is 'arctic: it steps' "$(printf '%s\n' "$out" | grep -c '^=> ')" 2
like 'arctic: there are 64 CPUs' "$out" '^ +64 +Thread'
like 'arctic: and goes on' "$out" '^Linux version'

# A directory with scripts that gdb would run by itself, and a program with one inside. None of them runs.
mkdir "$tmp/foreign"
printf 'int main(void) { return 0; }\n' >"$tmp/foreign/a.c"
"$origin" cc -g -o "$tmp/foreign/a" "$tmp/foreign/a.c"
printf 'shell echo .gdbinit >>%s/ran\n' "$tmp" | tee "$tmp/foreign/.gdbinit" >"$tmp/foreign/a-gdb.gdb"
printf 'open("%s/ran", "w")\n' "$tmp" >"$tmp/foreign/a-gdb.py"
printf '\004x\nopen("%s/ran", "w")\n\000' "$tmp" >"$tmp/section"
"${ORIGIN_CROSS}objcopy" --add-section .debug_gdb_scripts="$tmp/section" --set-section-flags .debug_gdb_scripts=readonly,data "$tmp/foreign/a"
out=$(cd "$tmp/foreign" && timeout 200 "$origin" gdb --batch -m origin200 --ex 'break main' --ex continue --ex 'info line' --ex delete --ex continue -- a </dev/null 2>&1)
like 'a program is debugged' "$out" 'Breakpoint 1, main \(\) at .*a\.c:1'
ok 'and no script beside it or in it runs' test ! -e "$tmp/ran"

"$origin" gdb >"$tmp/out" 2>&1
is 'without a program: refused' "$? $(cat "$tmp/out")" '2 origin: gdb wants a program, or --kernel (origin --help)'
finish
