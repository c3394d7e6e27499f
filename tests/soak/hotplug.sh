#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A processor goes offline and comes back fifty times while all others are busy.
. "$(dirname "$0")/../lib.sh"
cp "$root/tests/guest/hotplug.inc" "$tmp/lib"
# shellcheck disable=SC2016
for m in ricotta arctic; do
    run -m $m --model=off -s "$tmp" -- '. ./lib; load $last; again 50 5; idle; echo $rounds; complaints' </dev/null
    is "$m: fifty times, no complaint" "$status $out" "0 50"
done
finish
