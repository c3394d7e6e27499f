#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The quickest packages of tests/soak/packages.sh: built by our compilers, their own tests run in the guest.
QUICK=1 exec bash "$(dirname "$0")/../soak/packages.sh"
