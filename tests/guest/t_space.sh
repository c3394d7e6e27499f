#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process has a large range counted and gives the memory back (space.c): others run meanwhile, and the memory of the counters is free afterwards.
# Usage: t_space.sh [MB [MACHINE [MODEL]]]    400 ricotta off
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -Wall -o "$tmp/space" "$root/tests/guest/space.c" -lpthread || exit 99
run -m "${2:-ricotta}" --model="${3:-off}" -s "$tmp" -- "./space ${1:-400}; dmesg | grep -E 'WARNING|BUG|Oops|Call Trace|detected stall|soft lockup'; true" </dev/null
printf '%s\n' "$out" | grep '^#'
is "every point, and no complaint" "$status
$(printf '%s\n' "$out" | grep -v '^#')" "0
ok - another thread of the processor runs meanwhile
ok - munmap: the memory of the counters is free again
ok - madvise: the memory of the counters is free again
ok - exit: the memory of the counters is free again
ok - counts stay when the policy ends
ok - policy, munmap: the memory of the counters is free again
ok - pages that a program reads
ok - they stay as long as any of the mapping
ok - they go with it"
finish
