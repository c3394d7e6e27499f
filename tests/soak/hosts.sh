#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Other hosts than Debian 12: a fresh system of each release, made by debootstrap, in which a clone of this commit is built. Its guest is the same as here, byte for
# byte, because its compilers are the same (scripts/toolchain). A machine boots in it, does what the fingerprint says, and the host's programs pass their tests.
# HOSTS_CHECK=1 runs `make check` there, which takes as long as here. Only the downloaded sources are shared.
# Needs root and the network.
# timeout: 14400
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can make a system of its own'
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)}
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/origin2000}
commit=$(git -C "$root" rev-parse HEAD)
leave() {
    umount -q "$tmp"/*/proc "$tmp"/*/dev/pts "$tmp"/*/dev/shm
    rm -rf --one-file-system "$tmp" # never what a mount that is busy shows
}
trap leave EXIT

# inside COMMAND...: as a user there; its output goes into a file that is shown if it fails
inside() { chroot "$fresh" env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@" >"$tmp/log" 2>&1 </dev/null; }
passes() { # passes NAME COMMAND...
    local name=$1 status=0
    shift
    inside "$@" || status=$?
    is "$release: $name" "$status" 0
    [ "$status" = 0 ] || tail -n 30 "$tmp/log" | sed 's/^/# /'
    return "$status"
}

for release in ${HOSTS:-trixie}; do
    fresh=$tmp/$release
    debootstrap --variant=minbase "$release" "$fresh" "$mirror" >"$tmp/log" 2>&1 && status=0 || status=$?
    is "$release: a fresh system" "$status" 0
    [ "$status" = 0 ] || { tail -n 20 "$tmp/log" | sed 's/^/# /'; continue; }
    cp /etc/resolv.conf "$fresh/etc"
    # What apt needs to reach the mirror from here.
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf.d; do [ ! -e "$file" ] || cp -a "$file" "$fresh/etc/apt/"; done
    mount -t proc proc "$fresh/proc" && mount -t devpts devpts "$fresh/dev/pts" && mkdir -p "$fresh/dev/shm" && mount -t tmpfs tmpfs "$fresh/dev/shm"
    passes 'git and make' sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends ca-certificates git make'
    git clone -q "$root" "$fresh/srv/origin"
    mkdir -p "$fresh/srv/.cache/origin2000"
    cp -a "$cache/archives" "$cache/sources" "$fresh/srv/.cache/origin2000/"
    # Without a guest there is nothing to compare.
    passes make make -C /srv/origin all || continue
    for file in initramfs.cpio kernel/vmlinux $(cd "$root/build" && echo modules/*.ko); do
        is "$release: $file is the same" "$(inside cat "/srv/origin/build/$file"; sha256sum <"$tmp/log")" "$(sha256sum <"$root/build/$file")"
    done
    passes 'a ricotta boots' /srv/origin/origin run -m ricotta -- nproc
    is "$release: it has its processors" "$(tail -n 1 "$tmp/log")" 16
    passes 'origin doctor' /srv/origin/origin doctor
    passes fingerprint make -C /srv/origin fingerprint
    passes unit make -C /srv/origin unit
    [ -z "${HOSTS_CHECK:-}" ] || passes 'make check' make -C /srv/origin check
    is "$release: it was this commit" "$(git -C "$fresh/srv/origin" rev-parse HEAD)" "$commit"
done
finish
