#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each function that a header of the engine declares has a caller besides the tests, in another file than its own: the board, the overlay, the
# launcher, tools, or another file of the engine. A function that only tests need belongs to the tests; one that only its file needs is static.
# An exception is a line "NAME | WHY" below.
cd "$(dirname "$0")/../.." || exit 99
exec python3 tests/static/sources.py called qemu-origin/engine qemu-origin/board qemu-origin/overlay launcher tools lib driver <<END
END
