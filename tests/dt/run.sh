#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Broken machine descriptions: each .dts beside this file must be refused with
# exactly the line that its "// expect:" comment holds and exit status 1; each
# preset must be accepted; a preset cut short anywhere must be refused.
#
#   run.sh DTINFO         prints TAP
set -u
dtinfo=${1:?usage: run.sh DTINFO}
here=$(cd "$(dirname "$0")" && pwd)
machines=$here/../../qemu-origin/machines
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

result() { # result OK NAME
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        failed=1
    fi
}

compile() { # compile DTS DTB
    dtc -q -I dts -O dtb -i "$machines" -o "$2" "$1"
}

for dts in "$here"/*.dts; do
    name=$(basename "$dts" .dts)
    want=$(sed -n 's,^// expect: ,,p' "$dts")
    if ! compile "$dts" "$tmp/$name.dtb"; then
        result 1 "refuses $name"
        continue
    fi
    "$dtinfo" "$tmp/$name.dtb" >"$tmp/out" 2>"$tmp/err"
    status=$?
    printf '%s: %s\n' "$tmp/$name.dtb" "$want" >"$tmp/want"
    if [ $status = 1 ] && [ -n "$want" ] && [ ! -s "$tmp/out" ] &&
        cmp -s "$tmp/want" "$tmp/err"; then
        result 0 "refuses $name"
    else
        echo "# exit $status, said: $(cat "$tmp/err" "$tmp/out")"
        echo "#        wanted: $(cat "$tmp/want")"
        result 1 "refuses $name"
    fi
done

for dts in "$machines"/*.dts; do
    name=$(basename "$dts" .dts)
    compile "$dts" "$tmp/$name.dtb" &&
        line=$("$dtinfo" "$tmp/$name.dtb") &&
        [ "${line%% *}" = "$name" ]
    result $? "accepts $name"
done

size=$(wc -c <"$tmp/origin200.dtb")
bad=0
cut=0
while [ $cut -lt "$size" ]; do
    head -c $cut "$tmp/origin200.dtb" >"$tmp/cut.dtb"
    "$dtinfo" "$tmp/cut.dtb" >/dev/null 2>"$tmp/err"
    if [ $? != 1 ] || [ "$(wc -l <"$tmp/err")" != 1 ] ||
        ! grep -q ': /: not a device tree blob: ' "$tmp/err"; then
        bad=1
        echo "# cut at $cut: $(cat "$tmp/err")"
    fi
    cut=$((cut + 7))
done
result $bad "refuses truncated blobs"

"$dtinfo" "$tmp/none.dtb" >/dev/null 2>"$tmp/err"
[ $? = 1 ] && grep -q 'none.dtb: No such file' "$tmp/err"
result $? "names a missing file"
"$dtinfo" >/dev/null 2>"$tmp/err"
[ $? = 2 ] && grep -q '^usage: ' "$tmp/err"
result $? "says how it is used"
"$dtinfo" -r "$tmp/arctic.dtb" | grep -q '^nodes by hops from node 0: 1 1 8 12 8 2$'
result $? "reports distances"

echo "1..$n"
exit $failed
