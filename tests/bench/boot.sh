#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the host's seconds of `origin run -m PRESET -- true` from start to end: boot, command, stop; the better of two. Then what a minute's
# sleep in the guest adds to that.
. "$(dirname "$0")/../lib.sh"
declare -A limit=([ricotta]=3 [arctic]=10 [stinger]=30)
TIMEFORMAT='%R %U'
printf '%-16s %9s %9s %9s\n' 'boot' 'seconds' 'CPU s' 'model off'
"$origin" machines | while read -r m _; do
    for model in on on off off; do
        read -r real user < <({ time "$origin" run -m "$m" --model=$model -- true </dev/null >/dev/null 2>&1; } 2>&1)
        case $model in
        on) if [ -z "${on_real-}" ] || awk "BEGIN { exit !($real < $on_real) }"; then on_real=$real on_user=$user; fi ;;
        off) if [ -z "${off_real-}" ] || awk "BEGIN { exit !($real < $off_real) }"; then off_real=$real; fi ;;
        esac
    done
    printf '%-16s %9s %9s %9s\n' "$m" "$on_real" "$on_user" "$off_real"
    [ -z "${limit[$m]-}" ] || aim "boot of $m" "$on_real" most "${limit[$m]}" s
    unset on_real on_user off_real
done

wall() { # wall COMMAND: the least seconds of three runs
    for _ in 1 2 3; do
        { time "$origin" run -m ricotta -- "$1" </dev/null >/dev/null 2>&1; } 2>&1
    done | sort -n | awk 'NR == 1 { print $1 }'
}
none=$(wall true)
minute=$(wall 'sleep 60')
aim "a minute's sleep in the guest, beyond boot" "$(awk "BEGIN { printf \"%.2f\", $minute - $none }")" most 1 s
