#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The hardware graph at /hw has every board, number, link and device of every preset, and nothing else. Also: the output of topology,
# permissions, loading and unloading.
. "$(dirname "$0")/../lib.sh"

# Prints the links that a machine must have by its description, one "place -> target" in a line.
links() { # links FILE.dtb
    "$ORIGIN_DTINFO" -r "$1" | awk '
        function vertex(p,   s) { # path of the description without its port -> path of the graph
            sub(/:.*/, "", p)
            split(p, s, "/")
            if (s[2] == "metarouters") { sub(/.*@/, "", s[3]); return "/hw/module/0/slot/r" s[3] "/metarouter" }
            sub(/.*@/, "", s[3])
            s[5] = s[4]; sub(/@.*/, "", s[5]); sub(/.*@/, "", s[4])
            return "/hw/module/" s[3] "/slot/" s[4] "/" s[5]
        }
        function edge(p,   v) { v = vertex(p); if (p ~ /:/) { sub(/.*:/, "", p); return v "/" p } return v "/link" }
        $1 == "node" { n = $2; sub(/:$/, "", $3); at[n] = vertex($3); print "/hw/nodenum/" n " -> " at[n] }
        $1 == "cpu" { c = substr($2, 1, 1); print "/hw/cpunum/" cpus++ " -> " at[n] "/cpu/" c }
        $1 == "link" { print edge($2) " -> " vertex($3); print edge($3) " -> " vertex($2) }' | LC_ALL=C sort
}

# Prints all other files that follow from these links, one "mode owner group path" in a line, sorted: directories and devices (docs/hw.md).
files() { # files LINKS
    awk '
        function dirs(p) { for (; p != ""; sub(/\/[^\/]*$/, "", p)) line["dr-xr-xr-x 0 0 " p] }
        function device(p, mode) { line["crw" mode " 0 0 " p] }
        BEGIN { device("/hw/stat", "?"); device("/hw/inventory", "?"); device("/hw/mmem", "?") }
        { from = $1; to = $3; sub(/\/[^\/]*$/, "", from); dirs(from); dirs(to) }
        from == "/hw/nodenum" {
            dirs(to "/memory"); dirs(to "/hub"); dirs(to "/cpu")
            device(to "/refcnt", "?"); device(to "/stat", "?")
            device(to "/hub/md"); device(to "/hub/io"); device(to "/hub/rtc", "?"); device(to "/hub/mon", "?")
        }
        from ~ /router$/ { device(from "/mon", "?"); dirs(from "/stat"); for (i = 1; i <= 6; i++) device(from "/stat/" i) }
        # The router port that leads to a node is also its Hub'"'"'s ni.
        from ~ /router$/ && to ~ /node$/ { device(to "/hub/ni") }
        END { for (l in line) { sub(/^crw\?/, "cr--r--r--", l); sub(/^crw /, "crw-rw-rw- ", l); print l } }' "$1" | LC_ALL=C sort
}

"$origin" machines >"$tmp/machines"
# shellcheck disable=SC2016
job='find /hw -type l -exec ls -l {} + | sed "s/^.* \(\/hw[^ ]*\) -> /\1 -> /"
    echo MARK
    find /hw -type l | while read -r l; do [ -d "$l" ] || echo "$l leads nowhere"; done
    find /hw -name node | wc -l; find /hw -name "[ab]" | wc -l; find /hw -name router -o -name metarouter | wc -l
    find /hw -name memory | wc -l; find /hw -name hub | wc -l
    echo MARK; find /hw ! -type l -exec ls -ldn {} + | sed "s/  */ /g; s/^\([^ ]*\) [0-9]* \([0-9]* [0-9]*\) .* \(\/hw\)/\1 \2 \3/"
    echo MARK; topology'
