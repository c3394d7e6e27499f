#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The image of `make image`, unpacked by umoci: it boots a machine, compiles a program, and runs the jobs of a sweep that starts outside of it,
# grades exercises, and has what the notebooks need (docs/container.md).
# Needs root, for chroot, and the network.
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can change the root directory'
make -s -C "$root" image >"$tmp/said" 2>&1
is 'make image succeeds' "$?" 0 || tail -n 20 "$tmp/said"
mkdir "$tmp/oci"
tar -C "$tmp/oci" -xf "$(echo "$root"/build/origin2000_*.oci.tar)"
tag=$(umoci list --layout "$tmp/oci")
is 'its tag is the version' "$("$origin" --version | sed 's/,.*//')" "origin $tag"
ok 'umoci unpacks it' umoci unpack --image "$tmp/oci:$tag" "$tmp/unpacked"
fresh=$tmp/unpacked/rootfs
like 'its command is origin' "$(grep -A2 '"args"' "$tmp/unpacked/config.json" | tr -d ' \t\n')" '"args":\["origin",'
mkdir -p "$fresh/$tmp/work"
mount --bind "$tmp" "$fresh/$tmp" && mount -t proc proc "$fresh/proc" && trap 'umount "$fresh/proc" "$fresh/$tmp"; rm -rf "$tmp"' EXIT
inside() { chroot "$fresh" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
mkdir "$tmp/share"
printf '#include <snpc.h>\n#include <stdio.h>\nint main(void) { printf("%%zu\\n", sizeof(int)); return 3; }\n' >"$tmp/share/a.c"
is 'it compiles a program' "$(inside origin cc -Wall -Werror -o "$tmp/share/a" "$tmp/share/a.c" -lsnpc 2>&1)" ''
is 'a ricotta boots and runs it' "$(inside origin run -m ricotta -s "$tmp/share" -- sh -c 'nproc; ./a'; echo $?)" '16
4
3'
mkdir "$tmp/solved"
chmod 755 "$tmp" # for the user who is not root
cp "$root/tests/guest/exercises/latency.c" "$tmp/solved"
is 'an exercise begins' "$(inside origin grade --start row "$tmp/row" 2>&1)" "$tmp/row: the exercise's text and files; row.txt is yours to change"
is 'the explorer judges a row' "$(inside origin grade "$tmp/row" 2>&1 | tail -n 1)" 'row: 0 of 10 points'
is 'an exercise is graded' "$(inside origin grade "$tmp/solved" 2>&1 | tail -n 1)" 'latency: 10 of 10 points'
is 'a user other than root can do so' "$(inside setpriv --reuid 1000 --regid 1000 --clear-groups origin grade "$tmp/solved" 2>&1 | tail -n 1)" 'latency: 10 of 10 points'
is 'the image has no solution' "$(cd "$fresh" && find usr home -path '*exercises*')" ''
is 'the notebooks have what they need' \
    "$(inside env PYTHONPATH=/usr/share/doc/origin2000/docs/notebooks python3 -c 'import origin2000; print(len(origin2000.TEXT) > 0)' 2>&1)" True
ok 'the file for editors is JSON and names a user of the image' chroot "$fresh" id \
    "$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["remoteUser"])' "$root/.devcontainer/devcontainer.json")"
# The document's commands, where podman or docker work. RUNTIME has options of podman that this host needs.
engine_runs() {
    local engine=$1
    shift
    mkdir "$tmp/$engine"
    is "$engine: an exercise begins" "$(cd "$tmp/$engine" && "$@" localhost/origin2000 grade --start latency latency 2>&1)" \
        "latency: the exercise's text and files; latency.c is yours to change"
    cp "$root/tests/guest/exercises/latency.c" "$tmp/$engine/latency"
    is "$engine: it is graded" "$(cd "$tmp/$engine" && "$@" localhost/origin2000 grade latency 2>&1 | tail -n 1)" 'latency: 10 of 10 points'
    is "$engine: a shell" "$(cd "$tmp/$engine" && "$@" --entrypoint bash localhost/origin2000 -c 'origin --version' 2>&1)" "$("$origin" --version)"
    is "$engine: files belong to who started it" "$(find "$tmp/$engine" ! -user "$(id -u)" | wc -l)" 0
}
archive=oci-archive:$(echo "$root"/build/origin2000_*.oci.tar)
if podman info >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    podman ${RUNTIME:-} tag "$(podman pull -q "$archive")" localhost/origin2000:latest
    # shellcheck disable=SC2086
    engine_runs podman podman ${RUNTIME:-} run --rm -v "$tmp/podman:/work:Z" -w /work
else
    echo '# podman: not on this host'
fi
if docker info 2>/dev/null | grep -q 'Server Version' && skopeo copy -q "$archive" docker-daemon:localhost/origin2000:latest; then
    engine_runs docker docker run --rm --network none -v "$tmp/docker:/work" -w /work --user "$(id -u):$(id -g)"
else
    echo '# docker with skopeo: not on this host'
fi
cat >"$tmp/sweep.toml" <<'E2'
[base]
machine = "origin200"
until-roi = "off"
command = "snroi work echo {n}"
[axes]
n = [1, 2]
time = ["unloaded", "full"]
E2
"$origin" sweep "$tmp/sweep.toml" -o "$tmp/sweep" --origin="chroot $fresh origin" >"$tmp/said" 2>&1
is 'a sweep runs its jobs in the image' "$? $(tail -n 1 "$tmp/said")" "0 $tmp/sweep/results.csv: 8 rows of 4 variants, 0 not ok" || cat "$tmp/said" "$tmp/sweep/parallel.err"
finish
