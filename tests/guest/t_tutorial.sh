#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of docs/tutorial print what the lessons say.
. "$(dirname "$0")/../lib.sh"
exec python3 "$root/tests/tutorial.py"
