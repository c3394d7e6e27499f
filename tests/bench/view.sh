#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a viewer costs the host: CPU seconds of a picture on arctic, those of the view and of QEMU's main thread, which makes the pictures and has little
# else to do. Four of them a second are the share of a processor that the viewer takes.
. "$(dirname "$0")/../lib.sh"
m=${M:-arctic} rounds=${ROUNDS:-3}
job=${JOB:-'for i in $(seq 24); do md5sum /usr/bin/snbench & done; wait'}
for ((i = 0; i < rounds; i++)); do
    "$origin" run --view -m "$m" -- "$job" 2>"$tmp/err" >"$tmp/out" </dev/null &
    run=$!
    python3 "$root/tests/guest/view.py" read "$tmp/err" $run
    wait $run || exit 1
done >"$tmp/rounds"
read -r pictures rate ms share < <(medians '$1' '$2' '$3 * 1000' '$3 * 4')
printf '%-32s %9s %9s %9s\n' "a viewer of $m, medians of $rounds" 'pictures' 'a second' 'ms each' \
    "md5sum on 24 processors" "$pictures" "$rate" "$ms"
aim "CPU seconds of four pictures a second, $m" "$share" most 0.05
