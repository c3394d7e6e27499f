#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten runs of a job on 16 processors, and four with the full time model, have the same output, the same counters and the same transactions at
# the same times (QEMU's trace event origin_transaction). ROUNDS changes nothing here.
. "$(dirname "$0")/../lib.sh"
same() { # same NAME RUNS OPTIONS: as tests/guest/determinism.sh does it, with the number of comparisons that differ
    RUNS=$2 TRACE=1 OPTIONS=$3 bash "$root/tests/guest/determinism.sh" | tee "$tmp/out"
    [ "${PIPESTATUS[0]}" -le 1 ] && grep -q '^1\.\.' "$tmp/out" || exit 1
    figure "$1: comparisons that differ" '' "$(grep -c '^not ok' "$tmp/out")"
}
same 'ten runs' 10 ''
same 'four runs with --time=full' 4 --time=full
