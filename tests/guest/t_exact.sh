#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What snsar counts is what happened: every Hub's memory counters, mode by mode, against the model's ground truth over the same stretch of
# machine time, whatever the kernel does meanwhile. exact.py has the rules.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O2 -o "$tmp/share/exact" "$root/tests/guest/exact.c" -lsn -lpthread || exit 99
modes="out ivn in rd lp0"
cat >"$tmp/share/all.sh" <<END
./exact clock >/tmp/clock && cp /tmp/clock new && mv new clocks
for m in $modes; do
    snsar -n all --\$m -o /tmp/trace 0.1 >/dev/null 2>&1 & pid=\$!
    sleep 0.1
    ./exact meet \$m.a
    ./exact traffic; cat exact >/dev/null
    ./exact meet \$m.b
    sleep 0.1
    kill -INT \$pid; wait
    cp /tmp/trace trace.\$m; touch done.\$m
done
END
run -m ricotta -s "$tmp/share" --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -- sh all.sh </dev/null &
# shellcheck disable=SC2086
timeout 300 python3 "$root/tests/guest/exact.py" "$tmp/qmp" "$tmp/share" "$root/build/host/sninfo" $modes >"$tmp/points" 2>&1
wait
while IFS= read -r line; do
    case $line in
    ok\ -*) result 0 "${line#ok - }" ;;
    not\ ok\ -*) result 1 "${line#not ok - }" "$(grep -A 3 -F "$line" "$tmp/points")" ;;
    *) echo "$line" ;;
    esac
done <"$tmp/points"
is "every mode was measured" "$(grep -c 'ok - ' "$tmp/points")" 15
like "there was enough to count" "$(cat "$tmp/points")" '^# seen (.* )?outdata .*ivninval .*inread .*inrev .*rdexcl .*lp0read '
finish
