#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's configuration has every line of kernel/origin.config, no option that moves pages by itself (docs/hw.md), and nothing that depends on
# the host that built it.
exec scripts/check-config build/kernel/.config kernel/origin.config <(printf '%s\n' '# CONFIG_COMPACTION is not set' CONFIG_RUSTC_VERSION=0)
