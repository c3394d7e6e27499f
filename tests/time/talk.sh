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
    before='bounce 0 ticket 0 barrier 0 fetchop 0 101 interrupt 0 dma4 0'
    for step in 1 2 4 12 28 60; do
        lines=$(talk $time 1000 2 $step)
        like "$time, CPU 0 and $step: ends" "$lines" ' end $'
        for kind in bounce ticket barrier interrupt dma4; do
            ns=$(of $kind)
            last=$(lines=$before; of $kind)
            less "$time, CPU 0 and $step: $kind takes longer than one hop nearer" "$last" "$ns"
        done
        share=$(lines=$before; of fetchop 2)
        less "$time, CPU 0 and $step: of fetch-and-ops the farther CPU gets less than one hop nearer" "$(of fetchop 2)" "$share"
        # At the end the other one has its counts already.
        [ $step = 1 ] || within "$time, CPU 0 and $step: the farther CPU does not get two counts in a row" 0 "$(of fetchop 4)" 1
        is "$time, CPU 0 and $step: data of a block transfer come before the interrupt" "$(of dma4-wrong) $(of dma64-wrong)" "0 0"
        # A line occupies memory for 20.6 Hub cycles of 10 ns (BTE_GAP, timing.h.inc).
        less "$time, CPU 0 and $step: 60 lines more take their time" "$((60 * 206))" "$(($(of dma64) - $(of dma4)))"
        is "$time, CPU 0 and $step: a ticket lock is fair" "$(of ticket 2) $(of ticket 3)" "100 100"
        before=$lines
        [ $time = unloaded ] && echo "$step $(of bounce)" >>"$tmp/unloaded" && continue
        ns=$(awk -v s=$step '$1 == s { print $2 }' "$tmp/unloaded")
        # Waiting for buses can only add to it. tests/unit/test_order.c holds the engine to 10 %.
        within "CPU 0 and $step: a flag in both models" "$ns" "$(of bounce)" "$((ns * 11 / 10))"
        [ $step = 4 ] && hop=$((-$(of bounce)))
        [ $step != 12 ] || hop=$((hop + $(of bounce)))
    done
done

for time in unloaded full; do
    lines=$(talk $time 1000 4 1 mixed=1)
    is "$time, 4 CPUs: no store of a byte gets lost beside an SC" "$(of mixed-wrong)" 0
done

# Any quantum. 150 of 200 rounds are timed by a clock of 800 ns steps, so a time may differ by 6 ns. Of eight processors that contend, others may
# come first, which moves the time of a round by less than a hop.
for cpus in 2 8; do
    lines=$(talk full 1000 $cpus 4)
    for quantum in 10 300; do
        [ "$cpus $quantum" = '8 10' ] && continue # takes long
        other=$(talk full $quantum $cpus 4)
        for kind in bounce ticket barrier fetchop interrupt dma4 dma64; do
            ns=$(of $kind) apart=6
            case $cpus$kind in 8ticket | 8dma64) apart=$((hop - 1)) ;; esac
            within "$cpus CPUs, quantum $quantum: $kind" "$((ns - apart))" "$(lines=$other; of $kind)" "$((ns + apart))"
        done
        wrong="$(of dma4-wrong) $(of dma64-wrong) $(lines=$other; echo "$(of dma4-wrong)" "$(of dma64-wrong)")"
        is "$cpus CPUs, quantum $quantum: the data of a block transfer and its end come together" "$wrong" "0 0 0 0"
        is "$cpus CPUs, quantum $quantum: the least share of fetch-and-ops" "$(lines=$other; of fetchop 2)" "$(of fetchop 2)"
    done
done
finish
