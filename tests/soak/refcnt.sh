#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference counters counted by hand, the cases that take long: 19 bits across overflow, and 64 nodes.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -o "$tmp/refcnt" "$root/tests/guest/refcnt.c" || exit 99
counts() { # counts MACHINE POINTS "HOME READER ROUNDS L2MB [WHAT NODE]"...
    m=$1 points=$2 job=
    shift 2
    for args; do job="$job ./refcnt $args;"; done
    run -m "$m" -s "$tmp" -- "$job grep quiet /hw/stat; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace'; true" </dev/null
    is "${m##*/}: status" "$status" 0
    is "${m##*/}: all points" "$(printf '%s\n' "$out" | grep -c '^ok')" "$points"
    unlike "${m##*/}: nothing else" "$out" '^not ok|^#|^Bail|WARNING|BUG|Oops'
}
# 8300 rounds of 32 lines are more than 262143 requests.
counts "$root/tests/soak/premium.dts" 6 "0 1 8300 1"
counts stinger 12 "63 0 4 8" "5 62 8 8 process 31"
finish
