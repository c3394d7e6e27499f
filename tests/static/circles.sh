#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No circle between the files of a folder: a file needs what it includes, and the file that defines a function or variable that it uses.
# A header with its own .c is no circle. A header does not need the files that define the functions that it declares.
# In the folders after "units" (and in the engine, see rooms.sh) the rule is stricter: a header and its own .c are one, and need the files that
# define what the header declares. So a header declares what its own .c defines.
cd "$(dirname "$0")/../.." || exit 99
folders='driver include kernel/init launcher lib qemu-origin tools'
units='driver/include driver/refcnt driver/snpc include launcher/view lib/json lib/libdplace lib/libpmo lib/libsn lib/papi lib/progress
    qemu-origin/board/dt qemu-origin/board/xio qemu-origin/rounds tools/inventory tools/memory tools/net tools/range tools/snsuite tools/watch'
exec python3 tests/static/sources.py circles $folders units $units
