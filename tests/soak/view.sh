#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Twenty viewers for a minute: the memory of the view's process does not grow. Ten of them read, five never do, five leave and come again.
. "$(dirname "$0")/../lib.sh"
"$origin" run --view -m "${M:-arctic}" -s "$tmp" -- 'until [ -e stop ]; do md5sum /usr/bin/snbench >/dev/null & md5sum /usr/bin/snrun >/dev/null; wait; done' \
    >"$tmp/out" 2>"$tmp/err" </dev/null &
run=$!
python3 "$root/tests/guest/view.py" memory "$tmp/err" $run "${SECONDS_TO_WATCH:-60}" >"$tmp/points" 2>&1
: >"$tmp/stop"
wait $run
is 'the run ends well' $? 0
like 'the viewers came to their end' "$(tail -n 1 "$tmp/points")" '^1\.\.'
while IFS= read -r line; do
    case $line in
    '#'*) echo "$line" ;;
    'ok '*) result 0 "${line#* - }" ;;
    'not ok '*) result 1 "${line#* - }" "$(cat "$tmp/points")" ;;
    esac
done <"$tmp/points"
finish
