#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# Counters that are restricted to ranges, on one host thread and on three: the same counts of each thread, and the same counters of the model (determinism.sh).
export RUNS=2 JOB=range OPTIONS=--range-monitor
exec bash "$(dirname "$0")/determinism.sh"
