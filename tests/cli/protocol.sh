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
        "$root"/tests/model/{mutants,rows}.c "$root"/qemu-origin/engine/proto/{proto,types}.c
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

# Hypothetical protocols (docs/whatif.md) hold, and the checks see one that does not.
for w in protocol=msi no-backoff directory=limited:1 directory=limited:2 directory=coarse:2 protocol=msi,no-backoff,directory=limited:1 directory=limited:2:evict no-speculation four-hop \
    protocol=msi,no-backoff,no-speculation,directory=limited:2:evict protocol=msi,four-hop,directory=limited:2:evict; do
    "$dir/explore" -w "$w" n3c1i0l1q1p0e0r3
done
"$dir/explore" -w protocol=msi,directory=limited:2 n2c1i1l1q1p0e0r3 n2c3i0l1q1p0e0r3
for w in directory=limited:2:evict no-speculation four-hop; do
    "$dir/explore" -w "$w" n2c1i1l1q1p0e0r3
    "$dir/explore" -c -w "$w" n2c1i0l1q2p1e0r3
done
# Rows without which they do not hold: the home waits for an evicted copy, answers for an owner that has none, and writes what the owner sends.
broken() { # VARIANT ROW: what the explorer says
    echo "$2" >"$tmp/rows"
    "$dir/explore" -w "$1" -r "$tmp/rows" n3c1i0l1q1p0e0r3 2>&1 | sed -n 's/^not ok 1 - [^:]*: [0-9]* states: //p'
}
is 'evict: without waiting' "$(broken directory=limited:2:evict 'SN_HOME(SHRD_FULL, READ, SHRD, SWAP, RD, SRPLY, REQ, EVICT, OUT)')" 'the directory does not cover a shared copy'
is 'no-speculation: nobody answers' "$(broken no-speculation 'SN_HOME(BUSYE, GONE, EXCL, KEEP, NO, NOMSG, REQ, NOMSG, REQ)')" deadlock
is 'four-hop: memory stays old' "$(broken four-hop 'SN_HOME(BUSYE, SHWB, EXCL, KEEP, NO, ERPLY, PTR, NOMSG, REQ)')" 'a store to an old copy'
"$dir/explore" -w protocol=msi,directory=coarse:2 -m no-inval n3c1i0l1q1p0e0r3

# Rows of a file, as proto.h.inc has them. The first one is the mutant no-intervention.
rows() { printf '%s\n' "$@" >"$tmp/rows"; "$dir/explore" -r "$tmp/rows" n3c1i0l1q1p0e0r3 2>&1 | sed -n "s|^$tmp/||; s/ [0-9]* states//; /^#/d; p"; }
is 'a row of a file is explored' "$(rows 'SN_HOME(EXCL, READ, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ)')" \
    "not ok 1 - n3c1i0l1q1p0e0r3:: the directory does not cover an exclusive copy
1..1"
is 'one that is allowed holds; comments and blank lines are skipped' "$(rows '# MSI' '' ' SN_HOME( UOWN,READ,SHRD,ONE,RD,SRPLY,REQ,NOMSG,REQ )')" 'ok 1 - n3c1i0l1q1p0e0r3:
1..1'
while read -r why row; do
    is "refused: ${why//\~/ }" "$(rows '' "$row")" "rows:2: ${why//\~/ }"
done <<'END'
the~table~has~this~row~already SN_HOME(EXCL_ME, READ, EXCL, KEEP, RD, ERPLY, REQ, NOMSG, REQ)
a~row~begins~with~SN_HOME(~or~SN_HOME_BACKOFF( SN_RRB(REQ, SRPLY, IDLE, S)
'DIRTY'~is~no~word~for~the~column SN_HOME(DIRTY, READ, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ)
'AAAAAAAAAAAAAAA'~is~no~word~for~the~message SN_HOME(UOWN, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ)
a~row~has~nine~words~with~commas~between~them SN_HOME(EXCL, READ, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ, REQ)
''~is~no~word~for~the~forward SN_HOME(EXCL, READ, EXCL, OWN, RD, ERPLY, REQ, )
there~is~something~behind~the~row SN_HOME(EXCL, READ, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ);
NOMSG~is~no~message~that~arrives SN_HOME(EXCL, NOMSG, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ)
END
finish
