#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A guest reaches no file of the host outside its share: by links that it makes, by FIFOs and devices, and when a directory in which it works becomes
# a link. The server opens each part of a path without following links, so the last one is decided there and not by the guest.
. "$(dirname "$0")/../lib.sh"
share=$tmp/share
mkdir "$share" "$share/sub" "$tmp/victim"
echo precious >"$tmp/victim/file"
echo own >"$share/sub/file"
chmod 640 "$tmp/victim/file"
state() { (cd "$tmp/victim" && find . -printf '%p %m %y %s %T@\n' | sort; cat file); }
before=$(state)

# The guest names the victim by the host's path, and by one that leads up from the share.
run -m origin200 --model=off -s "$share" -- "ln -s $tmp/victim absolute; ln -s ../victim relative; cd sub
    for f in ../absolute/file ../relative/file ../../victim/file ../absolute ../relative; do cat \$f; echo harm >\$f; rm \$f; done 2>/dev/null
    ls /share/.. | tr '\n' ' '; mkdir /tmp/links; cd /tmp/links; ln /share/absolute hard 2>/dev/null || echo no"
is 'links: the victim' "$(state)" "$before"
unlike 'links: what the guest read' "$out" precious
is 'a share has nothing above it' "$(echo "$out" | grep -o 'share sys')" 'share sys'

# The guest's kernel opens pipes and devices itself; the server opens neither. So a pipe of the host's hangs nobody, and its reader gets nothing.
mkfifo "$share/pipe"
timeout 100 cat "$share/pipe" >"$tmp/piped" &
reader=$!
run -m origin200 --model=off -s "$share" -- 'echo guest >pipe & cat pipe; mkfifo own; echo own >own & cat own; mknod null c 1 3 2>/dev/null && cat null; echo end'
is 'pipes and devices: status, output' "$status $(echo "$out" | tr '\n' ' ')" '0 guest own end '
kill $reader
wait $reader 2>/dev/null
is 'a pipe of the host: nothing came' "$(cat "$tmp/piped")" ''
rm -f "$share/null"

# The host exchanges the directory in which the guest works, and a file that it has open, for links.
run_swapped() {
    until [ -e "$share/ready" ]; do sleep 0.1; done
    mv "$share/sub" "$share/gone"
    ln -s "$tmp/victim" "$share/sub"
    touch "$share/swapped"
}
run_swapped &
# shellcheck disable=SC2016
run -m origin200 --model=off -t 300 -s "$share" -- 'cd sub; exec 3>>file; touch ../ready
    until [ -e /share/swapped ]; do sleep 0.1; done
    cat file; echo harm >>file; echo harm >new; mkdir dir; ln -s x link; mv file moved; rm file; chmod 777 . file /proc/self/fd/3; touch -d @0 file
    ls; mv /share/gone/file new'
wait
is 'a directory becomes a link: the victim' "$(state)" "$before"
unlike 'a directory becomes a link: what the guest read' "$out" 'precious'
like 'a directory becomes a link: what it is told' "$err" "file: (Too many levels of symbolic links|Not a directory|No such file)"
finish
