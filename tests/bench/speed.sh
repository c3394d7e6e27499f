#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What machine time costs: the host's CPU seconds for the same bare-metal work (tests/time/time.c, "work") under QEMU's stock round robin and under
# machine time with quanta of 1 and 5 us, the memory model off; then with the model on. There is no kernel, because Linux under stock round robin
# spends most of its time in spin loops of processors that wait for others, which do not occur under machine time. A host may change its pace
# within minutes, so ratios are taken within a round of all of them.
. "$(dirname "$0")/../lib.sh"
m=${M:-ricotta}
runs=${ROUNDS:-5}
bare "$tmp/time.elf" "$root/tests/time/time.c"
TIMEFORMAT='%U %S'
once() { # once MODEL ARGUMENT [QEMU-OPTIONS...]: one run's CPU seconds
    local model=$1 args=$2
    shift 2
    { time "$ORIGIN_QEMU" -M "origin2000,description=$ORIGIN_MACHINES/$m.dtb,model=$model" -nodefaults -display none -no-reboot \
        -rtc base=2026-01-01,clock=vm -seed 1 -serial stdio -kernel "$tmp/time.elf" -append "$args" "$@" </dev/null >"$tmp/out"; } 2>&1 |
        awk '{ print $1 + $2 }'
    grep -q '^# end' "$tmp/out" || { echo "speed.sh: $args: the work did not end" >&2; exit 1; }
}
while read -r cpus kb rounds; do
    work="work cpus=$cpus khz=180000 kb=$kb rounds=$rounds"
    for ((i = 0; i < runs; i++)); do
        echo "$(once off "$work")" "$(once off "$work" -icount mode=mp,quantum=1000)" \
            "$(once off "$work" -icount mode=mp,quantum=5000)" "$(once on "$work" -icount mode=mp,quantum=1000)"
    done >"$tmp/rounds"
    [ "$(awk 'NF == 4' "$tmp/rounds" | wc -l)" -eq "$runs" ] || exit 1
    # shellcheck disable=SC2046
    {
        figure "stock, $cpus CPUs, $kb KB each" s $(column '$1')
        figure "1 us/stock, $cpus CPUs, $kb KB each" '' $(column '$2 / $1')
        figure "5 us/stock, $cpus CPUs, $kb KB each" '' $(column '$3 / $1')
        figure "1 us, model on/stock, $cpus CPUs, $kb KB each" '' $(column '$4 / $1')
    }
done <<END
16 4 30000
16 16 7500
16 64 1900
16 256 480
1 16 120000
1 4096 480
END
