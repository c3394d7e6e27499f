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
# shellcheck disable=SC2046
{
    figure "pictures of $m, md5sum on 24 processors" '' $(column '$1')
    figure "pictures a second, $m" '' $(column '$2')
    figure "CPU of a picture, $m" ms $(column '$3 * 1000')
    figure "CPU seconds of four pictures a second, $m" '' $(column '$3 * 4')
}
