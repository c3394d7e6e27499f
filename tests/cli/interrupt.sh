#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A build that is interrupted, or whose packages cannot be installed, leaves no process behind. The tree has the scripts that start others; what they start
# sleeps here, and says who it is.
. "$(dirname "$0")/../lib.sh"
tree=$tmp/tree
mkdir -p "$tree/scripts" "$tmp/running"
builds=
trap 'for build in $builds; do pkill -KILL -s "$build"; done; rm -rf "$tmp"' EXIT
cp "$root"/scripts/{lib.sh,host.sh,build} "$tree/scripts/"
echo dpkg >"$tree/scripts/packages-guest.txt"
# program NAME [LINES]: a script of the build that does LINES, and then starts a compiler and waits for it as ninja does
program() {
    cat >"$tree/scripts/$1" <<END
#!/bin/bash
. "$root/scripts/lib.sh" 2>/dev/null
root=$tree build=$tree/build
$2
sleeps() { echo \$BASHPID >"$tmp/running/$1"; sleep 1000 & sleep 1000; }
run_logged $1 sleeps
END
    chmod +x "$tree/scripts/$1"
}
# start SCRIPT [NAME...]: a script in a group of its own, as a terminal has it, until the programs that are named run
start() {
    rm -f "$tmp/running"/*
    CACHE=$tmp/cache setsid env -u ORIGIN_STEPS --default-signal=INT "$tree/scripts/$1" "$tree/scripts/make" all >"$tmp/out" 2>&1 &
    shift
    build=$! builds="$builds $!"
    for name; do
        for _ in {1..300}; do [ ! -s "$tmp/running/$name" ] || break; sleep 0.1; done
        ok "$1: $name runs" test -s "$tmp/running/$name"
    done
}
# Of the session: the build leads it.
left() { ps -s "$build" -o args= | grep -v ' <defunct>$'; }

program fetch-sources
program make
program install-packages exit
start build fetch-sources
kill -INT -- "-$build"
wait "$build"
is 'Ctrl-C while sources come: the status' $? 130
is 'nothing runs' "$(left)" ''
program fetch-sources exit
start build make
kill -INT -- "-$build"
wait "$build"
is 'Ctrl-C while it compiles: the status' $? 130
is 'nothing runs' "$(left)" ''
start build make
kill -TERM "$build"
wait "$build"
is 'the build is told to end: the status' $? 130
is 'nothing runs' "$(left)" ''
start make make
kill -INT -- "-$build"
wait "$build"
is 'Ctrl-C in a step that runs alone: the status' $? 130
is 'nothing runs' "$(left)" ''
program fetch-sources
program install-packages 'until [ -s "'"$tmp/running/fetch-sources"'" ]; do sleep 0.1; done; die "no such package"'
start build
wait "$build"
is 'packages cannot be installed: the status' $? 1
is 'it says why, and no more' "$(cat "$tmp/out")" 'install-packages: no such package'
is 'nothing runs' "$(left)" ''
finish
