#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The documents with commands that take too long for `make check`.
# timeout: 10800
. "$(dirname "$0")/../lib.sh"
exec python3 "$root/tests/documents.py" --soak
