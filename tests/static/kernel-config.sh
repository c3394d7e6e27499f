#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's configuration keeps every line of kernel/origin.config, and nothing came with them that moves pages by itself (docs/hw.md).
exec scripts/check-config build/kernel/.config kernel/origin.config <(echo '# CONFIG_COMPACTION is not set')
