#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What instructions take in the guest with --cpu=pipeline: chains and streams of each class (core.c) against the latencies and repeat rates of the
# R10000 User's Manual. The loop around 16 of them hides in their shadow; so each is within 5 per cent and a twentieth of a cycle, which the
# timer's interrupts need.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O1 -Wall -o "$tmp/core" "$root/tests/guest/core.c" || exit 99
# takes CYCLES...: name=cycles of the last run
takes() {
    for row in "$@"; do
        got=$(printf '%s\n' "$out" | awk -v name="${row%=*}" '$1 == name { print $2 }')
        within "$machine: ${row%=*}" "$(awk "BEGIN { print ${row#*=} * 0.95 - 0.05 }")" "${got:-none}" "$(awk "BEGIN { print ${row#*=} * 1.05 + 0.05 }")"
    done
}
for machine in origin200:180 lego-oil:300; do
    run -m "${machine%:*}" --cpu=pipeline -s "$tmp" -- ./core "${machine#*:}" </dev/null
    is "$machine: status" "$status $err" '0 '
    # A division begins when the divider is free, 2 cycles after the result: 14 and 21 cycles in a chain, 35 for the root.
    takes addu=1 sll=1 load=2 mult=6 multu=7 dmult=10 div32=35 div64=67 addd=2 muld=2 madd_addend=2 madd_factor=4 divs=14 divd=21 divd_add=23 \
        sqrtd=35 cvtsw=4 moves=5 llsc=6 two_addu=1 loads=1 stores=1
    # Four a cycle, of 16 or 64 instructions and the loop's three: 5 and 17 cycles. The R10000 loses one more to fetch the branch's target.
    case $machine in
    origin200*) takes nops=0.375 four=1.125 ;;
    *) takes nops=0.3125 four=1.0625 ;;
    esac
    like "$machine: every other turn is predicted wrongly" "$out" '^alternate '
    # Half the predictions are wrong, and each costs the three cycles of decoding, issuing and resolving the branch at least.
    less "$machine: wrong predictions cost more than a cycle and a half" "$(printf '%s\n' "$out" | awk '$1 == "always" { print $2 + 1.5 }')" \
        "$(printf '%s\n' "$out" | awk '$1 == "alternate" { print $2 }')"
done
# Without the pipeline each instruction takes a cycle.
machine=lego-oil:300
run -m lego-oil --cpu=simple -s "$tmp" -- ./core 300 </dev/null
is 'simple: status' "$status $err" '0 '
takes addu=1.19 mult=2.19 div64=2.19 four=4.19
finish
