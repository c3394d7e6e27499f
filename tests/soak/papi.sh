#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs all of PAPI's own test programs for the components that are built: C API, validation, sysdetect. A table in docs/papi.md lists those that do
# not pass, with the reasons; if one of these passes, that is a failure, too. Each point says its seconds of machine time. The memory system is
# modelled only for programs that depend on it. On a busy host use: make soak T=papi TEST_TIMEOUT=3600.
. "$(dirname "$0")/../lib.sh"
declare -A expected
while read -r name result; do
    expected[$name]=$result
done < <(sed -n 's/^| `\([a-z0-9_-]*\)` | \(SKIPPED\|FAILED\) |.*/\1 \2/p' "$root/docs/papi.md")
# Not run: programs that other programs run or attach to, and those in PAPI's run_tests_exclude.txt.
helpers=' burn attach_target pthrtough2 timer_overflow omptough memleak_check '
modelled=' derived papi_l1_dcm papi_l2_dca papi_l2_dcm flops_validation '
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
counting=()
for f in "$root"/build/papi/tests/*; do
    t=${f##*/}
    case $helpers$t in *" $t "* | *.sh | *.txt) continue ;; esac
    case $modelled in *" $t "*) counting+=("$t") ;; *) tests+=("$t") ;; esac
done
# each NAME OPTION TESTS...: runs the tests in one machine
each() {
    local name=$1 option=$2
    shift 2
    "$origin" run -m origin200 "$option" --range-monitor -s "$tmp" -- sh each.sh "$@" </dev/null >"$tmp/results.$name" 2>&1
}
# A machine runs a dozen tests; two machines run at a time.
each modelled --model=on "${counting[@]}" &
for ((i = 0; i < ${#tests[@]}; i += 12)); do
    [ "$(jobs -pr | wc -l)" -lt 2 ] || wait -n
    each "$i" --model=off "${tests[@]:i:12}" &
done
wait
tests+=("${counting[@]}")
cat "$tmp"/results.* >"$tmp/results"
for t in "${tests[@]}"; do
    read -r got seconds < <(awk -v t="$t" '$1 == t { print $2, $3 }' "$tmp/results")
    is "$t" "${got:-no result}" "${expected[$t]:-PASSED}"
    echo "# $t: $seconds s"
    [ "$got" = "${expected[$t]:-PASSED}" ] || tail -n 20 "$tmp/$t.out" 2>/dev/null | sed 's/^/#   /'
done
finish
