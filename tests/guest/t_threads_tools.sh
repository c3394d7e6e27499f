#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# The tools on one host thread and on three: the same output, the same traces byte for byte, and the same counters of the model (determinism.sh).
export RUNS=2 JOB=tools OPTIONS='--image tools'
exec bash "$(dirname "$0")/determinism.sh"
