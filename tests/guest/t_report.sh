#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin report --html of a run that snrun recorded and of a profile, looked at in a browser without a network. The program's name is markup,
# and must not become any.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/record.sh" <<'END'
name='<img src=x onerror=alert(1)>'
cp /usr/bin/snbench "/tmp/$name"
snrun -q -r1 -s10 -n0-7 --mem -o /share/trace "/tmp/$name" -h1 -l3 -l5 bw-read >/dev/null
cp /usr/bin/snbench /tmp/=1+1
snrun -q -r1 -n1 --alocal -o /share/formula /tmp/=1+1 -h1 -l3 bw-read >/dev/null
END
run -m ricotta -s "$tmp" -- sh record.sh </dev/null
is "recorded" "$status $err" "0 "
"$root/build/host/sndump" --csv "$tmp"/trace* >"$tmp/csv"
like "a spreadsheet takes no name for a formula" "$("$root/build/host/sndump" --csv --pc "$tmp"/formula.*)" "^[0-9.]+,[0-9.]+,t0,'=1\+1"
run_profile() { "$origin" profile -m ricotta -o "$tmp/profile" -- ls -R /hw >/dev/null 2>"$tmp/err" </dev/null; }
ok "profiled" run_profile
"$origin" report --format=csv "$tmp/profile" >"$tmp/misses"
ok "the page is written" "$origin" report --html "$tmp/page.html" "$tmp/profile" "$tmp"/trace*
like "the page has the name, escaped" "$(grep -c 'u003cimg src=x onerror=alert(1)' "$tmp/page.html")" '^[1-9]'
python3 "$root/tests/guest/report.py" "$tmp/page.html" "$tmp/csv" "$tmp/misses" >"$tmp/points" 2>"$tmp/said"
points_of browser "$tmp/points" "$tmp/said"
finish
