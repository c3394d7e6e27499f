#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counting by address: data_range's experiment, threads with ranges of their own, errors.
. "$(dirname "$0")/../lib.sh"

"$origin" cc -O2 -Wall -Wextra -o "$tmp/range" "$root/tests/guest/range.c" -lsnpc -lpthread || exit 99

points() {
    printf '%s\n' "$out" | sed -n 's/^ok - //p' >"$tmp/good"
    while read -r name; do
        result 0 "$1: $name"
    done <"$tmp/good"
    unlike "$1: no point fails" "$out" '^not ok|^Bail out'
    like "$1: ends" "$out" '^1\.\.[1-9]'
}

run -m origin200 --range-monitor -s "$tmp" -- 'data_range >data; echo $? >status; ./range'
is "range: exit status" "$status" 0
points range
is "data_range: exit status" "$(cat "$tmp/status")" 0
like "data_range: all counts" "$(cat "$tmp/data")" '^All counts are as the addresses say'
is "data_range: loads of the pointers" "$(grep -c 'loads: 32768 (of neighbours: 0)' "$tmp/data")" 3
is "data_range: nine ranges" "$(grep -c 'Actual End Address' "$tmp/data")" 9

# An instruction whose miss waits for other processors starts again. It must count only once.
run -m origin200 --time=full --range-monitor -- '(while :; do ls -lR /proc/sys /sys/class; done >/dev/null 2>&1) & data_range'
is "others at work: exit status" "$status" 0
like "others at work: all counts" "$out" '^All counts are as the addresses say'

run -m origin200 -s "$tmp" -- './range none; data_range; echo "status $?"; data_range x; echo "status $?"'
points "no monitor"
like "data_range says so" "$err" 'data_range: the processors have no range monitor'
like "and fails" "$out" '^status 1'
like "operands are refused" "$err" "data_range: unexpected argument 'x'"
like "with status 2" "$out" '^status 2'

finish
