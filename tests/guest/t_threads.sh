#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# Processors on one host thread and on three: the same output, counters and transactions (determinism.sh).
export RUNS=2 THREADS='1 3' TRACE=1 OPTIONS=--time=full
exec bash "$(dirname "$0")/determinism.sh"
