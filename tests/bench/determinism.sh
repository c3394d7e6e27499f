#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten runs of a job on 16 processors: counters and every single transaction with its time (QEMU's trace event origin_transaction).
RUNS=${RUNS:-10} TRACE=1 exec bash "$(dirname "$0")/../guest/determinism.sh"
