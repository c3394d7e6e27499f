#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every preset has the CPUs, nodes, memory and distances that its description says; each CPU works; the kernel's log has no complaints.
. "$(dirname "$0")/../lib.sh"

# Distances of the two hypercubes by the rule of the thesis (tables 4.12, 4.13): node k hangs on router k/2.
# 10 to itself, else 10 + hops; hops = 1 + Hamming distance of the routers, + 2 between stinger's cubes of 8 routers.
hypercube() { # hypercube NODES ROUTERS_A_CUBE
    awk -v n="$1" -v cube="$2" '
    function hops(a, b,   h, x, y) {
        a = int(a / 2); b = int(b / 2)
        h = 1
        if (int(a / cube) != int(b / cube))
            h += 2
        x = a % cube
        y = b % cube
        while (x || y) {
            h += (x % 2 != y % 2)
            x = int(x / 2)
            y = int(y / 2)
        }
        return h
    }
    BEGIN {
        for (a = 0; a < n; a++) {
            for (b = 0; b < n; b++)
                printf "%s%d", b ? " " : "", a == b ? 10 : 10 + hops(a, b)
            printf "\n"
        }
    }'
}

# What the description says: each node's MB and CPUs, in the order of the numbers, and the distances, by breadth-first search over the
# links: 10 to itself, else 10 + the number of routers passed, metarouters included. Two Hubs at one cable count as one router.
nodes() {
    "$ORIGIN_DTINFO" -r "$1" | awk '
        $1 == "node" { if (n) print mb, cpus; n++; mb = $0; sub(/ MB.*/, "", mb); sub(/.* /, "", mb); cpus = "" }
        $1 == "cpu" { cpus = cpus " " number++ }
        END { print mb, cpus }' | awk '{ $1 = $1; print }'
}
search() {
    "$ORIGIN_DTINFO" -r "$1" | awk '
        function join(a, b) { peers[a] = peers[a] " " b }
        $1 == "node" { sub(/:$/, "", $3); node[n++] = $3 }
        $1 == "link" { a = $2; b = $3; sub(/:.*/, "", a); sub(/:.*/, "", b); join(a, b); join(b, a) }
        END {
            for (i = 0; i < n; i++) {
                delete d
                d[node[i]] = 0
                queue[0] = node[i]
                end = 1
                for (at = 0; at < end; at++) {
                    k = split(peers[queue[at]], p, " ")
                    for (j = 1; j <= k; j++)
                        if (!(p[j] in d)) { d[p[j]] = d[queue[at]] + 1; queue[end++] = p[j] }
                }
                for (j = 0; j < n; j++)
                    { h = d[node[j]] - 1; printf "%s%d", j ? " " : "", i == j ? 10 : 10 + (h ? h : 1) }
                printf "\n"
            }
        }'
}

"$origin" machines >"$tmp/machines"
while read -r m nodes _ cpus _; do
    # Taint 4096 means that a module is not from the kernel's tree: ours.
    # shellcheck disable=SC2016
    run -m "$m" -- 'nproc; numactl -H; echo MARK; dmesg; echo MARK
        for i in $(seq 0 $(($(nproc) - 1))); do taskset -c $i sh -c "cut -d \" \" -f 39 /proc/self/stat" & done >/tmp/cpus; wait
        sort -n /tmp/cpus | uniq | wc -l
        echo $(($(cat /proc/sys/kernel/tainted) & ~4096))' </dev/null
    # Sketches of other machines say that they are none.
    case $m in like-*) err=$(printf '%s\n' "$err" | sed '/^origin: hypothetical, not validated: /d') ;; esac
    is "$m: status" "$status $err" '0 '
    is "$m: CPUs" "$(printf '%s\n' "$out" | head -n 1)" "$cpus"
    like "$m: nodes" "$out" "^available: $nodes nodes? \(0(-$((nodes - 1)))?\)"
    # The guest does not count the kernel's own image, page tables and page structures: at most 24 MB on node 0, 4 % elsewhere.
    is "$m: memory and CPUs of each node" "$(nodes "$ORIGIN_MACHINES/$m.dtb" >"$tmp/nodes"; printf '%s\n' "$out" | awk -v want="$tmp/nodes" '
        $1 == "node" && $3 == "cpus:" { c = ""; for (k = 4; k <= NF; k++) c = c " " $k; cpus[$2] = c }
        $1 == "node" && $3 == "size:" { mb[$2] = $4; n++ }
        END {
            while ((getline line < want) > 0) {
                split(line, w, " ")
                c = line; sub(/^[0-9]+/, "", c)
                if (mb[i + 0] > w[1] || mb[i + 0] < w[1] * 0.96 - (i ? 0 : 24) || cpus[i + 0] != c)
                    print "node", i + 0, "has", mb[i + 0], "MB, CPUs" cpus[i + 0] ", and should have", line
                i++
            }
            print i + 0, n
        }')" "$nodes $nodes"
    printf '%s\n' "$out" | sed -n 's/^ *[0-9][0-9]*: *//p' | sed -n '/^1[0-9] *\|^[1-9][0-9]* /p' | awk '{ $1 = $1; print }' |
        head -n "$nodes" >"$tmp/distances"
    case $m in
    ricotta) hypercube 8 4 >"$tmp/want" ;;
    arctic) hypercube 32 16 >"$tmp/want" ;;
    stinger) hypercube 64 8 >"$tmp/want" ;;
    *) search "$ORIGIN_MACHINES/$m.dtb" >"$tmp/want" ;;
    esac
    is "$m: distances" "$(cat "$tmp/distances")" "$(cat "$tmp/want")"
    is "$m: and as the links say" "$(search "$ORIGIN_MACHINES/$m.dtb")" "$(cat "$tmp/want")"
    ok "$m: distances are a metric" awk -v n="$nodes" '
        { if (NF != n) exit bad = 1; for (j = 1; j <= n; j++) d[NR, j] = $j }
        END {
            if (bad || NR != n) exit 1
            for (i = 1; i <= n; i++)
                for (j = 1; j <= n; j++)
                    if (d[i, j] != d[j, i] || (d[i, j] == 10) != (i == j)) exit 1
        }' "$tmp/distances"
    log=$(printf '%s\n' "$out" | sed '1,/^MARK$/d; /^MARK$/,$d' | grep -v '[Kk]ernel command line:')
    like "$m: kernel log" "$log" '^(\[.*\] )?Linux version 6\.12'
    unlike "$m: no complaint in the kernel log" "$log" \
        'WARNING|[Ww]arning|Oops|BUG|Call Trace|\bstalls?\b|soft lockup|hung task|failed to start|[Uu]nable to|cut here|panic|[Ff]ail|[Ee]rror'
    is "$m: a process ran on each CPU; the kernel is not tainted" "$(printf '%s\n' "$out" | sed '1,/^MARK$/d' | sed '1,/^MARK$/d')" "$cpus
0"
done <"$tmp/machines"
finish
