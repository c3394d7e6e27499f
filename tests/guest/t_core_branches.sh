#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With --cpu=pipeline: what returns and targets of branches cost, and the events of instructions and branches, by loops that are counted by hand.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O1 -Wall -o "$tmp/returns" "$root/tests/guest/returns.c" && "$origin" cc -O1 -Wall -o "$tmp/core_events" "$root/tests/guest/core_events.c" || exit 99
sed "s|node@n1 { }|node@n1 { cpu@a { cpu-model = \"R12000\"; }; cpu@b { cpu-model = \"R12000\"; }; }|; s|include/ \"|&$root/qemu-origin/machines/|" \
    "$root/qemu-origin/machines/origin200.dts" >"$tmp/r12000.dts"
# takes NAME=CYCLES...: a turn. The timer's interrupts take some more.
takes() {
    for row in "$@"; do
        within "$machine: ${row%=*}" "${row#*=}" "$(printf '%s\n' "$out" | awk -v name="${row%=*}" '$1 == name { print $2 }')" "$(awk "BEGIN { print ${row#*=} * 1.01 + 0.1 }")"
    done
}
for machine in R10000 R12000; do
    case $machine in R10000) description=origin200 ;; *) description=$tmp/r12000.dts ;; esac
    run -m "$description" --cpu=pipeline -s "$tmp" -- './core_events; ./returns 180' </dev/null
    is "$machine: status" "$status $err" '0 '
    # 13 instructions of which one graduates as two; 4 loads, one of them LL and one a prefetch; 3 stores, one of them SC. An R10000 issues all but the
    # NOP, an R12000 counts what it decodes. Event 17 of an R12000 counts prefetches that miss in the L1: these find their line there.
    case $machine in R10000) issued=120000 graduated=140000 ;; *) issued=130000 graduated=0 ;; esac
    for row in 1=$issued 2=40000 3=30000 6=10000 15=140000 17=$graduated 18=40000 19=30000 20=10000 21=20000 24=0; do
        like "$machine: event ${row%=*} of 10000 turns" "$out" "^mixed ${row%=*} ${row#*=} 10000 "
    done
    like "$machine: of two store conditionals one fails" "$out" '^conditional 5 10000 10000 '
    like "$machine: both graduate" "$out" '^conditional 20 20000 10000 '
    like "$machine: two branches a turn" "$out" '^alternate 6 20000 10000 '
    # 16 cycles a turn, 6 misses of the L1 and 2 wrong ways a turn. What interrupts displace is a thousandth at most.
    near() {
        within "$machine: event $2 of $1" $(($3 - $3 / 1000)) "$(printf '%s\n' "$out" | awk -v key="$1 $2" '$1 " " $2 == key { print $3 }')" $(($3 + $3 / 1000))
    }
    near chain 0 160000
    near loads 25 60000
    near loads 27 20000
    near calls 9 60000
    near calls 11 20000
    # A counter that such a branch moves between 1 and 2 is always wrong, one between 0 and 1 every other time. Which it is depends on where the branch is,
    # and who shared its counter.
    like "$machine: branches that are taken every other turn: all or half are predicted wrongly" "$out" '^alternate 24 (10000|5000) 10000 '
    like "$machine: branches that are never taken: none" "$out" '^never 24 0 10000 '
    # A refill for each pair of pages. A refill displaces one of 64 entries at random, among them those of code, data and stack.
    within "$machine: refills of the TLB" 4096 "$(printf '%s\n' "$out" | awk '$1 == "touch" { print $3 }')" $((4096 + 3 * 4096 / 56))
    # Two quadwords of each line. The kernel's interrupts write some back, and what the kernel needs displaces others.
    within "$machine: quadwords written back" 16000 "$(printf '%s\n' "$out" | awk '$1 == "write" { print $3 }')" 16800
    case $machine in
    R10000)
        # There event 17 is of all instructions that graduate, seven a turn.
        like "$machine: event 17 of prefetches" "$out" '^prefetch 17 57344 8192 '
        # A call and a return are two cycles each, as the loop's branch is: a group of four is fetched, and then the target. One return address is remembered, so
        # that all returns but the innermost are wrong: a cycle each for decoding, issuing and resolving.
        takes flat=6 nested=$((6 + 4 + 3)) deep=$((6 + 5 * 4 + 5 * 3)) jumps16=34 jumps64=130
        ;;
    *)
        like "$machine: prefetches that miss in the L1" "$out" '^prefetch 17 8192 8192 '
        # The 256 lines stay there. Interrupts may displace each once.
        within "$machine: prefetches that do not" -256 "$(printf '%s\n' "$out" | awk '$1 == "known" { print $3 }')" 256
        # The target is known: a cycle each. A wrong return takes as long as on the R10000, which is a cycle more on top of less. Four are known of six.
        # Functions lie 64 bytes apart, and have four places in the target cache: four calls do not find theirs. 64 jumps have 32 places.
        takes flat=3 nested=5 deep=$((3 + 5 * 2 + 2 * 4 + 4)) jumps16=17 jumps64=130
        ;;
    esac
done
finish
