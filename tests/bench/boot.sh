#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's seconds of `origin run -m MACHINE -- true` from start to end: boot, command, stop. *CPU* is user time. Then what a minute's sleep in the
# guest adds to a run.
. "$(dirname "$0")/../lib.sh"
rounds=${ROUNDS:-3}
TIMEFORMAT='%R %U'
timed() { # timed MACHINE OPTION COMMAND: seconds and CPU seconds
    { time "$origin" run -m "$1" "$2" -- "$3" </dev/null >/dev/null 2>&1; } 2>&1
}
for m in $("$origin" machines | cut -d ' ' -f 1); do
    for ((i = 0; i < rounds; i++)); do
        echo "$(timed "$m" --model=on true) $(timed "$m" --model=off true)"
    done >"$tmp/rounds"
    # shellcheck disable=SC2046
    {
        figure "$m" s $(column '$1')
        figure "$m, CPU" s $(column '$2')
        figure "$m, model off" s $(column '$3')
    }
done
for ((i = 0; i < rounds; i++)); do
    echo "$(timed ricotta --model=on true) $(timed ricotta --model=on 'sleep 60')"
done >"$tmp/rounds"
# shellcheck disable=SC2046
figure "a minute's sleep in the guest, beyond boot" s $(column '$3 - $1')
