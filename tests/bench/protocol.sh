#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The long runs of the protocol's checkers: the partial order reduction is allowed where two processors share a node; three nodes and two lines
# with a request channel of two places; the same with priorities and one place; 10^8 random accesses. ROUNDS changes nothing here.
# depends: qemu-origin/engine tests/model
. "$(dirname "$0")/../lib.sh"
bash "$root/tests/cli/protocol.sh" >"$tmp/short" || { cat "$tmp/short"; exit 1; }
figure 'deliberately broken ones caught by both checkers' '' "$(grep -c '^ok .*catches mutant' "$tmp/short")"
cd "$root/build/model" || exit 1
./explore -c n2c3i0l1q1p0e0r3 | tee "$tmp/explored"
./explore -M 60000000 n3c1i0l2q2p0e1r2 n3c1i0l2q1p1e1r3 | tee -a "$tmp/explored"
figure 'machines explored with a rule broken or not to the end' '' "$(grep -c '^not ok' "$tmp/explored")"
figure 'states of the largest' '' "$(sed -n 's/^# n3[^ ]*: \([0-9]*\) states.*/\1/p' "$tmp/explored" | sort -n | tail -n 1)"
./random -c -n 100000000 | tee "$tmp/random"
figure 'random accesses' '' "$(sed -n 's/^# \([0-9]*\) accesses.*/\1/p' "$tmp/random")"
figure 'rows of the tables not used, or rules broken, by them' '' "$(grep -c '^not ok\|not used' "$tmp/random")"
