#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# Processors that talk to each other, on one host thread and on three: the same output, counters and transactions (determinism.sh).
export RUNS=2 JOB=talk TRACE=1 OPTIONS=--time=full
exec bash "$(dirname "$0")/determinism.sh"