while read -r m nodes _ cpus _; do
    run -m "$m" --model=off -- "$job" </dev/null
    # Sketches of other machines say that they are none.
    name=$m
    case $m in like-*) err=$(printf '%s\n' "$err" | sed '/^origin: hypothetical, not validated: /d') name=$m-hypothetical ;; esac
    is "$m: status" "$status $err" '0 '
    links "$ORIGIN_MACHINES/$m.dtb" >"$tmp/want"
    printf '%s\n' "$out" | sed '/^MARK$/,$d' | LC_ALL=C sort >"$tmp/got"
    is "$m: all links" "$(diff "$tmp/want" "$tmp/got")" ''
    routers=$(grep -E -o '/r[0-9]+/(meta)?router' "$tmp/want" >/dev/null && sed -n 's,^.*-> \(.*router\)$,\1,p' "$tmp/want" | sort -u | wc -l || echo 0)
    is "$m: nodes, CPUs, routers, memories, Hubs" "$(printf '%s\n' "$out" | sed '1,/^MARK$/d; /^MARK$/,$d' | tr '\n' ' ')" \
        "$nodes $cpus $routers $nodes $nodes "
    printf '%s\n' "$out" | sed '1,/^MARK$/d' | sed '1,/^MARK$/d; /^MARK$/,$d' | LC_ALL=C sort >"$tmp/got"
    files "$tmp/want" >"$tmp/files"
    is "$m: ls -l of all directories and devices" "$(diff "$tmp/files" "$tmp/got")" ''
    printf '%s\n' "$out" | sed '1,/^MARK$/d' | sed '1,/^MARK$/d' | sed '1,/^MARK$/d' >"$tmp/topology"
    like "$m: topology counts them" "$(head -n 1 "$tmp/topology")" \
        "^Machine $name has $cpus cpu's, $nodes memory nodes, and $routers routers\.\$"
    case $m in
    ricotta) is "$m: topology as refcnt(5)'s machine" "$(diff "$tmp/topology" "$root/tests/guest/data/ricotta-topology.txt")" '' ;;
    esac
    is "$m: topology has each link once" "$(sed -n '/defined by/,$s/ -> .*//p' "$tmp/topology" | sort | uniq -d)" ''
    is "$m: topology has all links" "$(grep -c -- '->' "$tmp/topology")" "$(grep -c '/hw/module.* ->' "$tmp/want")"
done <"$tmp/machines"

# Permissions, names that do not exist, unloading. awk prints the name and outcome of each attempt.
# shellcheck disable=SC2016
run -m origin200 --model=off -- 'try() { echo "$* = $("$@" >/dev/null 2>/tmp/err; echo $?) $(sed "s/.*: //" /tmp/err | tail -n 1)"; }
    user() { su -s /bin/sh nobody -c "$*"; }
    try mkdir /hw/x; try touch /hw/x; try ln -s a /hw/x; try rm /hw/nodenum/0; try rmdir /hw/module; try mv /hw/nodenum /hw/n
    try mknod /hw/null c 1 3; try ls /hw/none; try ls /hw/module/1/slot/n1/node/link; try cat /hw/module
    try user ls /hw/module/1/slot/n1/node; try user chmod 777 /hw/module
    chmod 700 /hw/module; try user ls /hw/module; echo 3 >/proc/sys/vm/drop_caches; try user ls /hw/module
    chmod 555 /hw/module; try user ls /hw/module
    for m in $(cut -d " " -f 1 /proc/modules); do [ $m = hwgfs ] || rmmod $m 2>/dev/null; done
    try cd /hw/nodenum/0/cpu; cd /hw/nodenum/0/cpu && pwd -P
    try rmmod hwgfs; try umount /hw; cd /; umount /hw; try rmmod hwgfs; grep -c hwgfs /proc/filesystems
    i=0; while [ $i -lt 20 ]; do insmod /lib/modules/$(uname -r)/hwgfs.ko && mount -t hwgfs hwgfs /hw && find /hw >/dev/null && umount /hw && rmmod hwgfs || echo failed; i=$((i + 1)); done
    dmesg | grep -E "WARNING|BUG|Oops|Call Trace|hwgfs.*:"' </dev/null
is "users and names" "$out" "mkdir /hw/x = 1 Operation not permitted
touch /hw/x = 1 Permission denied
ln -s a /hw/x = 1 Operation not permitted
rm /hw/nodenum/0 = 1 Operation not permitted
rmdir /hw/module = 1 Operation not permitted
mv /hw/nodenum /hw/n = 1 Operation not permitted
mknod /hw/null c 1 3 = 1 Operation not permitted
ls /hw/none = 1 No such file or directory
ls /hw/module/1/slot/n1/node/link = 1 No such file or directory
cat /hw/module = 1 Is a directory
user ls /hw/module/1/slot/n1/node = 0 
user chmod 777 /hw/module = 1 Operation not permitted
user ls /hw/module = 1 Permission denied
user ls /hw/module = 1 Permission denied
user ls /hw/module = 0 
cd /hw/nodenum/0/cpu = 0 
/hw/module/1/slot/n1/node/cpu
rmmod hwgfs = 1 hwgfs is in use by what is mounted at /hw
umount /hw = 1 Device or resource busy
rmmod hwgfs = 0 
0"
finish
