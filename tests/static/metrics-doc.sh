#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The metrics in docs/man/snsar.1 are what scripts/metricdoc.c prints from the table.
. "$(dirname "$0")/../lib.sh"
gcc -std=gnu11 -Wall -Wextra -Werror -I"$root/include" -o "$tmp/metricdoc" "$root/scripts/metricdoc.c" "$root/lib/snpc/metric.c" -lm &&
    "$tmp/metricdoc" >"$tmp/want"
sed -n '/^\.\\" METRICS/,/^\.\\" END/p' "$root/docs/man/snsar.1" | sed '1d;$d' >"$tmp/got"
ok 'docs/man/snsar.1 has the metrics' cmp "$tmp/want" "$tmp/got"
finish
