#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's configuration keeps every line of kernel/origin.config.
exec scripts/check-config build/kernel/.config kernel/origin.config
