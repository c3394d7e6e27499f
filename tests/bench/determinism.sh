#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten runs of a job on 16 processors: counters and every single transaction with its time (QEMU's trace event origin_transaction).
. "$(dirname "$0")/../lib.sh"
RUNS=${RUNS:-10} TRACE=1 bash "$root/tests/guest/determinism.sh" >"$tmp/tap"
cat "$tmp/tap"
grep -q '^1\.\.' "$tmp/tap" || exit 1
aim "determinism, ${RUNS:-10} runs: points that differ" "$(grep -c '^not ok' "$tmp/tap")" most 0
