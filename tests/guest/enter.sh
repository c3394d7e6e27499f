#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin exec: commands in a machine that runs already; streams, statuses, senders that go away, sockets that cannot be.
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 99
mkdir share
echo 'a file' >share/file
mkfifo wait
enter() {
    timeout 120 "$origin" exec door "$@"
    echo "status $?"
}
# The machine's own command ends with its input.
"$origin" run -m origin200 --model=off -s share --exec=door -- sh -c 'echo up; cat; echo over' <wait >out 2>err &
run=$!
exec 5>wait
while [ ! -S door ] && kill -0 $run; do sleep 0.1; done

is 'the socket is for its owner alone' "$(stat -c %a door)" 600
is 'a command, its words, its directory' "$(enter -- sh -c 'echo "$@"; pwd; cat file' sh 'a  b' c </dev/null 2>&1)" 'a  b c
/share
a file
status 0'
is 'a line for the shell; both outputs; its status' "$({ echo in | enter 'cat; echo err >&2; exit 7' 2>e; cat e; } 2>&1)" 'in
status 7
err'
head -c 300000 "$ORIGIN_INITRD" >big
timeout 120 "$origin" exec door cat <big >back
is 'input and output of 300,000 bytes' "$? $(cmp back big && wc -c <back)" '0 300000'
is 'not found' "$(enter nosuch </dev/null 2>&1)" 'origin: nosuch: not found
status 127'
is 'a signal ends it' "$(enter -- sh -c 'kill -9 $$' </dev/null)" 'status 137'
is 'its reader goes away' "$(enter yes </dev/null | head -n 1)" y
is 'a sender that is killed takes its command along' "$(timeout 5 "$origin" exec door -- sleep 12345 </dev/null; enter 'ps | grep -c "[1]2345"' </dev/null)" '0
status 1'
(exec 5>&-; enter 'sleep 1; echo first' </dev/null >first) &
enter 'echo second' </dev/null >second
wait $!
is 'two at once: one after the other' "$(cat first second)" 'first
status 0
second
status 0'
"$origin" run -m origin200 --exec=door -- true >o 2>&1 </dev/null
is 'another machine at the same socket: refused' "$? $(cat o)" '125 origin: --exec door: Address already in use'

# A command that the machine's end finds running.
(exec 5>&-; enter 'echo runs; sleep 10000' </dev/null >last 2>&1) &
while ! grep -q runs last; do sleep 0.1; done
exec 5>&-
wait $run
is 'the machine ends with its own command' "$? $(cat out err)" '0 up
over'
wait $!
is 'and tells who waits' "$(cat last)" 'runs
origin: the machine stopped before the command ended
status 125'
ok 'the socket is gone' test ! -e door

is 'no machine' "$(enter true 2>&1)" 'origin: door: No such file or directory: no machine runs with --exec=door
status 125'
is 'no command' "$(enter 2>&1)" 'origin: exec wants a socket and a command (origin --help)
status 2'
touch file
run --exec=file -- true </dev/null
is 'a file in its place' "$status $err" '125 origin: --exec file: Address already in use'
finish
