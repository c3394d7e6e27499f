#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of examples/ compile without a warning and compute the right results in the guest, with one thread and with several.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
for name in fft radix cg stream reduce references; do
    ok "$name compiles" "$origin" cc -O2 -g -Wall -Wextra -Werror -o "$tmp/share/$name" "$root/examples/$name.c" -lpthread -lm
done
"$origin" cc -O2 -S -o "$tmp/stream.s" "$root/examples/stream.c"
is 'stream: GCC keeps the prefetches: 6 for reading, 4 for writing' "$(grep -c 'pref	0,' "$tmp/stream.s") $(grep -c 'pref	1,' "$tmp/stream.s")" '6 4'
cat >"$tmp/share/all" <<'END'
try() { "$@" >out 2>err && status=0 || status=$?; echo "$* = $status $(wc -l <err) $(tail -n 1 out)"; }
for stagger in none basic scrambled; do try ./fft -m 10 -p 4 -s $stagger; done
try ./fft -m 10 -p 1 -i
try ./fft -m 10 -p 4 -I -b -P
rmmod snpc && insmod /lib/modules/$(uname -r)/snpc.ko extended=1 && snroute -t >routes
try ./fft -m 12 -p 8 -s routes -r routes
try ./fft -m 14 -p 16 -s routes -r routes -b -c
try ./fft -m 10 -p 4 -I -b -v
try ./radix -n 5000 -r 6 -p 4
try ./radix -n 5000 -p 3 -c -i
try ./cg -n 300 -t 1 -p 4
try ./cg -n 300 -t 1 -p 2 -c -i -l
try ./cg -n 300 -t 1 -p 8 -s 25 -w
try ./stream -n 8000 -t 2 -p 1
try ./stream -n 8000 -t 2 -p 3 -f
try ./stream -n 8000 -t 2 -p 2 -F
try ./stream -n 8000 -o 640 -t 2 -p 3 -F
try ./reduce -n 8000 -t 2 -p 2
try ./fft -p 3
try ./radix -n x
END
run -m ricotta -s "$tmp/share" -- 'sh ./all'
is 'all of them ran' "$status" 0
for job in 'fft -m 10 -p 4 -s none' 'fft -m 10 -p 4 -s basic' 'fft -m 10 -p 4 -s scrambled' 'fft -m 10 -p 1 -i' 'fft -m 10 -p 4 -I -b -P'; do
    like "$job: the result is right" "$out" "^\./$job = 0 0 fft: 1024 points, .* us; largest error [0-9.]+e-1[3-9]$"
done
like 'fft: an order by routes' "$out" '^\./fft -m 12 -p 8 -s routes -r routes = 0 0 fft: 4096 points, 8 threads, routes: .* largest error [0-9.]+e-1[3-9]$'
like 'fft: with barriers, and a local copy' "$out" \
    '^\./fft -m 14 -p 16 -s routes -r routes -b -c = 0 0 fft: .*, routes with barriers: .* us, copy [0-9.]+ us; largest error [0-9.]+e-1[3-9]$'
like 'fft: marks' "$out" '^\./fft -m 10 -p 4 -I -b -v = 0 0 mark [0-9]+\.[0-9]{9} end$'
for job in 'radix -n 5000 -r 6 -p 4' 'radix -n 5000 -p 3 -c -i'; do
    like "$job: the result is right" "$out" "^\./$job = 0 0 radix: 5000 keys, .* us; in order$"
done
like 'cg: solves its equations' "$out" '^\./cg -n 300 -t 1 -p 4 = 0 0 cg: 300 rows, 3900 entries, .* residual [0-9.]+e-0[7-9]$'
like 'cg: more steps solve them better' "$out" '^\./cg -n 300 -t 1 -p 8 -s 25 -w = 0 0 cg: .* residual [0-9.]+e-1[0-9]$'
is 'cg: as many threads as one likes give the same eigenvalue' \
    "$(printf '%s\n' "$out" | sed -n 's/.*eigenvalue \([0-9.]*\),.*/\1/p' | uniq | wc -l)" 1
for job in 'stream -n 8000 -t 2 -p 1' 'stream -n 8000 -t 2 -p 3 -f' 'stream -n 8000 -t 2 -p 2 -F' 'stream -n 8000 -o 640 -t 2 -p 3 -F' 'reduce -n 8000 -t 2 -p 2'; do
    like "$job: the result is right" "$out" "^\./$job = 0 0 .*; right$"
done
like 'threads that do not divide the matrix are refused' "$out" '^\./fft -p 3 = 2 '
like 'a number that is none is refused in one line' "$out" '^\./radix -n x = 2 1 '
# Two processors of a node wait for each other's use of the bus, whatever the quantum. Without that the long one loses a tenth. The kernel may
# disturb one of three tries.
bandwidth() {
    run -m "$root/examples/rapture-1mb.dts" --time=full --quantum="$1" -s "$tmp/share" -- \
        'for i in 1 2 3; do ./reduce -n 393216 -p 2 -t 3; done' </dev/null
    printf '%s\n' "$out" | sed -nE 's/^reduce: .* each: ([0-9.]+) MB\/s; right$/\1/p' | sort -n | tail -n 1
}
short=$(bandwidth 100)
within 'two processors that sum up get the same bandwidth with a short and a long quantum' "$(echo "$short * 0.96" | bc)" "$(bandwidth 1000)" \
    "$(echo "$short * 1.04" | bc)"
finish
