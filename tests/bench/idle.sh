#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an interactive machine that waits for its user costs: its share of a host processor, in per cent, from a quarter of a minute after the prompt on.
. "$(dirname "$0")/../lib.sh"
rounds=${ROUNDS:-3}
for m in ricotta stinger; do
    # shellcheck disable=SC2046
    figure "$m" % $(for ((i = 0; i < rounds; i++)); do python3 "$root/tests/bench/idle.py" 20 "$origin" run -m "$m" || exit; done)
done
