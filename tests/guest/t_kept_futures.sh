#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that are kept, for runs that split and for remedies: what begins with one is what boots, byte for byte.
. "$(dirname "$0")/../lib.sh"

own_boots
mkdir "$tmp/share"
"$origin" cc -O2 -g "$root/tests/guest/diseases/false_sharing.c" -o "$tmp/share/false_sharing" -lpthread || exit 99
cp "$tmp/share/false_sharing" "$tmp/share/other"

# go NAME WORD...: output, messages and tables of `origin WORD...`; what names its options, its files or the host's time is left out
go() {
    local name=$1
    shift
    rm -rf "${tmp:?}/$name" "$tmp/dir"
    mkdir "$tmp/dir"
    "$origin" "$@" >"$tmp/dir/out" 2>&1 </dev/null
    echo "status $?" >>"$tmp/dir/out"
    sort -o "$tmp/dir/out" "$tmp/dir/out" # futures end in any order
    find "$tmp/dir" \( -name run.csv -o -name futures.csv -o -name '.start' \) -prune -exec rm -rf {} +
    mv "$tmp/dir" "$tmp/$name"
}
# thrice NAME WORD... -- COMMAND...: the run that boots, the one that keeps its boot, the one that begins with it
thrice() {
    local name=$1 what=$2 before
    shift 2
    before=$(count_boots)
    go cold "$what" --boot=cold "$@"
    go makes "$what" "$@"
    is "$name: one boot is kept" "$(count_boots)" $((before + 1))
    go kept "$what" "$@"
    ok "$name: the run that keeps the boot" diff -r "$tmp/cold" "$tmp/makes"
    ok "$name: a run that begins with it" diff -r "$tmp/cold" "$tmp/kept"
    is "$name: it had the same boot" "$(count_boots)" $((before + 1))
    like "$name: it has succeeded" "$(cat "$tmp/kept/out")" '^status 0$'
}

thrice 'futures at a region' run -m origin200 -s "$tmp/share" --split="$tmp/dir/f" --roi=work --future plain --future seed --set seed=9 --future set --set sh=true \
    -- snroi work seq 200
is 'a future has its output' "$(tail -n 1 "$tmp/kept/f/plain/stdout")" 200
thrice 'futures at the command, profiled' profile -m ricotta -s "$tmp/share" --split="$tmp/dir/f" --split-at=command --future before \
    --future pad --set remedy='pad counters' -- ./false_sharing
like 'each has its profile' "$(ls "$tmp/kept/f/pad/profile")" misses.csv
thrice 'a remedy' run -m ricotta -s "$tmp/share" --regions="$tmp/dir/regions" --remedy='pad counters' -- ./false_sharing

# What the remedies are does not matter to the boot; whom they wait for does, for the guest may have such a process.
kept=$(count_boots)
go kept run -m ricotta -s "$tmp/share" --regions="$tmp/dir/regions" --remedy='free counters' -- ./false_sharing
is 'another remedy has the same boot' "$(count_boots)" "$kept"
go cold run -m ricotta -s "$tmp/share" --boot=cold --regions="$tmp/dir/regions" --remedy='free counters' -- ./false_sharing
ok 'and the same output and sums as one that boots' diff -r "$tmp/cold" "$tmp/kept"
go kept run -m ricotta -s "$tmp/share" --regions="$tmp/dir/regions" --remedy='pad counters' -- ./other
is 'another command has a boot of its own' "$(count_boots)" $((kept + 1))
finish
