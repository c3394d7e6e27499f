#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten machine minutes of fork, mmap, IPI, futex, signal, pipe, file and migration work on 16 CPUs.
# Usage: stress.sh [ROUNDS]    bursts of work in these minutes: 10 (tests/soak/stress.sh: 60)
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/s"
ok 'stress.c compiles' "$origin" cc -O2 -Wall -pthread -o "$tmp/s/stress" "$root/tests/guest/stress.c" -lnuma
rounds=${1:-10}
begin=$(seconds)
run -m ricotta -s "$tmp/s" -t 800 -- 'cp stress /tmp; cd /tmp; ./stress 16 '"$rounds $((600 / rounds))"'; s=$?; cat /proc/uptime >&2; dmesg >/share/log; exit $s'
took=$(echo "$begin $(seconds)" | awk '{ print $2 - $1 }')
is 'ends clean' "$status" 0
like 'did it all' "$out" "^done: 16 workers, 600 s, $((rounds * 32)) forks, $((rounds * 48)) shootdowns, $((rounds * 16)) signals, \
$((rounds * 1048576)) bytes, $((rounds * 64)) pages migrated\$"
within 'ten machine minutes' 600 "$(echo "$err" | cut -d ' ' -f 1)" 620
unlike 'no complaint in the kernel log' "$(cat "$tmp/s/log")" \
    'WARNING|[Ww]arning|Oops|BUG|Call Trace|\bstalls?\b|soft lockup|hung task|cut here|[Uu]nable to'
echo "# $took host seconds"
finish
