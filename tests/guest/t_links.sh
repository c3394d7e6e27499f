#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host writes files where a guest can write: a profile in the share. The guest plants links at each of these names, and then one in place of
# the directory itself. What the links lead to stays as it was.
. "$(dirname "$0")/../lib.sh"

share=$tmp/share
mkdir "$share" "$tmp/victim"
echo precious >"$tmp/victim/file"
state() { (cd "$tmp/victim" && find . -type f | sort | xargs md5sum); }
before=$(state)
tables='misses.csv stalls.csv blocked.csv locks.csv threads.csv maps.csv paths.csv heap.csv regions.csv cpus.csv truth.json meta.csv'

# profile OPTIONS... -- COMMAND
profile() {
    "$origin" profile -m origin200 -s "$share" -o "$share/p" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# Links of an earlier guest.
mkdir "$share/p"
for name in run.csv hops.csv machine.dtb kernel.layout allocators $tables; do ln -s "$tmp/victim/file" "$share/p/$name"; done
# The guest of this run: the share has nothing of the host's, so its links name the victim by the host's path.
profile -- sh -c "for f in $tables; do ln -sf $tmp/victim/file p/\$f; ln -sf $tmp/victim/file p/.\$f.new; done; ls -a p"
is 'links at the names of files: the run' "$status" 0
like 'links at the names of files: the guest planted them' "$(cat "$tmp/out")" '^\.misses\.csv\.new$'
is 'links at the names of files: the victim' "$(state)" "$before"
# Nobody began a region, so there is no table of them.
is 'links at the names of files: the profile has none' "$(find "$share/p" -type l ! -name '*regions.csv*')" ''
ok 'links at the names of files: the profile is whole' grep -q '^complete,yes' "$share/p/meta.csv"

profile -- sh -c "mv p q && ln -s $tmp/victim p && ls -l"
is 'a link at the name of the directory: the run' "$status" 0
like 'a link at the name of the directory: the guest planted it' "$(cat "$tmp/out")" ' p -> '
is 'a link at the name of the directory: the victim' "$(state)" "$before"
ok 'a link at the name of the directory: the profile is where its directory went' grep -q '^complete,yes' "$share/q/meta.csv"

rm "$share/p"
mv "$share/q" "$share/p"
ln -s "$tmp/victim" "$share/p/.now"
profile --view=0 -- true
is 'a link at the name of the findings: the run' "$status" 0
is 'a link at the name of the findings: the victim' "$(state)" "$before"
like 'a link at the name of the findings: said' "$(cat "$tmp/err")" "^origin: profile $share/p/\.now: "
finish
