#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Virtual remedies (docs/whatif.md) that t_whatif.sh has no place for: interleave, replicate, --remedy-from, the full time model; origin whatif that is
# interrupted or has no room on its disk.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"

# spent PROGRAM OPTION...: us
spent() {
    s_program=$1
    shift
    field "$("$origin" run -m ricotta -s "$tmp/share" "$@" -- "./$s_program" 2>"$tmp/err" </dev/null)" 5
}
mkdir "$tmp/share"

# Two rounds of reading are enough: an array is larger than the L2, so the second one misses again.
# Threads 2 and 3 read `left` and `right` from node 0, two hops away. Interleaved over 8 nodes they are nearer in the mean. On node 3 thread 3 has its
# array, and thread 2 one hop.
compile two_problems share/two_problems -DROUNDS=2
futures two_problems --future plain --future spread --set remedy='interleave left,right' --future near --set remedy='place left,right 3'
less 'interleave: nearer than node 0' "$(us spread)" "$(us plain)"
less 'interleave: farther than the node next to it' "$(us near)" "$(us spread)"

# main() writes a word of each page before the region. From the region on only reads are left, and pages are where they are first used.
cat >"$tmp/region.c" <<'END'
#define ROUNDS 2
#define main old_main
#include "two_problems.c"
#undef main
#include <sn_roi.h>

int main(void)
{
    on_cpu(0);
    for (int i = 0; i < PAGES; i++)
        left[i][0] = right[i][0] = 1;
    pthread_barrier_init(&both, NULL, 2);
    sn_roi_begin("reading");
    start(4, read_all);
    sn_roi_end();
    expect("left", "-", 0, 0);
    return 0;
}
END
"$origin" cc -O2 -g -I"$root/tests/guest/diseases" -o "$tmp/share/region" "$tmp/region.c" -lpthread -lsnpc || exit 99
touch='place left,right first-touch' copies='replicate left,right'
futures region --future plain --future touch --set remedy="$touch" --future copies --set remedy="$copies"
begun=$(us touch) written=$(us copies) plain=$(us plain)
futures region --split-at=region --roi=reading --future touch --set remedy="$touch" --future copies --set remedy="$copies"
late=$(us touch)
is 'remedy-from: it is as a future from there' "$(spent region --remedy="$touch" --remedy-from=reading)" "$late"
less 'remedy-from: first touch of the readers, not of main()' "$late" "$begun"
# The kernel and main() write each line, so a copy can only be of what follows. Then each thread has all of its array on its own node, as by first touch.
less 'replicate: what is written has no copies' "$late" "$written"
within 'replicate: from the region on it has' "$((late * 97 / 100))" "$(us copies)" "$((late * 103 / 100))"
spent region --remedy='place left,right 3' --remedy-from=never >"$tmp/never"
is 'remedy-from: a region that never begins' "$(cat "$tmp/never")" "$plain"
like 'remedy-from: and says so' "$(cat "$tmp/err")" "'place left,right 3' has changed nothing"

# The same with contention and overlapping misses.
futures two_problems --time=full --future plain --future place --set remedy='place left 2' --set remedy='place right 3' --future nobody --set remedy='free 0x20000-0x2ffff' --future free --set remedy='free left'
less 'full: place gains' "$(us place)" "$(us plain)"
is 'full: what nobody uses changes nothing' "$(us nobody)" "$(us plain)"
# Both threads miss in one memory. Misses that cost nothing must not come in the way of the others.
less 'full: free of one array makes the other no slower' "$(us free)" "$(us plain)"

# Futures of a region, as runs that start by themselves. Sockets lead to one machine, so a run with --exec cannot split, and its table is of that machine.
whatif() {
    "$origin" whatif -m ricotta -s "$tmp/share" --region reading --remedy-from reading --try "$copies" -j 1 --csv "$@" -- ./region </dev/null
}
is 'region: a start for each run makes no difference' "$(whatif -o "$tmp/r" 2>&1)" "$(whatif -o "$tmp/alone" --no-futures 2>&1)"
whatif -o "$tmp/r" --exec="$tmp/door" >"$tmp/table" 2>"$tmp/err"
is 'what cannot split says so: status, lines' "$? $(cat "$tmp/err")" '0 origin: whatif: each run starts by itself: --split does not go with --exec: a socket leads to one machine'
like 'and has a table' "$(cat "$tmp/table")" '^"replicate left,right",'
is 'nothing else is left' "$(cd "$tmp/r" && ls -A | tr '\n' ' ')" \
    'before before.regions.csv before.stderr before.stdout launcher.stderr try1 try1.regions.csv try1.stderr try1.stdout whatif.csv '

# An interrupt while the second remedy is tried: the first one has its row. Whoever interrupts, no machine stays.
compile false_sharing share/false_sharing
# The shell lets what runs in the background ignore SIGINT; a terminal does not.
env --default-signal=INT "$origin" whatif -m ricotta -s "$tmp/share" -o "$tmp/w" --try 'pad counters:8' --try 'free counters' -j 1 -- ./false_sharing >"$tmp/table" 2>"$tmp/err" </dev/null &
machine=$!
until [ -e "$tmp/w/.futures/try2.part" ]; do sleep 0.2; done
like 'interrupt: before, the file has what is not tried yet' "$(cat "$tmp/w/whatif.csv")" '^free counters,.*,not tried yet$'
kill -INT "$machine"
wait "$machine"
is 'interrupt: status, and nothing on standard error' "$? $(cat "$tmp/err")" '130 '
like 'interrupt: the table says so' "$(sed -n 2p "$tmp/table")" '^Interrupted: 1 of 2 remedies were not tried\.$'
like 'interrupt: the remedy that was tried' "$(cat "$tmp/table")" '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  pad counters:8$'
like 'interrupt: the other one' "$(cat "$tmp/table")" 'free counters: interrupted$'
is 'interrupt: the file has both' "$(sed '1d; s/,.*,/ /' "$tmp/w/whatif.csv")" "$(printf 'pad counters:8 \nfree counters interrupted')"
is 'interrupt: no machine is left' "$(pgrep -f -- "$tmp/w" | wc -l)" 0

# A full disk: files that may have 64 KB. The run says why; the line has its text.
(
    ulimit -f 64
    trap '' XFSZ
    exec "$origin" whatif -m ricotta -s "$tmp/share" -o "$tmp/full" --try 'pad counters:8' -j 1 -- ./false_sharing
) >"$tmp/table" 2>"$tmp/err" </dev/null
is 'full disk: status, lines' "$? $(wc -l <"$tmp/err") $(wc -l <"$tmp/table")" '1 1 0'
like 'full disk: why' "$(cat "$tmp/err")" '^origin: whatif: .*(File too large|No space left)'
finish
