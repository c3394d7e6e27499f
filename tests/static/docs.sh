#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages of docs/ that programs write are what `make docs` writes. (docs/fidelity: tests/cli/accuracy.sh.)
. "$(dirname "$0")/../lib.sh"
ok 'the pages can be written' "$root/scripts/docs" "$tmp"
cd "$tmp" || exit 99
for page in $(find docs -type f | sort); do
    ok "$page is up to date" cmp "$page" "$root/$page"
done
finish
