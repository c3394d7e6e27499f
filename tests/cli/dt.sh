#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Machine descriptions.  Each .dts of tests/dt must be refused with exit status 1
# and exactly the line in its "// expect:" comment.  Each preset must be accepted.
# A preset that is cut short anywhere must be refused.
. "$(dirname "$0")/../lib.sh"
dtinfo=$root/build/dtinfo

compile() { # compile DTS DTB
    dtc -q -I dts -O dtb -i "$root/qemu-origin/machines" -o "$2" "$1"
}

for dts in "$root"/tests/dt/*.dts; do
    name=$(basename "$dts" .dts)
    want=$(sed -n 's,^// expect: ,,p' "$dts")
    compile "$dts" "$tmp/$name.dtb"
    "$dtinfo" "$tmp/$name.dtb" >"$tmp/out" 2>"$tmp/err"
    got="exit $?: $(cat "$tmp/err" "$tmp/out")"
    is "refuses $name" "$got" "exit 1: $tmp/$name.dtb: ${want:?no expectation in $dts}"
done

for dts in "$root"/qemu-origin/machines/*.dts; do
    name=$(basename "$dts" .dts)
    compile "$dts" "$tmp/$name.dtb"
    line=$("$dtinfo" "$tmp/$name.dtb" 2>&1)
    like "accepts $name" "exit $? $line" "^exit 0 $name +[0-9]+ nodes? "
done

sed -n '/^```dts/,/^```$/p' "$root/docs/machine-description.md" | sed '1d;$d' >"$tmp/example.dts"
compile "$tmp/example.dts" "$tmp/example.dtb"
like "accepts the document's example" "$("$dtinfo" "$tmp/example.dtb" 2>&1)" '^example +3 nodes +5 CPUs +576 MB '

size=$(wc -c <"$tmp/origin200.dtb")
wrong=
for ((cut = 0; cut < size; cut += 7)); do
    head -c $cut "$tmp/origin200.dtb" >"$tmp/cut.dtb"
    said=$("$dtinfo" "$tmp/cut.dtb" 2>&1)
    case "$? $said" in
    "1 $tmp/cut.dtb: /: not a device tree blob: "*) [ "$(wc -l <<<"$said")" = 1 ] || wrong="$cut: $said" ;;
    *) wrong="$cut: $said" ;;
    esac
done
is "refuses truncated blobs" "$wrong" ""

like "names a missing file" "$("$dtinfo" "$tmp/none.dtb" 2>&1; echo "exit $?")" 'none.dtb: No such file'
like "says how it is used" "$("$dtinfo" 2>&1; echo "exit $?")" '^exit 2$'
like "reports distances" "$("$dtinfo" -r "$tmp/arctic.dtb")" '^nodes by hops from node 0: 1 1 8 12 8 2$'
finish
