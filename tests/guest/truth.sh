#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The model's ground truth, read over QMP while the guest runs, and its conservation laws, to the last digit, after a boot and traffic of all
# processors. tests/soak/truth.sh does the same with 128 processors.
. "$(dirname "$0")/../lib.sh"
machine=${MACHINE:-ricotta}
cpus=${CPUS:-16}
asked=${ASKED:-0 7} # nodes whose reference counters are read through the back door

mkdir "$tmp/share"
"$origin" cc -O2 -pthread -o "$tmp/share/kernels" "$root/tests/bench/kernels.c" -lm || { echo 'Bail out! kernels.c does not compile'; exit 99; }
# 0x20000 is in the kernel's text, which every CPU reads.
(while [ ! -e "$tmp/done" ]; do sleep 0.2; done) |
    "$origin" run -m "$machine" -s "$tmp/share" --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -- \
        './kernels fft >/dev/null; cat kernels >/dev/null; touch ready; cat >/dev/null' >"$tmp/out" 2>&1 &
# shellcheck disable=SC2086
python3 "$root/tests/guest/laws.py" "$tmp/qmp" "$tmp/share/ready" 0x20000 $asked >"$tmp/answers" 2>&1
touch "$tmp/done"
wait
answers=$(cat "$tmp/answers")
like "$machine: the engine's own invariants hold" "$answers" '^# invariants ok$'
like 'every CPU' "$answers" "^# cpus $cpus\$"
like 'every node' "$answers" "^# nodes $((cpus / 2))\$"
like 'a line has a state' "$answers" '^# line .*"state": "(UOWN|SHRD|EXCL)"'
like 'absent memory is refused' "$answers" '^# absent True$'
while read -r status line; do
    case $status in
    ok | not)
        line=${line#ok }
        [ "$status" = ok ]
        result $? "${line#* - }"
        ;;
    esac
done <"$tmp/answers"
like 'all laws were asked' "$answers" '^# broken [0-9]+ of [6-9][0-9]$'
finish
