#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What QEMU has translated before, and how it links blocks, changes nothing that a guest sees: the same times, interrupts, switches and free memory with
# linked blocks, with blocks that all return to QEMU's loop, and with a buffer of translated code that is emptied again and again. All runs boot.
. "$(dirname "$0")/../lib.sh"
job='for i in 1 2 3 4 5 6 7 8; do seq 500 | md5sum & done; wait
cat /proc/uptime /proc/stat /proc/interrupts; free; dmesg'
# same SIZE OPTION...: an eighth of the buffer of SIZE MiB has room for the code of a quantum
same() {
    local size=$1 how
    shift
    run --boot=cold "$@" -- "$job"
    is "${*:-default options}: status" "$status" 0
    like "${*:-default options}: the job ran" "$out" 'ctxt'
    cp "$tmp/out" "$tmp/usual"
    for how in '-d nochain' "-accel tcg,tb-size=$size"; do
        run --boot=cold "$@" --qemu-arg="${how% *}" --qemu-arg="${how#* }" -- "$job"
        ok "${*:-default options}, $how: the same output" cmp "$tmp/usual" "$tmp/out"
    done
}
same 10
# The longest quantum: a vCPU executes more instructions in it than QEMU's counter holds
same 16 --quantum=1000000
# Without the model nothing orders what processors do in a quantum
same 10 --cpu=pipeline --until-roi=off
finish
