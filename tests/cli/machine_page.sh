#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/machine.html, the engine in a browser, without a network: every scenario forwards and backwards, random accesses with the invariants checked after each,
# answers that equal those of the same calls on the host, links, and input that is wrong.
. "$(dirname "$0")/../lib.sh"
page=$root/docs/machine.html
less "the page has at most 3 MB" "$(wc -c <"$page")" 3000001
cd "$tmp" || exit 99
python3 "$root/tests/cli/machine_page.py" "$page" "$root/build/machine/native" "$root/build/machines" >points 2>said
points_of browser points said
finish
