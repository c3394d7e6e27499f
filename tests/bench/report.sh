#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A long recording as a page: ten minutes of 64 nodes each 10 ms (tests/cli/mktrace.c). The size of the page, the processor time of
# `origin report`, and how long Chromium takes from opening the page until all is drawn: by the clock, and the processor time of the thread that draws.
# depends: lib launcher tools/read include
. "$(dirname "$0")/../lib.sh"
rounds=${ROUNDS:-5}
gcc -O2 -I"$root/lib/trace" -o "$tmp/mktrace" "$root/tests/cli/mktrace.c" "$root/lib/trace/writer.c" "$root/lib/trace/crc32c.c" || exit 1
cd "$tmp" && ./mktrace long 64 60001 || exit 1
TIMEFORMAT='%U %S'
{ time "$origin" report --html page.html -m stinger long 2>err; } 2>times || { cat err >&2; exit 1; }
"$root/tests/bench/ready.py" page.html "$rounds" >rounds || exit 1
# shellcheck disable=SC2046
{
    figure 'trace' MB "$(wc -c <long | awk '{ printf "%.1f", $1 / 1e6 }')"
    figure 'page' MB "$(wc -c <page.html | awk '{ printf "%.1f", $1 / 1e6 }')"
    figure 'made, CPU' s "$(awk '{ print $1 + $2 }' times)"
    figure 'opened until ready' s $(awk '{ print $1 }' rounds)
    figure 'opened until ready, CPU of the thread that draws' s $(awk '{ print $2 }' rounds)
}
