#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A long recording as a page: ten minutes of 64 nodes each 10 ms (tests/cli/mktrace.c). The size of the page, the processor time of
# `origin report`, and how long Chromium takes from opening the page until all is drawn: by the clock, and the processor time of the thread that draws.
# Bounds: 10 MB, ready after 2 s.
. "$(dirname "$0")/../lib.sh"
rounds=${ROUNDS:-5}
gcc -O2 -I"$root/lib/trace" -o "$tmp/mktrace" "$root/tests/cli/mktrace.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" || exit 1
cd "$tmp" && ./mktrace long 64 60001 || exit 1
TIMEFORMAT='%U %S'
{ time "$origin" report --html page.html -m stinger long 2>err; } 2>times || { cat err >&2; exit 1; }
"$root/tests/bench/ready.py" page.html "$rounds" >rounds || exit 1
read -r ready drawing < <(medians '$1' '$2')
made=$(awk '{ print $1 + $2 }' times)
mb=$(wc -c <page.html | awk '{ printf "%.1f", $1 / 1e6 }')
printf '%-40s %9s %9s %9s %9s %9s\n' "a page of 10 minutes of 64 nodes" 'trace MB' 'page MB' 'made, s' 'ready, s' 'drawn, s' \
    "medians of $rounds; made, drawn: CPU time" "$(wc -c <long | awk '{ printf "%.0f", $1 / 1e6 }')" "$mb" "$made" "$ready" "$drawing"
aim 'a page of 10 minutes of 64 nodes' "$mb" most 10 MB
aim 'the same, opened until ready' "$ready" most 2 s
