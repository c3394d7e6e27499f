#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No circle between the files of a folder: a file needs what it includes, and the file that defines a function or variable that it uses.
# A header with its own .c is no circle. A header does not need the files that define the functions that it declares.
cd "$(dirname "$0")/../.." || exit 99
folders='driver include kernel/init launcher lib qemu-origin tools'
exec python3 tests/static/sources.py circles $folders
