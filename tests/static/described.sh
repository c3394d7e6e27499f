#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Our requests are described to a fuzzer of system calls as our headers define them. (t_rights.sh: every request is described.)
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
{
    printf '#include <%s>\n' stddef.h sys/ioctl.h snpc.h procfs/procfs.h sys/SN/hwcntrs.h sys/mmem.h
    cat tests/soak/hostile/*.txt | python3 tests/static/described.py
} >"$tmp/described.c"
like "structures and requests are found" "$(grep -c _Static_assert "$tmp/described.c")" '^[0-9]{3}$'
is "places, sizes and directions" "$(gcc -std=c11 -fsyntax-only -Iinclude/abi "$tmp/described.c" 2>&1 | grep error)" ""
finish
