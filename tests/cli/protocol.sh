#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The directory protocol: the exhaustive explorer on small machines, the random
# tester on larger ones, and the broken protocols that both must catch.  Their
# long runs are in tests/bench/protocol.sh.
. "$(dirname "$0")/../lib.sh"
dir=$root/build/model
mkdir -p "$dir"
build() {
    gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -DSN_TABLE= -I"$root/qemu-origin/engine" \
        -I"$root/include" -I"$root/tests/model" -o "$dir/$1" "$root/tests/model/$1.c" \
        "$root"/tests/model/mutants.c "$root"/qemu-origin/engine/proto/{proto,types}.c
}
ok "the explorer builds" build explore
ok "the random tester builds" build random

# First without the partial order reduction, which -c shows to be allowed: priorities, three nodes, two lines. Then I/O, two processors on a
# node, a longer channel; and with the reduction, three nodes and two lines.
"$dir/explore" -c n2c1i0l1q2p1e0r3 n3c1i0l1q1p0e0r3 n2c1i0l2q1p0e0r2
"$dir/explore" n2c1i1l1q1p0e0r3 n2c3i0l1q1p0e0r3 n3c1i0l1q2p0e0r3 n2c1i0l2q2p1e1r3 n3c1i0l2q1p0e1r3
"$dir/explore" -c -m eager-refusal n3c1i0l1q1p0e0r3
"$dir/random" -c -n 1000000
for m in $(sed -n 's/^    X("\([a-z-]*\)".*/\1/p' "$root/tests/model/model.h"); do
    "$dir/random" -m "$m" -n 200000
    case $m in
        one-cpu-inval|upgrade-lost) conf=n2c3i0l1q2p0e0r3;;
        *) conf=n3c1i0l1q1p0e0r3;;
    esac
    "$dir/explore" -m "$m" $conf
done
finish
