#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Machine time: a bare-metal program (time.c) on machines of 1 to 128
# processors, also with a busy monitor; a guest that hangs; stop and continue;
# reset; errors of the option.
# alone: it measures seconds of the host
. "$(dirname "$0")/../lib.sh"
here=$root/tests/time

bare "$tmp/time.elf" "$here/time.c"

# machine NAME QUANTUM ARGS [QEMU-ARGS...]: run the program
machine() {
    m_name=$1 m_quantum=$2 m_args=$3
    shift 3
    timeout 120 "$ORIGIN_QEMU" -M "origin2000,description=$ORIGIN_MACHINES/$m_name.dtb,model=off" \
        -icount "mode=mp,quantum=$m_quantum" -nodefaults -display none -no-reboot \
        -rtc base=2026-01-01,clock=vm -seed 1 -serial stdio -kernel "$tmp/time.elf" \
        -append "$m_args" "$@" </dev/null
}

# qmp N COMMAND...: leaves the answers in $tmp/answers
qmp() {
    q_socket=$tmp/qmp$1
    shift
    python3 "$here/commands.py" "$q_socket" "${q_seconds:-20}" "$@" >"$tmp/answers"
}

# clocks MACHINE CPUS KHZ QUANTUM
clocks() {
    c_start=$(seconds)
    machine "$1" "$4" "clocks cpus=$2 khz=$3" >"$tmp/out" 2>&1
    c_status=$?
    c_end=$(seconds)
    bare_points "$1, quantum $4" "$tmp/out"
    is "$1, quantum $4: ends" "$ended $c_status" "yes 0"
    # The run includes 60 machine seconds of idling.
    within "$1, quantum $4: seconds of host time" 0 "$(echo "$c_end - $c_start" | bc)" 30
}

clocks origin200 2 180000 1000
clocks ricotta 16 180000 1000
clocks ricotta 16 180000 200
clocks arctic 64 300000 1000
clocks stinger 128 300000 1000

# Determinism
machine ricotta 1000 "race cpus=16 khz=180000 rounds=300000" >"$tmp/first" 2>&1
is "the race ends" "$(tail -n 1 "$tmp/first")" "# end"
machine ricotta 1000 "race cpus=16 khz=180000 rounds=300000" >"$tmp/second" 2>&1
ok "the race ends the same way twice" cmp -s "$tmp/first" "$tmp/second"
machine ricotta 700 "race cpus=16 khz=180000 rounds=300000" >"$tmp/other" 2>&1
is "the race ends with another quantum, too" "$(tail -n 1 "$tmp/other")" "# end"
# If it ended in the same way, the race would not show the order of processors.
ok "and in another way" sh -c "! cmp -s $tmp/first $tmp/other"

machine ricotta 1000 "race cpus=16 khz=180000 rounds=300000" -S -qmp "unix:$tmp/qmp1,server=on,wait=off" \
    >"$tmp/busy" 2>&1 &
qemu=$!
qmp 1 query-status cont
like "-S: waits" "$(cat "$tmp/answers")" '"running": false'
# The machine may end just before a question: do not wait long for its socket.
questions=0 q_seconds=2
while kill -0 "$qemu" 2>/dev/null && [ "$questions" -lt 200 ] &&
    qmp 1 "hmp=info registers -a" query-status "hmp=info qtree" 2>/dev/null; do
    questions=$((questions + 1))
done
q_seconds=20
wait "$qemu"
within "questions were answered meanwhile: rounds" 1 "$questions" 200
ok "the race ends the same way with the monitor busy" cmp -s "$tmp/first" "$tmp/busy"

# A guest that hangs, with interrupts off
machine origin200 1000 "hang" -qmp "unix:$tmp/qmp2,server=on,wait=off" >"$tmp/out" 2>&1 &
qemu=$!
qmp 2 query-status stop query-status cont stop cont query-status quit
is "a hung guest: the monitor answers" $? 0
wait "$qemu"
is "a hung guest: quit" $? 0
is "a hung guest: it had come so far" "$(cat "$tmp/out")" "hanging"

# A guest that sleeps: 1000 s of machine time pass at once, but not while the machine is stopped.
machine ricotta 1000 "tick" -qmp "unix:$tmp/qmp3,server=on,wait=off" >"$tmp/out" 2>&1 &
qemu=$!
t_start=$(seconds)
while [ "$(grep -c tick "$tmp/out")" -lt 1000 ] &&
    [ "$(echo "$(seconds) - $t_start < 30" | bc)" = 1 ]; do
    sleep 0.2
done
within "idle time costs nothing: ticks of a machine second" 1000 "$(grep -c tick "$tmp/out")" 1000000000
qmp 3 stop query-status
like "stop" "$(cat "$tmp/answers")" '"status": "paused"'
before=$(wc -l <"$tmp/out")
sleep 0.5
is "stopped: nothing happens" "$(wc -l <"$tmp/out")" "$before"
qmp 3 cont query-status
is "continue" $? 0
sleep 0.5
within "continued" "$((before + 1))" "$(wc -l <"$tmp/out")" 1000000000
qmp 3 quit
is "quit: answer" $? 0
wait "$qemu"
is "quit: exit status" $? 0

# The pace of idle time, for a guest whose user is a person
machine ricotta 1000 "tick" -icount mode=mp,pace=10 -qmp "unix:$tmp/qmp4,server=on,wait=off" \
    >"$tmp/out" 2>&1 &
qemu=$!
qmp 4 query-status
sleep 2
qmp 4 quit
is "pace: quit" $? 0
wait "$qemu"
within "pace=10: ticks in two seconds" 10 "$(grep -c tick "$tmp/out")" 60

# Errors
# bad OPTIONS MESSAGE
bad() {
    b_out=$(timeout 20 "$ORIGIN_QEMU" -M none -display none -icount "$1" 2>&1 </dev/null)
    is "-icount $1: exit status" $? 1
    like "-icount $1: says why" "$b_out" "$2"
}
bad mode=mp,quantum=0 'quantum must be between 1 and 1000000 ns'
bad mode=mp,quantum=1000001 'quantum must be between 1 and 1000000 ns'
bad mode=mp,quantum=-5 'quantum must be between 1 and 1000000 ns'
bad mode=mp,quantum=soon "quantum"
bad mode=mt "unknown mode 'mt'"
bad quantum=1000 'need mode=mp'
bad pace=1 'need mode=mp'
bad mode=mp,pace=1000001 'pace must be between 0 and 1000000'
bad mode=mp,shift=0 'mode=mp and shift are incompatible'
bad mode=mp,shift=auto 'mode=mp and shift are incompatible'
bad mode=mp,align=on 'mode=mp and align are incompatible'
bad mode=mp,sleep=off 'mode=mp and sleep are incompatible'
bad mode=mp,rr=record,rrfile="$tmp/replay" 'mode=mp and rr are incompatible'

finish
