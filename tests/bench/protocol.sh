#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The long runs of the protocol's checkers: 3 nodes x 2 lines exhaustively,
# priorities, and 10^8 random accesses.  Needs about 8 GB and half an hour.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
bash "$root/tests/cli/protocol.sh" >/dev/null
cd "$root/build/model"
time ./explore -M 200000000 n3c1i0l1q3p1e0r3 n2c3i0l1q3p1e0r3 n2c1i1l1q2p1e0r3 n2c1i0l2q2p0e0r3 \
    n3c1i0l2q2p0e1r2 n3c1i0l2q1p1e1r2 n3c1i0l2q1p0e1r3
time ./random -c -n 100000000
