# SPDX-License-Identifier: GPL-2.0-or-later
# The settings of the build, all of them. Override one on the command line (make run M=arctic) or in config.local.mk.

VERSION := 0.1

# Preset that `make run` boots: a name of qemu-origin/machines or a path to a .dts/.dtb.
M ?= ricotta

# Upstream series taken from Debian's source packages. scripts/sources.txt has the version of each; of a series that it does not have, the newest is taken.
QEMU_SERIES    ?= 10.0
LINUX_SERIES   ?= 6.12
BUSYBOX_SERIES ?= 1
NUMACTL_SERIES ?= 2.0
PAPI_SERIES    ?= 7.0
MESON_SERIES   ?= 1
PYCOTAP_SERIES ?= 1

# Suites searched for them, in order, and the mirror (empty: the one in this system's own sources list; if that has none of Debian's, DEBIAN_PUBLIC).
DEBIAN_SUITES  ?= trixie bookworm
DEBIAN_MIRROR  ?=
DEBIAN_PUBLIC  ?= http://deb.debian.org
# Where the archive's old files are, by hash (snapshot.debian.org's interface for programs).
DEBIAN_OLD     ?= http://snapshot.debian.org/file

# Guest compiler.
CROSS ?= mips64-linux-gnuabi64-

# Built products, archives and compiler cache shared by all clones (empty: $XDG_CACHE_HOME/origin2000 or ~/.cache/origin2000).
CACHE ?=
# Products of each kind that `make cache-gc` (and every new product) leaves in the cache.
CACHE_KEEP ?= 6

# Compile jobs, and seconds that one test program may take.
JOBS ?= $(shell nproc)
TEST_TIMEOUT ?= 900
