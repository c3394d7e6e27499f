#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/registers.md is what scripts/regdoc.c prints from the rows.
. "$(dirname "$0")/../lib.sh"
gcc -std=gnu11 -Wall -Wextra -Werror -I"$root/include" -o "$tmp/regdoc" \
    "$root/scripts/regdoc.c" && "$tmp/regdoc" >"$tmp/registers.md"
ok 'docs/registers.md is up to date' cmp "$tmp/registers.md" "$root/docs/registers.md"
finish
