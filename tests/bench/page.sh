#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A step of docs/machine.html on 64 nodes with the full time model (tests/bench/steps.py): the processor time of the browser's thread that draws, script,
# layout and painting together. By the clock a step takes longer on a host that has other things to do.
# depends: docs/machine.html tools/machine
. "$(dirname "$0")/../lib.sh"
"$root/tests/bench/steps.py" "$root/docs/machine.html" "${ROUNDS:-5}" >"$tmp/rounds" || exit 1
# shellcheck disable=SC2046
{
    figure 'a step on 64 nodes, median, CPU' ms $(column '$1')
    figure 'a step on 64 nodes, 95th percentile, CPU' ms $(column '$2')
}
