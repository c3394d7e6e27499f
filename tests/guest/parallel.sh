#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several launchers at once share nothing: each gets its own output, share and status.
. "$(dirname "$0")/../lib.sh"
n=4
i=1
while [ $i -le $n ]; do
    mkdir "$tmp/$i"
    "$origin" run -m origin200 -s "$tmp/$i" -- \
        "echo out $i; echo err $i >&2; echo file $i >here; exit $((i * 10))" >"$tmp/$i.out" 2>"$tmp/$i.err" </dev/null &
    eval "pid$i=\$!"
    i=$((i + 1))
done
i=1
while [ $i -le $n ]; do
    eval "wait \$pid$i"
    is "launcher $i of $n: status" $? $((i * 10))
    is "launcher $i of $n: its streams and share" \
        "$(cat "$tmp/$i.out") $(cat "$tmp/$i.err") $(cat "$tmp/$i/here")" "out $i err $i file $i"
    i=$((i + 1))
done
finish
