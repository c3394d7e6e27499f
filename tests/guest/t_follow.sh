#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Following lines: what is told of a line is its part of the transaction trace, holds the laws of docs/follow.md, and changes nothing.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O2 -g "$root/tests/guest/diseases/false_sharing.c" -o "$tmp/share/false_sharing" -lpthread &&
    "$origin" cc -O2 -g "$root/tests/guest/ticket_lock.c" -o "$tmp/share/ticket" -lpthread || { echo 'Bail out! a program does not compile'; exit 99; }

# traced FILE COMMAND...: origin COMMAND, with the trace of transactions in FILE
traced() {
    file=$1
    shift
    "$origin" "$1" --qemu-arg=-trace --qemu-arg=origin_transaction --qemu-arg=-D --qemu-arg="$file" -s "$tmp/share" "${@:2}" >"$tmp/out" 2>"$tmp/err" </dev/null
}

traced "$tmp/trace" run -m ricotta --follow counters --follow-max 500000 -o "$tmp/p" -- ./false_sharing
is 'a variable is followed' "$? $(cut -d '|' -f 1,2 "$tmp/out") $(wc -l <"$tmp/p/followed.csv")" '0 expect counters|false sharing 2'
python3 "$root/tests/guest/follow.py" "$tmp/p" "$tmp/trace" >"$tmp/laws" 2>&1
like 'its events are the transaction trace, and hold the laws' "$(cat "$tmp/laws")" '^0x[0-9a-f]+ transactions [0-9]+ messages [0-9]+ causes .*false_sharing=[0-9]+.* equal$'
# The increments of a thread: at most one miss and one upgrade each
within 'all misses by false sharing are there' 200 "$(grep -o 'false_sharing=[0-9]*' "$tmp/laws" | cut -d = -f 2)" 80000
"$origin" follow "$tmp/p" >"$tmp/text" 2>"$tmp/err"
is 'origin follow' "$? $(head -c 5 "$tmp/text")" '0 line '
like 'thread, source line, member and cause are known' "$(cat "$tmp/text")" 'store cpu [0-9]+ \([0-9]+[AB]\) false_sharing:[0-9]+ false_sharing.c:28 in count\(\): counters.left, dirty_transfer, false_sharing, '
is 'each event has its line' "$(grep -cE '^ +[0-9]+\.[0-9]{6} ' "$tmp/text")" "$(awk -F, 'NR == 2 { print $5 }' "$tmp/p/followed.csv")"
line=$(awk -F, 'NR == 2 { print $1 }' "$tmp/p/followed.csv")
is 'one line of them' "$("$origin" follow --line="$line" "$tmp/p" | wc -l) $("$origin" follow --line=0x80 "$tmp/p" | grep -c EVENT)" "$(wc -l <"$tmp/text") 0"

"$origin" report --html "$tmp/page.html" "$tmp/p" 2>"$tmp/err"
is 'a page steps through it' "$? $(python3 "$root/tests/guest/follow_page.py" "$tmp/page.html" 2>&1 | tail -n 3)" '0 forwards and backwards'

traced "$tmp/plain" run -m ricotta -- ./false_sharing
ok 'the run is the same as without' cmp "$tmp/plain" "$tmp/trace"
rm "$tmp/plain" "$tmp/trace"

traced "$tmp/trace" profile -m ricotta --time=full --follow HOTTEST:2 -o "$tmp/p" -- ./ticket
is 'the hottest lines are followed' "$? $(cat "$tmp/out") $(wc -l <"$tmp/p/followed.csv")" '0 320 3'
python3 "$root/tests/guest/follow.py" "$tmp/p" "$tmp/trace" >"$tmp/laws" 2>&1
is 'their events are the transaction trace, and hold the laws' "$(grep -c ' equal$' "$tmp/laws") $(grep -vc ' equal$' "$tmp/laws")" '2 0'
"$origin" follow "$tmp/p" >"$tmp/text" 2>"$tmp/err"
like 'the lock is one of them' "$(cat "$tmp/text")" 'ticket_lock.c:[0-9]+ in work\(\): lock.(next|serving), .*true_sharing'
like 'waits are named' "$(cat "$tmp/text")" ', waits: .*(take memory|way link|take sysad|way ni) [0-9]+ [0-9]+'

refused() { # refused NAME STATUS MESSAGE ARG...
    name=$1 want="$2 origin: $3"
    shift 3
    (cd "$tmp" && "$origin" "$@" >/dev/null 2>err </dev/null)
    is "$name" "$? $(tail -n 1 "$tmp/err")" "$want"
}
refused 'no lines' 2 "--follow 'HOTTEST:65': HOTTEST or HOTTEST:N, N from 1 to 64" run --follow HOTTEST:65 -s share -- ./ticket
refused 'no address' 2 "--follow 'phys:x': no address" run --follow phys:x -s share -- ./ticket
refused 'no program' 2 "--follow 'lock': variables are looked up in a program of the share (-s): name it, PROGRAM:NAME" run --follow lock -- ls
refused 'no variable' 2 "--follow: share/./ticket has no variable 'door'" run --follow door -s share -- ./ticket
refused 'no such byte' 2 "--follow 'lock+8': the variable has 8 bytes" run --follow lock+8 -s share -- ./ticket
refused 'no file' 125 '--follow: share/./tickets: No such file or directory' run --follow lock -s share -- ./tickets
refused 'a directory without a run' 2 '-o needs --follow: what shall be recorded?' run -o p -- ls
refused 'nothing was followed' 1 "share: no profile: it has no meta.csv" follow share
rm "$tmp/p/follow.csv" "$tmp/p/followed.csv"
refused 'a profile without lines' 1 'p: no line was followed (origin run --follow)' follow p
finish
