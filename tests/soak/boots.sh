#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots of one machine whose events fall together in other ways, because each has another kernel command line. In none does a driver wait for
# a device that is there: the kernel tries such drivers again after ten seconds. RUNS=N boots, 40 without it.
. "$(dirname "$0")/../lib.sh"
for i in $(seq "${RUNS:-40}"); do
    run -m ricotta -a "boot=$i ro$(printf "%$((i % 7))s" | tr ' ' x)=$((i * i))" -- 'cut -d" " -f1 /proc/uptime; ls /sys/class/net' </dev/null
    # shellcheck disable=SC2086
    set -- $out
    within "boot $i: seconds of machine time" 0.3 "$1" 2
    is "boot $i: status and devices" "$status $2 $3" "0 eth0 lo"
done
finish
