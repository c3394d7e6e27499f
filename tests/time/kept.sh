#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine that is kept when a program asks for its job, while all its processors race for memory (time.c): it ends as if it had not been kept, and so
# does each machine that begins there. A guest seldom has two busy processors at that point; here all are.
. "$(dirname "$0")/../lib.sh"

bare "$tmp/time.elf" "$root/tests/time/time.c"
echo job >"$tmp/job"
mkfifo "$tmp/told" # QEMU reads back the byte that it wrote
exec 7<>"$tmp/told"

# machine NAME ARGS PROPERTIES: what the program prints, and its status
machine() {
    timeout 120 "$ORIGIN_QEMU" -M "origin2000,description=$ORIGIN_MACHINES/$1.dtb,job=5$3" -icount "mode=mp,quantum=1000,threads=$threads" -nodefaults \
        -display none -no-reboot -rtc base=2026-01-01,clock=vm -seed 1 -serial stdio -kernel "$tmp/time.elf" -append "race khz=180000 job=1 $2" \
        5<"$tmp/job" 6<>"$tmp/kept" </dev/null 2>&1
    echo "status $?"
}

for model in off on; do
    for args in 'cpus=2 rounds=100000' 'cpus=16 rounds=30000'; do
        name=ricotta
        [ "${args%% *}" != cpus=2 ] || name=origin200
        for threads in 1 3; do
            what="$name, model=$model, $threads threads"
            rm -f "$tmp/kept"
            cold=$(machine $name "$args" ",model=$model")
            is "$what: the race ends" "$(echo "$cold" | tail -n 2)" '# end
status 0'
            is "$what: a machine that is kept goes on as one that is not" "$(machine $name "$args" ",model=$model,keep=6,keep-told=7")" "$cold"
            ok "$what: there is a file" test -s "$tmp/kept"
            is "$what: a machine that begins there ends like it" "$(machine $name "$args" ",model=$model,restore=6")" "$cold"
        done
    done
done
finish
