#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors that talk to each other (talk.c) on arctic: flags, locks, a barrier, fetch-and-op, interrupts and block transfers follow the
# distances, in both time models, at any quantum. docs/fidelity/talk.md has the figures.
. "$(dirname "$0")/../lib.sh"
bare "$tmp/talk.elf" "$root/tests/time/talk.c"

# talk TIME QUANTUM CPUS STEP [OPTION]: its lines, one after the other, and its status
talk() {
    timeout 120 "$ORIGIN_QEMU" -M "origin2000,description=$ORIGIN_MACHINES/arctic.dtb,model=on,time=$1" -icount "mode=mp,quantum=$2" \
        -nodefaults -display none -no-reboot -rtc base=2026-01-01,clock=vm -seed 1 -serial stdio -kernel "$tmp/talk.elf" \
        -append "cpus=$3 step=$4 rounds=200 home=0 khz=300000 $5" </dev/null 2>&1 | tr -d '#\r' | tr '\n' ' '
}
# of KIND [FIELD]: a figure of $lines
of() {
    echo "$lines" | awk -v k="$1" -v f="${2:-1}" '{ for (i = 1; i < NF; i++) if ($i == k) print $(i + f) }'
}

# CPU 0 and one 0 to 5 hops away: each time is longer than that of the distance before, and the models agree on what one access at a time
# takes. Locks overlap stores with what follows, so there the models differ.
for time in unloaded full; do
    before='bounce 1 ticket 1 barrier 1 fetchop 1 101 interrupt 1 dma4 1'
    for step in 1 2 4 12 28 60; do
        lines=$(talk $time 1000 2 $step)
        like "$time, CPU 0 and $step: ends" "$lines" ' end $'
        for kind in bounce ticket barrier interrupt dma4; do
            ns=$(of $kind)
            last=$(lines=$before; of $kind)
            within "$time, CPU 0 and $step: $kind takes longer than one hop nearer" "$((${last:-0} + 1))" "$ns" 20000
        done
        share=$(lines=$before; of fetchop 2)
        within "$time, CPU 0 and $step: of fetch-and-ops the farther CPU gets less than one hop nearer" 20 "$(of fetchop 2)" "$((share - 1))"
        [ $step = 1 ] || within "$time, CPU 0 and $step: the farther CPU does not get two counts in a row" 0 "$(of fetchop 4)" 9
        is "$time, CPU 0 and $step: data of a block transfer come before the interrupt" "$(of dma4-wrong) $(of dma64-wrong)" "0 0"
        within "$time, CPU 0 and $step: 60 lines more take their time" "$((60 * 128 * 1000 / 780))" "$(($(of dma64) - $(of dma4)))" 40000
        is "$time, CPU 0 and $step: a ticket lock is fair" "$(of ticket 2) $(of ticket 3)" "100 100"
        before=$lines
        [ $time = unloaded ] && echo "$step $(of bounce)" >>"$tmp/unloaded" && continue
        ns=$(awk -v s=$step '$1 == s { print $2 }' "$tmp/unloaded")
        within "CPU 0 and $step: a flag in both models" "$((ns * 9 / 10))" "$(of bounce)" "$((ns * 11 / 10))"
    done
done

for time in unloaded full; do
    lines=$(talk $time 1000 4 1 mixed=1)
    is "$time, 4 CPUs: no store of a byte gets lost beside an SC" "$(of mixed-wrong)" 0
done

# Any quantum: two processors, and eight that contend.
for cpus in 2 8; do
    lines=$(talk full 1000 $cpus 4)
    for quantum in 10 300; do
        [ "$cpus $quantum" = '8 10' ] && continue # takes long
        other=$(talk full $quantum $cpus 4)
        for kind in bounce ticket barrier fetchop interrupt dma4 dma64; do
            ns=$(of $kind)
            within "$cpus CPUs, quantum $quantum: $kind" "$((ns * 97 / 100))" "$(lines=$other; of $kind)" "$((ns * 103 / 100))"
        done
        wrong="$(of dma4-wrong) $(of dma64-wrong) $(lines=$other; echo "$(of dma4-wrong)" "$(of dma64-wrong)")"
        is "$cpus CPUs, quantum $quantum: the data of a block transfer and its end come together" "$wrong" "0 0 0 0"
        share=$(of fetchop 2)
        within "$cpus CPUs, quantum $quantum: the least share of fetch-and-ops" "$((share - 2))" "$(lines=$other; of fetchop 2)" "$((share + 2))"
    done
done
finish
