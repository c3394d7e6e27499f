#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The C sources are as clang-format writes them (`make format`): a point for each folder, which names the files that would change.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
folders='docs driver examples include kernel launcher lib qemu-origin scripts tests tools'
for folder in $folders; do
    changed=$(scripts/format --check "$folder" 2>&1)
    result $? "$folder is formatted" "$changed"
done
finish
