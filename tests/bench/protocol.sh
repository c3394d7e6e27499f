#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The long runs of the protocol's checkers: the partial order reduction is allowed where two processors share a node; three nodes and two lines
# with a request channel of two places; the same with priorities and one place; 10^8 random accesses.
. "$(dirname "$0")/../lib.sh"
bash "$root/tests/cli/protocol.sh" >"$tmp/short" || { cat "$tmp/short"; exit 1; }
aim 'protocol: deliberately broken ones caught by both checkers' "$(grep -c '^ok .*catches mutant' "$tmp/short")" least 10
cd "$root/build/model" || exit 1
./explore -c n2c3i0l1q1p0e0r3 | tee "$tmp/explored"
./explore -M 60000000 n3c1i0l2q2p0e1r2 n3c1i0l2q1p1e1r3 | tee -a "$tmp/explored"
aim 'protocol: machines explored with a rule broken or not to the end' "$(grep -c '^not ok' "$tmp/explored")" most 0
aim 'protocol: states of the largest' "$(sed -n 's/^# n3[^ ]*: \([0-9]*\) states.*/\1/p' "$tmp/explored" | sort -n | tail -n 1)" least 1000000
./random -c -n 100000000 | tee "$tmp/random"
aim 'protocol: random accesses' "$(sed -n 's/^# \([0-9]*\) accesses.*/\1/p' "$tmp/random")" least 100000000
aim 'protocol: rows of the tables not used, or rules broken, by them' "$(grep -c '^not ok\|not used' "$tmp/random")" most 0
