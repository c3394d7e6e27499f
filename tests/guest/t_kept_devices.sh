#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that are kept, for machines with a network, a view or a disk: with a network and a view a run that begins with a kept boot is the run that boots,
# to the last tick; with a disk every run boots.
. "$(dirname "$0")/../lib.sh"

own_boots
# go NAME OPTION...: status, output and sums of a run
go() {
    local name=$1
    shift
    "$origin" run --regions="$tmp/regions" "$@" >"$tmp/$name" 2>"$tmp/err" </dev/null
    echo "status $?" >>"$tmp/$name"
    cat "$tmp/regions" >>"$tmp/$name"
}

# The kernel finds the Ethernet while it boots, and process 1 sets it up for the command. The gateway answers at once: it is QEMU's own.
work='ping -c 2 10.0.2.2 | grep packets; ip addr; cat /proc/uptime /proc/stat /proc/interrupts /proc/net/dev; dmesg'
for options in '-m origin200 --net=user' '-m ricotta --time=full --threads=3 --net=user'; do
    # shellcheck disable=SC2086
    three_runs $options -- "$work"
    is "$options: one boot is kept" "$(count_boots)" $((before + 1))
    ok "$options: the run that keeps it is a run that boots" cmp "$tmp/cold" "$tmp/makes"
    ok "$options: a run that begins with it is, too" cmp "$tmp/cold" "$tmp/kept"
    like "$options: the gateway has answered" "$(cat "$tmp/kept")" '2 packets transmitted, 2 packets received'
done
# A port of the host that leads into the guest is the host's. That there is one makes a boot of its own.
before=$(count_boots)
port=$(python3 -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
"$origin" run -m origin200 "--net=user,hostfwd=tcp::0-:80" -- true </dev/null
is 'a port of the host: its boot is kept' "$(count_boots)" $((before + 1))
"$origin" run -m origin200 "--net=user,hostfwd=tcp::$port-:80" -- 'echo it is there | nc -l -p 80' </dev/null >"$tmp/out" 2>&1 &
run=$!
for ((i = 0; i < 600; i++)); do
    got=$(curl -s --http0.9 -m 5 "telnet://127.0.0.1:$port" </dev/null) && [ -n "$got" ] && break
    kill -0 $run 2>/dev/null || break
    sleep 0.1
done
wait $run
is 'another port has the same boot' "$(count_boots)" $((before + 1))
is 'and the host comes in by it' "$got" 'it is there'

# A view is not part of the machine: with one, and without, runs have the same boot.
work='cat /proc/uptime /proc/stat /proc/interrupts; dmesg'
go cold -m origin200 --boot=cold -- "$work"
before=$(count_boots)
go makes -m origin200 --view -- "$work"
is 'a view: the boot is kept' "$(count_boots)" $((before + 1))
ok 'a view: the run that keeps it' cmp "$tmp/cold" "$tmp/makes"
go kept -m origin200 --view -- "$work"
like 'a view: there is one' "$(cat "$tmp/err")" '^origin: view: http://127.0.0.1:'
ok 'a view: a run that begins with it' cmp "$tmp/cold" "$tmp/kept"
go kept -m origin200 -- "$work"
ok 'no view: a run that begins with the same boot' cmp "$tmp/cold" "$tmp/kept"
is 'it was the same boot' "$(count_boots)" $((before + 1))

# The kernel reads a disk while it boots, so each run boots and finds what the last one has written.
before=$(count_boots)
"$origin" run -m origin200 --disk "$tmp/disk" -- 'echo one >/disk/file' </dev/null
is 'a disk: what the last run has written' "$("$origin" run -m origin200 --disk "$tmp/disk" -- 'cat /disk/file; echo two >/disk/file' </dev/null)" one
is 'a disk: and the one after it' "$("$origin" run -m origin200 --disk "$tmp/disk" -- cat /disk/file </dev/null)" two
is 'a disk: no boot is kept' "$(count_boots)" "$before"
finish
