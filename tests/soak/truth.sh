#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The conservation laws of tests/guest/truth.sh after a boot of 128 processors.
MACHINE=stinger CPUS=128 ASKED='0 1 63' exec bash "$(dirname "$0")/../guest/truth.sh"
