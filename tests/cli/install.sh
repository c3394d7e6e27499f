#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make install (README.md): a tree that works without this one, that may be moved, and that goes away without a trace. tests/soak/deb.sh tries the package.
. "$(dirname "$0")/../lib.sh"
prefix=$tmp/prefix
mkdir "$prefix"
echo kept >"$prefix/other"
"$root/scripts/install" "$prefix" >"$tmp/said" 2>&1
is 'it installs' "$? $(cat "$tmp/said")" '0 '
(cd "$prefix" && find . \( -type f -o -type l \) ! -name other | sort) >"$tmp/found"
sed 's|^|./|' "$prefix/lib/origin2000/files" | sort >"$tmp/listed"
is 'its list names all that it installed' "$(cat "$tmp/found")" "$(cat "$tmp/listed")"
# Paths in debug information say where sources were; only text counts.
is 'no file of text names the tree that built it' \
    "$(grep -rlI -F "$root/" "$prefix" | sed "s|^$prefix/||" | grep -v '^lib/origin2000/build/sdk/share/origin.meson$')" ''
mv "$prefix" "$tmp/moved"
prefix=$tmp/moved
# As a user has it: by its link, from another directory, without our environment.
installed() { (cd "$tmp" && env -i HOME="$tmp" PATH="$prefix/bin:/usr/bin:/bin:/usr/sbin:/sbin" origin "$@"); }
is 'version' "$(installed --version)" "$("$origin" --version)"
is 'the presets' "$(installed machines)" "$("$origin" machines)"
mkdir "$tmp/share"
printf '#include <snpc.h>\n#include <stdio.h>\nint main(void) { printf("%%zu\\n", sizeof(int)); return 3; }\n' >"$tmp/share/a.c"
ok 'it compiles' installed cc -Wall -Werror -o share/a share/a.c -lsnpc
is 'it boots and runs what it compiled' "$(installed run -m origin200 -s share -- ./a; echo $?)" '4
3'
is 'origin env names its own compiler' "$(installed env CC)" "$prefix/lib/origin2000/build/sdk/bin/origin-cc"
ok 'the cross file of Meson names its own compiler' grep -qxF "bin = '$prefix/lib/origin2000/build/sdk/bin/'" "$(installed env MESON_CROSS_FILE)"
like 'it reads a description with our includes' "$(cp "$root/qemu-origin/machines/ricotta.dts" "$tmp/own.dts"; installed run -m own.dts -- nproc)" '^16$'
for d in one two; do
    mkdir "$tmp/$d"
    printf '%s\n' key,value format,1 complete,yes tick_hz,1000000000 time,unloaded nodes,1 >"$tmp/$d/meta.csv"
    printf '%s\n' key,value page_bytes,16384 >"$tmp/$d/run.csv"
    echo cause,kind,tx,cpu,home,hops,thread,region,pc,path,address,bytes,count,backoff,latency_ns,stall_ticks,block,later >"$tmp/$d/misses.csv"
done
is 'origin report --diff has its program' "$(installed report --diff one two | head -n 1)" 'No difference: 0 misses cost 0.0 us in both.'
ok 'its manual page is there' test -s "$prefix/share/man/man1/origin.1"
is 'a relative PREFIX is refused' "$("$root/scripts/install" here 2>&1)" \
    "install: PREFIX is 'here', but it must be an absolute path"
"$root/scripts/install" --remove "$prefix"
is 'removal leaves what was there before' "$? $(find "$prefix" ! -type d) $(cat "$prefix/other")" "0 $prefix/other kept"
is 'and no directory' "$(find "$prefix" -mindepth 1 -type d)" ''
is 'removal of nothing says so' "$("$root/scripts/install" --remove "$prefix" 2>&1)" \
    "install: nothing is installed at $prefix (lib/origin2000/files is not there)"
finish
