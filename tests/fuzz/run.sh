#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, repeatable run of one fuzzer, as TAP.  Seeds are copied first, so
# what the fuzzer finds new stays out of their directory; a crash leaves its
# input in the current directory and its name in the output.
#
#   run.sh FUZZER RUNS SEED-FILE...
set -u
fuzzer=${1:?usage: run.sh FUZZER RUNS SEED-FILE...}
runs=${2:?usage: run.sh FUZZER RUNS SEED-FILE...}
shift 2
name=$(basename "$fuzzer")
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/seeds" && cp -- "$@" "$tmp/seeds" || exit 99

if "$fuzzer" -seed=1 -runs="$runs" -max_len=6000 -artifact_prefix="$name-" \
    "$tmp/seeds" >"$tmp/log" 2>&1; then
    echo "# $(grep -h 'DONE' "$tmp/log")"
    echo "ok 1 - $name, $runs inputs"
    status=0
else
    sed 's/^/# /' "$tmp/log" | tail -40
    echo "not ok 1 - $name, $runs inputs"
    status=1
fi
echo "1..1"
exit $status
