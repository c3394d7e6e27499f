#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Outside the tests, no C function is longer than 80 lines, from the first line of its declaration to its closing brace.
cd "$(dirname "$0")/../.." || exit 99
folders='driver include kernel launcher lib qemu-origin scripts tools'
exec python3 tests/static/sources.py functions 80 $folders
