#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors that talk to each other: the time that a flag takes from one to the other (talk.c) is the sum of what is on its way.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O2 -pthread -o "$tmp/share/talk" "$root/tests/guest/talk.c" -lnuma || exit 99

# bounce TIME QUANTUM: lines "HOME CPU NANOSECONDS" in $tmp/TIME.QUANTUM, the best of three, because work of the kernel may disturb one
bounce() {
    run -m ricotta --time="$1" --quantum="$2" -s "$tmp/share" -- 'for h in 0 5; do for i in 1 2 3; do ./talk bounce $h 1 2 4 12 | sed "s/^/$h /"; done; done' </dev/null
    is "$1, quantum $2: status" "$status $err" '0 '
    printf '%s\n' "$out" | awk '{ k = $1 " " $2 } !(k in ns) || $3 < ns[k] { ns[k] = $3 } END { for (k in ns) print k, ns[k] }' | sort -n >"$tmp/$1.$2"
}

bounce unloaded 1000
bounce full 1000
bounce full 10

# Accesses that are out of order by much are reported at the end, on stderr, and nothing else changes. bounce has seen that ordinary runs have no such line.
run -m ricotta --quantum=1000000 -- 'echo said; exit 3'
is 'a long quantum: status and stdout' "$status $out" '3 said'
like 'a long quantum: a line on stderr' "$err" \
    '^origin: accesses to shared memory were out of order by up to ([4-9]|[0-9]{2})[0-9][0-9] ns a transfer on average \([0-9]+ of [0-9]+ transfers\): a shorter --quantum is more exact$'
is 'which is all' "$(wc -l <"$tmp/err")" 1
run -m ricotta --quantum=100000 --model=off -- 'echo said; exit 3'
is 'without caches there is no such line' "$status $out $err" '3 said '

# The mean of both ways as tests/unit/test_order.c adds them up, and five or six instructions of 5.6 ns from the flag's load to the store. No way is
# shorter than its parts; the kernel's work makes it up to 7 % longer, and the model full, in which the way waits for buses and for the home's memory, up
# to 10 % more than unloaded. At another quantum the flag may be seen by another look at it, and other work of the kernel comes between, so there the
# limits are those two.
while read -r home cpu sum; do
    ns() { awk -v h="$home" -v c="$cpu" '$1 == h && $2 == c { print $3 }' "$tmp/$1"; }
    unloaded=$(ns unloaded.1000) full=$(ns full.1000)
    within "unloaded: CPU $cpu, flag on node $home, sum $sum" "$((sum + 28))" "$unloaded" "$(echo "($sum + 33) * 1.07" | bc)"
    within "full: CPU $cpu, node $home" "$((sum + 28))" "$full" "$(echo "$unloaded * 1.1" | bc)"
    within "any quantum: CPU $cpu, node $home" "$((sum + 28))" "$(ns full.10)" "$(echo "$full * 1.07" | bc)"
done <<'END'
0 1 1458
0 2 1833
0 4 1996
0 12 2177
5 1 2309
5 2 2233
5 4 2386
5 12 2329
END
finish
