#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin profile where it is hard: a stripped program that forks, executes, loads a library and makes code; a disk that is full; a machine that
# is killed.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/guest
mkdir "$tmp/share"
"$origin" cc -O2 -s -o "$tmp/share/restless" "$here/restless.c" -lpthread -ldl || { echo 'Bail out! restless.c does not compile'; exit 99; }

# --- a restless program ---
out=$("$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/p" -- ./restless 300 2>"$tmp/err")
is 'a program that forks, executes, loads and makes code runs' "$? $out" '0 42 3 300 threads'
while read -r status line; do
    [ "$status" = ok ]
    result $? "restless: ${line#ok }"
done < <(python3 "$here/profile.py" "$tmp/p" laws)
report=$("$origin" report "$tmp/p" 2>"$tmp/err")
is 'its report: status' "$?" 0
is 'a stripped program is mentioned once' "$(grep -c 'restless: stripped' "$tmp/err")" 1
like 'the code that it loaded has names' "$("$origin" report --format=csv "$tmp/p" 2>/dev/null)" ',/lib[^,]*/libm\.so\.6,'
ok 'each thread has its row' test "$(grep -c ',restless,' "$tmp/p/threads.csv")" -ge 300

# --- more names of regions than numbers ---
cat >"$tmp/many.c" <<'END'
#include <sn_roi.h>
#include <stdio.h>
int main(void)
{
    char name[8];

    for (int i = 0; i < 270; i++) {
        snprintf(name, sizeof(name), "r%d", i);
        sn_roi_begin(name);
        sn_roi_end();
    }
    return 0;
}
END
"$origin" cc -o "$tmp/share/many" "$tmp/many.c" -lsnpc || exit 99
"$origin" profile -m origin200 -s "$tmp/share" -o "$tmp/many" -- ./many </dev/null 2>"$tmp/err"
like 'names of regions that found no room are said' "$("$origin" report "$tmp/many" 2>/dev/null)" '^No room was left for 15 names of regions, '

# --- a file that cannot be written, as on a full disk: a directory has its name ---
mkdir "$tmp/full"
mkdir "$tmp/full/.misses.csv.new"
"$origin" profile -m origin200 -o "$tmp/full" -- true >"$tmp/out" 2>"$tmp/err" </dev/null
is 'full disk: status, and which table' "$? $(cat "$tmp/out" "$tmp/err")" '125 origin: the profile is not complete: misses.csv: File exists'
"$origin" profile -m origin200 -o "$tmp/full" -- 'exit 3' >"$tmp/out" 2>"$tmp/err" </dev/null
is "full disk: a failed command's own status" $? 3
"$origin" report "$tmp/full" >"$tmp/out" 2>"$tmp/err"
is 'full disk: the report says that there is no profile' "$? $(cat "$tmp/out" "$tmp/err")" "1 origin: $tmp/full: no profile: it has no meta.csv"
ok 'full disk: nothing looks like a complete profile' test ! -e "$tmp/full/meta.csv"

# --- killed: machine time passes quickly while the guest sleeps ---
"$origin" profile -m origin200 -o "$tmp/killed" -- 'while sleep 9; do ls /proc; done' >"$tmp/out" 2>&1 </dev/null &
pid=$!
while [ ! -e "$tmp/killed/meta.csv" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
kill -KILL "$pid"
wait "$pid" 2>"$tmp/err"
report=$("$origin" report "$tmp/killed" 2>"$tmp/err")
is 'killed: what was written is read' "$?" 0
like 'killed: the report says so' "$report" '^The machine did not end by itself'
like 'killed: the causes are there' "$report" ' all$'
finish
