#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The long runs of the protocol's checkers: 3 nodes x 2 lines exhaustively with
# all requests and with priorities (18 M states, 1 GB), and 10^8 random accesses.
# About ten minutes.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
bash "$root/tests/cli/protocol.sh" >/dev/null
cd "$root/build/model"
time ./explore n3c1i0l1q3p0e0r3 n2c3i0l1q2p0e0r3 n3c1i0l2q1p0e1r3 n3c1i0l2q1p1e1r2
time ./random -c -n 100000000
