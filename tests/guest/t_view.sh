#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin run --view: what the page of a running machine shows is what the model knows, and the machine does not notice who looks: a crowd of viewers that
# read, never read, pause, step and ask gives the same output, the same counts and the same end, to the tick.
. "$(dirname "$0")/../lib.sh"

cat >"$tmp/truth.py" <<'END'
import sys
from qmp import Qmp

qmp = Qmp(sys.argv[1])
qmp.wait("SHUTDOWN")
for what in "truth", "tick", "invariants":
    print(qmp.get(what), file=open(sys.argv[2] + what, "w"))
qmp.command("quit")
END
job='snsar -n0,3 --mem --mdidle --mdbusy 0.02 3
for i in 1 2 3 4; do (md5sum /usr/bin/snbench; dd if=/dev/zero of=/tmp/f$i bs=64k count=4 2>/dev/null; md5sum /tmp/f$i) & done; wait
sleep 3; cat /proc/interrupts /proc/stat'
for i in alone crowd; do
    view=
    [ $i = alone ] || view=--view
    # shellcheck disable=SC2086
    "$origin" run $view -m ricotta --qemu-arg=-no-shutdown --qemu-arg=-qmp --qemu-arg="unix:$tmp/$i.qmp,server=on,wait=off" \
        -- "$job" >"$tmp/$i.out" 2>"$tmp/$i.err" </dev/null &
    run=$!
    [ $i = alone ] || python3 "$root/tests/guest/view.py" crowd "$tmp/$i.err" >"$tmp/rounds" 2>&1 &
    python3 "$tmp/truth.py" "$tmp/$i.qmp" "$tmp/$i."
    wait $run
    is "$i: status" $? 0
done
wait
like 'the viewers came to work' "$(cat "$tmp/rounds")" '^[1-9][0-9]+ rounds, 4 streams stuck$'
is 'the laws hold' "$(cat "$tmp/crowd.invariants")" ok
ok 'with a crowd: the same output, interrupts and CPU times' cmp "$tmp/alone.out" "$tmp/crowd.out"
ok 'with a crowd: the same counts everywhere' cmp "$tmp/alone.truth" "$tmp/crowd.truth"
ok 'with a crowd: the end at the same tick' cmp "$tmp/alone.tick" "$tmp/crowd.tick"

"$origin" run --view=paused -t 300 -m ricotta --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -s "$tmp" \
    -- 'until [ -e stop ]; do md5sum /usr/bin/snbench >/dev/null; done; echo "<img src=x onerror=alert(1)>"' >"$tmp/out" 2>"$tmp/err" </dev/null &
run=$!
python3 "$root/tests/guest/view.py" hostile "$tmp/err" >"$tmp/points" 2>&1
points_of hostile "$tmp/points"
python3 "$root/tests/guest/view.py" browser "$tmp/err" "$tmp/qmp" "$tmp/stop" ${SCREENSHOT:+"$SCREENSHOT"} >"$tmp/points" 2>&1 || kill $run
points_of browser "$tmp/points"
wait $run
is 'the run that was looked at: status' $? 0
is 'its output' "$(cat "$tmp/out")" '<img src=x onerror=alert(1)>'
is 'one line on stderr' "$(grep -c . "$tmp/err")" 1

# A profile: its findings, and that looking changes nothing of it. run.csv has the command, which differs by --view.
"$origin" cc -O2 -g -o "$tmp/false_sharing" "$root/tests/guest/diseases/false_sharing.c" -lpthread
for i in alone looked; do
    view=
    [ $i = alone ] || view=--view=paused
    # shellcheck disable=SC2086
    "$origin" profile $view --follow counters -o "$tmp/profile" -s "$tmp" -- ./false_sharing >"$tmp/out" 2>"$tmp/err" </dev/null &
    run=$!
    [ $i = alone ] || python3 "$root/tests/guest/view.py" findings "$tmp/err" "$tmp/headline" >"$tmp/points" 2>&1 || kill $run
    wait $run
    is "profile, $i: status" $? 0
    mv "$tmp/profile" "$tmp/$i.profile"
done
points_of findings "$tmp/points"
is 'the last finding is the report'"'"'s' "$(cat "$tmp/headline")" "$("$origin" report "$tmp/looked.profile" | head -n 1)"
ok 'the profile is the same, whoever looked' diff -r -q -x run.csv "$tmp/alone.profile" "$tmp/looked.profile"
is 'nothing else is left in its directory' "$(ls -A "$tmp/looked.profile")" "$(ls -A "$tmp/alone.profile")"

# Whatever ends the launcher, or the view before it: no table of the view's is left.
for signal in 15 9; do
    "$origin" profile --view -o "$tmp/killed" -- 'while :; do md5sum /usr/bin/snbench; done' >"$tmp/out" 2>"$tmp/err" </dev/null &
    run=$!
    python3 "$root/tests/guest/view.py" killed "$tmp/err" $run "$tmp/killed" $signal >"$tmp/points" 2>&1 || kill $run
    wait $run
    points_of "a profile that signal $signal ends" "$tmp/points"
done

run --view=65536 true
is 'a port that is none' "$status $err" "2 origin: --view is [PORT][,paused], not '65536' (origin --help)"
run --view=1,2 true
is 'a word that is none' "$status" 2
python3 -c 'import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)' >"$tmp/port" &
taken=$!
until [ -s "$tmp/port" ]; do sleep 0.1; done
run --view="$(cat "$tmp/port")" true
is 'a port that is taken' "$status $err" "125 origin: --view: port $(cat "$tmp/port") of 127.0.0.1: Address already in use"
kill $taken
finish
