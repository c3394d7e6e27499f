#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Documents say what is and do not remember (tests/static/prose.py); pages of figures say of which sources they are; each aim of a bench is of one.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
python3 tests/static/prose.py >"$tmp/prose"
grep -v '^1\.\.' "$tmp/prose" >"$tmp/tap"
while read -r line; do
    case $line in
    'ok '*) result 0 "${line#ok * - }" ;;
    'not ok '*) result 1 "${line#not ok * - }" ;;
    *) echo "$line" ;;
    esac
done <"$tmp/tap"

# What the test must refuse, a line each, and what it must not.
while IFS= read -r line; do
    printf '%s\n' "$line" >"$tmp/a.md"
    like "refused: $line" "$(python3 tests/static/prose.py "$tmp/a.md")" ':1: '
done <<'END'
Booting used to take longer.
It no longer stops there.
The same bench an hour earlier gave 1.9.
On a host that was half as fast it took 2 s.
Medians of three rounds on commit fa05ac7.
It took 5.0 s, and now it takes 0.5 s.
Processors now run in rounds instead of turns.
| machine | before | now |
Measured on 2026-11-24.
Days before, with more instructions, it was slower.
A shorter way was tried.
The table was there in the old layout.
END
while IFS= read -r line; do
    printf '%b\n' "$line" >"$tmp/a.md"
    is "not refused: $line" "$(python3 tests/static/prose.py "$tmp/a.md")" ''
done <<'END'
A counter is used to measure that.
Count from now on.
The line of data is now shared by two nodes.
Look at `commit 0123abc`.
```\nA fence used to be wood.\n```
<!-- remembers: the page is a history -->\nBooting used to take longer.
<!-- measured 0123456789abcdef of tests -->\nCommit fa05ac7, 2026-11-24.
END

is 'a mark of figures names what is there' "$(grep -ho '^<!-- measured .* -->$' README.md docs/*.md docs/*/*.md |
    sed 's/.* of \(.*\) -->/\1/' | tr ' ' '\n' | sort -u | while read -r path; do [ -e "$path" ] || echo "$path"; done)" ''
is 'an aim is of a bench' "$(sed -n 's/^\([^# ]*\) .*/\1/p' tests/bench/aims | sort -u | while read -r name; do [ -e "tests/bench/$name.sh" ] || echo "$name"; done)" ''
# Not a fault: figures take long to measure. The log and the page say it.
scripts/measured.py --status | sed -n '/older than the sources/s/^/# /p'
finish
