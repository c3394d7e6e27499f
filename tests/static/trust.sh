#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/trust.md: each boundary is held by a test, and the test is there. The last column of a table with `held by` has the tests.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
awk -F ' *[|] *' '
    /^\|/ && $(NF - 1) == "held by" { on = 1; next }
    !/^\|/ { on = 0 }
    on && !/^\|---/ { print $2 "\t" $(NF - 1) }' docs/trust.md >"$tmp/rows"
while IFS=$'\t' read -r what held; do
    missing=
    for t in $(tr -d '`,' <<<"$held"); do case $t in tests/*) [ -f "$t" ] || missing="$missing $t" ;; *) missing="$missing '$t'" ;; esac; done
    is "$what: its tests" "${held:-none}$missing" "${held:-a test}"
done <"$tmp/rows"
# A table that nobody reads would say nothing.
within 'boundaries' 20 "$(wc -l <"$tmp/rows")" 100
finish
