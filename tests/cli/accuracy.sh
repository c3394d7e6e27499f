#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The second stage of the time model against the thesis' tables (tests/accuracy): medians within their bounds, and docs/fidelity shows
# what this code computes.
. "$(dirname "$0")/../lib.sh"
"$root/tests/accuracy/run.sh" --check "$tmp/tap" >"$tmp/tables"
grep -v '^1\.\.' "$tmp/tap" >"$tmp/check"
while read -r verdict rest; do
    [ "$verdict" = ok ]
    result $? "${rest#*- }"
done <"$tmp/check"
is "docs/fidelity/README.md is what make accuracy writes" "$(cmp "$tmp/tables" "$root/docs/fidelity/README.md" 2>&1)" ''
finish
