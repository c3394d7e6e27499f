#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The build takes the archives that scripts/sources.txt names, by hash: from the mirror, else from the archive of old files, else the newest of the series
# with a line that says so. Mirrors are directories here, in a tree that has only the scripts.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$tmp/tree/scripts" "$tmp/mirror/pool/main/t/toy" "$tmp/old"
cp "$root"/scripts/{lib.sh,host.sh,fetch-sources} "$tmp/tree/scripts/"
echo 'all of toy 1.0' >"$tmp/toy"
sha1=$(sha1sum <"$tmp/toy" | cut -d' ' -f1) sha256=$(sha256sum <"$tmp/toy" | cut -d' ' -f1)
echo "toy 1.0-1 $sha256 $sha1 pool/main/t/toy/toy_1.0.orig.tar.xz" >"$tmp/tree/scripts/sources.txt"
: >"$tmp/apt.conf"
# fetch: the sources of toy into an empty cache; what it says, without times
fetch() {
    rm -rf "$tmp/cache" "$tmp/tree/build"
    CACHE=$tmp/cache DEBIAN_MIRROR=${named-file://$tmp/mirror} DEBIAN_PUBLIC=file://$tmp/public APT_CONFIG=$tmp/apt.conf DEBIAN_OLD=file://$tmp/old DEBIAN_SUITES=none "$tmp/tree/scripts/fetch-sources" toy 1 2>&1 | sed -n 's/^\[ *[0-9]*s\] //; /^sources\|^fetch-sources/p'
    cat "$tmp"/cache/sources/*.lock 2>/dev/null
}
version="sources: downloading toy 1.0-1
sources: toy 1.0-1
1.0-1
$sha256 toy_1.0.orig.tar.xz"
cp "$tmp/toy" "$tmp/mirror/pool/main/t/toy/toy_1.0.orig.tar.xz"
is 'from the mirror' "$(fetch)" "$version"
# apt's lists of a system: fetch takes them if nobody names a mirror.
lists() { mkdir -p "$tmp/apt"; cat >"$tmp/apt/sources.list"; echo "Dir::Etc \"$tmp/apt\";" >"$tmp/apt.conf"; }
lists <<<"deb [arch=amd64] file://$tmp/mirror bookworm main"
is 'from the mirror of this system' "$(named='' fetch)" "$version"
mkdir "$tmp/public" && ln -s ../mirror "$tmp/public/debian"
lists <<<"deb file://$tmp/none noble main universe"
is "this system has no mirror of Debian's" "$(named='' fetch)" "$version"
mv "$tmp/mirror/pool/main/t/toy/toy_1.0.orig.tar.xz" "$tmp/old/$sha1"
is 'from the archive of old files' "$(fetch)" "$version"
echo 'something else' >"$tmp/mirror/pool/main/t/toy/toy_1.0.orig.tar.xz"
is 'a file of another hash is not taken' "$(fetch)" "$version"
rm "$tmp/old/$sha1"
is 'nowhere' "$(fetch)" "sources: downloading toy 1.0-1
sources: reading the package index of none
sources: part of the index is not available (build/log/apt-update.log)
fetch-sources: no source package toy 1 could be downloaded"
finish
