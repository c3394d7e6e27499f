# SPDX-License-Identifier: GPL-2.0-or-later
"""What all outputs with figures of a hypothetical machine say before its keys: SN_WHAT_MARK of qemu-origin/engine/what/what.h."""

MARK = "hypothetical, not validated: "
