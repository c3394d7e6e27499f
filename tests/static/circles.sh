#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No circle between the files of a folder: a file needs what it includes, and the file that defines a function or variable that it uses.
# A header with its own .c is no circle. A header does not need the files that define the functions that it declares.
# In the folders after "units" (and in the engine, see rooms.sh) the rule is stricter: a header and its own .c are one, and need the files that
# define what the header declares. So a header declares what its own .c defines.
# The headers after "interfaces" declare what any file of their folder defines. Nobody depends on those files through them.
cd "$(dirname "$0")/../.." || exit 99
folders='driver include kernel/init launcher lib qemu-origin tools'
units='driver/include driver/refcnt driver/snpc include kernel/init launcher lib/json lib/libdplace lib/libpmo lib/libsn lib/papi lib/progress
    lib/snpc qemu-origin/board/dt qemu-origin/board/model qemu-origin/board/xio qemu-origin/overlay/accel/tcg qemu-origin/rounds tools/inventory
    tools/memory tools/net tools/range tools/record tools/snsuite tools/watch'
interfaces='kernel/init/process1.h kernel/init/sys.h lib/snpc/inside.h lib/snpc/perfex.h lib/snpc/pmu.h lib/snpc/sn_metric.h lib/snpc/sn_range.h
    lib/snpc/sn_roi.h lib/snpc/sn_sample.h qemu-origin/board/model/model-internal.h qemu-origin/overlay/accel/tcg/mp-accel.h
    qemu-origin/overlay/accel/tcg/mp-internal.h'
exec python3 tests/static/sources.py circles $folders units $units interfaces $interfaces
