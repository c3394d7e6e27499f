#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All of PAPI's own test programs for the components that are built: C API, validation, sysdetect. Those that do not pass stand with the reason in
# a table of docs/papi.md; one of them that passes is a failure, too. Seconds of machine time are given with each; destroy takes the most, 1320.
. "$(dirname "$0")/../lib.sh"
declare -A expected
while read -r name result; do
    expected[$name]=$result
done < <(sed -n 's/^| `\([a-z0-9_-]*\)` | \(SKIPPED\|FAILED\) |.*/\1 \2/p' "$root/docs/papi.md")
# Not tests: what others run or attach to; what PAPI's run_tests_exclude.txt takes out, and what never ends.
helpers=' burn attach_target pthrtough2 timer_overflow omptough memleak_check '
cp "$root"/build/papi/tests/* "$tmp" || exit 99
cat >"$tmp/each.sh" <<'END'
for t; do
    s=$(cut -d. -f1 /proc/uptime)
    timeout 1800 "./$t" TESTS_QUIET >"$t.out" 2>&1
    r=$(grep -oE 'PASSED|SKIPPED|FAILED' "$t.out" | head -n 1)
    echo "$t ${r:-nothing} $(($(cut -d. -f1 /proc/uptime) - s))"
done
END
tests=()
for f in "$root"/build/papi/tests/*; do
    case $helpers in *" ${f##*/} "*) ;; *) [ "${f%.*}" != "$f" ] || tests+=("${f##*/}") ;; esac
done
# A boot for each dozen, two at a time.
for ((i = 0; i < ${#tests[@]}; i += 12)); do
    "$origin" run -m origin200 --range-monitor -s "$tmp" -- sh each.sh "${tests[@]:i:12}" </dev/null >"$tmp/results.$i" 2>&1 &
    [ $((i / 12 % 2)) = 0 ] || wait
done
wait
cat "$tmp"/results.* >"$tmp/results"
for t in "${tests[@]}"; do
    got=$(awk -v t="$t" '$1 == t { print $2 }' "$tmp/results")
    is "$t, $(awk -v t="$t" '$1 == t { print $3 }' "$tmp/results") s" "${got:-no result}" "${expected[$t]:-PASSED}"
    [ "$got" = "${expected[$t]:-PASSED}" ] || tail -n 20 "$tmp/$t.out" | sed 's/^/#   /'
done
finish
