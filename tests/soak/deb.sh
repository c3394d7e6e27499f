#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian package (make deb) on a system that has nothing else: a fresh one made by debootstrap, which apt completes with what the package needs.
# It boots a machine, compiles a program, and is removed. Needs root and the network.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can make a system of its own'
make -s -C "$root" deb >"$tmp/said" 2>&1
is 'make deb succeeds' "$? $(grep -v '^\[' "$tmp/said")" '0 '
deb=$(echo "$root"/build/origin2000_*.deb)
want=$(sha256sum <"$deb")
make -s -C "$root" deb >"$tmp/said" 2>&1
is 'a second time it makes the same bytes' "$(sha256sum <"$deb")" "$want"
fresh=$tmp/fresh
# shellcheck source=/dev/null
. /etc/os-release
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)}
debootstrap --variant=minbase "$VERSION_CODENAME" "$fresh" "$mirror" >"$tmp/log" 2>&1
is 'a fresh system' "$?" 0 || tail -n 20 "$tmp/log"
cp /etc/resolv.conf "$fresh/etc"
# What apt needs to reach the mirror from here.
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf.d; do [ ! -e "$file" ] || cp -a "$file" "$fresh/etc/apt/"; done
cp "$deb" "$fresh/origin2000.deb"
mkdir "$fresh/share"
printf '#include <snpc.h>\n#include <stdio.h>\nint main(void) { printf("%%zu\\n", sizeof(int)); return 3; }\n' >"$fresh/share/a.c"
inside() { chroot "$fresh" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
mount -t proc proc "$fresh/proc" && trap 'umount "$fresh/proc"; rm -rf "$tmp"' EXIT
inside apt-get -q update >>"$tmp/log" 2>&1
inside apt-get -q install -y --no-install-recommends /origin2000.deb >>"$tmp/log" 2>&1
is 'apt installs it with what it needs' "$?" 0 || tail -n 20 "$tmp/log"
is 'it compiles a program' "$(inside origin cc -Wall -Werror -o /share/a /share/a.c -lsnpc 2>&1)" ''
is 'a ricotta boots and runs it' "$(inside origin run -m ricotta -s /share -- sh -c 'nproc; ./a'; echo $?)" '16
4
3'
inside apt-get -q remove -y origin2000 >>"$tmp/log" 2>&1
is 'removal leaves nothing' "$(find "$fresh/usr" -name '*origin*' | head -n 5)" ''
finish
