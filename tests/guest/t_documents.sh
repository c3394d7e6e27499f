#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands that the documents show run, and print what the text says. tests/soak/documents.sh has the long ones.
# timeout: 1800
. "$(dirname "$0")/../lib.sh"
exec python3 "$root/tests/documents.py"
