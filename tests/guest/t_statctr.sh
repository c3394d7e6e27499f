#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Statistics counters: statctr_test.ko's own points with both allocators on 1 to 128 CPUs, the uniprocessor form, loading and unloading.
. "$(dirname "$0")/../lib.sh"

# The test points of /proc/statctr_test become points of this program.
points() { # points PREFIX, TAP on stdin
    while IFS= read -r line; do
        case $line in
        ok\ *) result 0 "$1, ${line#*- }" ;;
        not\ ok\ *) result 1 "$1, ${line#*- }" "$detail" ;;
        '# '*) detail=$line ;;
        1..*) planned=$((planned + ${line#1..})) ;;
        esac
    done
}

# shellcheck disable=SC2016
job='umount /hw; for m in $(cut -d " " -f 1 /proc/modules); do rmmod $m || exit 1; done
    cd /lib/modules/$(uname -r)
    for a in fixed flexible; do
        insmod statctr.ko allocator=$a && insmod statctr_test.ko || exit 1
        cat /proc/statctr_test
        rmmod statctr 2>/dev/null; grep -q "^statctr " /proc/modules || echo "not ok 0 - $a: removed while in use"
        rmmod statctr_test && rmmod statctr || exit 1
    done
    echo MARK
    ! insmod statctr.ko allocator=none 2>/dev/null && dmesg | tail -n 1
    dmesg | grep -E "WARNING|BUG|Oops|Call Trace|detected stall|soft lockup"'
for m in origin200 ricotta stinger; do
    run -m $m --model=off -- "$job" </dev/null
    printf '%s\n' "$out" | sed '/^MARK$/,$d' >"$tmp/points"
    planned=0
    before=$tests
    points "$m" <"$tmp/points"
    is "$m: no point is missing" "$((tests - before))" "$planned"
    like "$m: both allocators ran all" "$planned" '^([5-9][0-9])$'
    is "$m: an unknown allocator is refused, no complaint in the log" "$(printf "%s\n" "$out" | sed "1,/^MARK$/d")" \
        'statctr: there is no allocator "none" in this build'
done

# A uniprocessor kernel's statctr_inc() is the increment of a long.
code() { # code FUNCTION
    "${ORIGIN_CROSS}objdump" -d --no-show-raw-insn --disassemble="$1" "$ORIGIN_MODULES/statctr_test.ko" |
        sed -n "/<$1>:/,/^\$/{s/^ *[0-9a-f]*:\t//p}"
}
is "uniprocessor: statctr_inc is the code of ++" "$(code statctr_up_inc)" "$(code statctr_up_plain)"
like "uniprocessor: a load, an add, a store" "$(code statctr_up_inc)" 'daddiu'
finish
