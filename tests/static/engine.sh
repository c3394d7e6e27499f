#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The engine gives the same answers everywhere: it reads no clock, no randomness, no environment and no file of the host.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
calls=$(grep -rnHE --include='*.[ch]' '\b(time|clock|gettimeofday|clock_gettime|rand|random|srand|getenv|fopen|malloc_stats)[[:space:]]*\(' \
    qemu-origin/engine)
is 'engine reads no clock, no randomness, no environment, no file' "$calls" ''
finish
