#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin profile and origin report on the programs with a known disease that tests/guest/t_diseases.sh leaves out, and what remedies save.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/guest/diseases/check.inc"
for source in "$root"/tests/guest/diseases/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = false_sharing ] || disease "$name"
    case $name in
    false_sharing | producer_consumer | mixed_line) ;; # mixed_line cures its second problem: t_profile_mixed.sh
    *) cure "$name" ;;
    esac
    rm -rf "$tmp/p.$name"*
done
finish
