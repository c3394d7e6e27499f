#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/tap-sum: on how many host threads it runs the machines of a program, and what it says of that.
. "$(dirname "$0")/../lib.sh"
unset ORIGIN_THREADS
mkdir -p "$tmp/scripts" "$tmp/tests/guest" "$tmp/tests/cpu"
cp "$root/scripts/tap-sum" "$tmp/scripts"
# Each program says what it was given.
for i in $(seq 40); do echo "echo \"$i=\${ORIGIN_THREADS-none}\" >>said; echo 1..1; echo 'ok 1 - good'" >"$tmp/tests/guest/p$i.sh"; done
# Always the same commits, so that the choice is, too.
export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000'
commit() {
    git -C "$tmp" init -q 2>/dev/null
    git -C "$tmp" add tests/guest/p1.sh
    git -C "$tmp" -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m "$1"
}
# sum ARGS...: $out is what tap-sum prints, $said what the programs were given
sum() {
    rm -f "$tmp/said"
    out=$("$tmp/scripts/tap-sum" --jobs 4 "$@" 2>&1)
    status=$?
    said=$(sort -V "$tmp/said" 2>/dev/null)
}
commit one
sum guest
first=$said
is 'what programs get' "$(printf '%s\n' "$said" | sed 's/.*=//' | sort -u | tr '\n' ' ')" '1 3 none '
# Of 40 programs a third each, 13; six off are two standard deviations.
for n in 1 3 none; do within "about a third get $n" 7 "$(printf '%s\n' "$said" | grep -c "=$n$")" 19; done
lines=$(printf '%s\n' "$out" | sed -n 's|^guest/p\([0-9]*\)\.sh .* s  \(.*\) threads*$|\1=\2|p' | sed 's/default/none/' | sort -V)
is 'the line of each program says so' "$lines" "$said"
counts=$(for n in 1 3 none; do printf '%s\n' "$said" | grep -c "=$n$"; done | tr '\n' ' ')
is 'the last two lines' "$(printf '%s\n' "$out" | tail -n 2)" "$(printf 'programs by the host threads of their machines: %d on 1 thread, %d on 3 threads, %d on default threads\n40 passed, 0 failed, 0 skipped' $counts)"
sum guest
is 'the same commit: the same choice' "$said" "$first"
commit two
sum guest
ok 'another commit: another choice' test "$said" != "$first"
# shellcheck disable=SC2034
ORIGIN_THREADS=2 sum guest
is 'the caller decides' "$(printf '%s\n' "$said" | sed 's/.*=//' | sort -u)" 2
ORIGIN_THREADS='' sum guest
is 'also for the default' "$(printf '%s\n' "$said" | sed 's/.*=//' | sort -u)" none

rm "$tmp"/tests/guest/*
for n in 1 7 default; do printf '# threads: %s: why\necho "%s=${ORIGIN_THREADS-none}" >>said; echo 1..1; echo not ok 1 - bad\n' $n $n >"$tmp/tests/guest/own$n.sh"; done
sum guest
is 'a program decides for itself' "$(printf '%s\n' "$said" | sort | tr '\n' ' ')" '1=1 7=7 default=none '
is 'a failure comes with the command that repeats it' "$(printf '%s\n' "$out" | sed -n 's/^ *again: //p' | sort)" \
    'ORIGIN_THREADS= make guest-check T=guest/owndefault.sh
ORIGIN_THREADS=1 make guest-check T=guest/own1.sh
ORIGIN_THREADS=7 make guest-check T=guest/own7.sh'
echo '# threads: 3' >"$tmp/tests/guest/own1.sh"
sum guest
is 'a line without a reason' "$status $out" "1 tap-sum: guest/own1.sh: a line '# threads: N: WHY' is wanted, not '# threads: 3'"
echo 'echo "cpu=${ORIGIN_THREADS-none}" >>said; echo 1..1; echo not ok 1 - bad' >"$tmp/tests/cpu/bare.sh"
sum cpu
is 'a suite without the launcher: nothing is chosen, nothing is said' "$said $(printf '%s\n' "$out" | grep -c 'thread') $(printf '%s\n' "$out" | sed -n 's/^ *again: //p')" 'cpu=none 0 make cpu T=cpu/bare.sh'

echo 'env >environment; echo 1..1; echo ok 1 - good' >"$tmp/tests/cpu/bare.sh"
MAKEFLAGS=x MAKELEVEL=1 T=x ORIGIN_T0=1 CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 KEPT=1 sum cpu
is 'what make adds does not arrive' "$(grep -E '^(MAKEFLAGS|MAKELEVEL|T|ORIGIN_[A-Z0-9_]+|CCACHE_BASEDIR|CCACHE_NOHASHDIR|KEPT)=' "$tmp/environment")" 'KEPT=1'
finish
