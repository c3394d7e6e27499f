#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of docs/rights.md against a machine: every device, its mode, and every operation as root and as a user (rights.c).
# Usage: t_rights.sh [MACHINE]    ricotta, which has no metarouters
. "$(dirname "$0")/../lib.sh"
machine=${1:-ricotta}
table=$root/docs/rights.md
"$origin" cc -O2 -Wall -o "$tmp/rights" "$root/tests/guest/rights.c" || exit 99

# One line for each device and user: "PATTERN MODE USER OPERATION..."; a row without a device continues the one above.
awk -F' *[|] *' '/^[|] (`\/|[|])/ || /^[|] +[|]/ {
        if ($2 ~ /^`/) { device = $2; gsub(/`/, "", device); order[++n] = device; mode[device] = $3 }
        all[device] = all[device] ($5 == "all" ? " " $4 : ""); mine[device] = mine[device] " " $4
    }
    function sorted(s,   a, k, i, j, t, r) {
        k = split(s, a, " ")
        for (i = 2; i <= k; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
        for (i = 1; i <= k; i++) r = r " " a[i]
        return r
    }
    END { for (i = 1; i <= n; i++) { d = order[i]
            if (mine[d] !~ /open-write/ && d ~ /^.hw/) mine[d] = mine[d] " open-write" # no mode keeps root from opening
            print d, mode[d], "root" sorted(mine[d]); print d, mode[d], "guest" sorted(all[d]) } }' "$table" >"$tmp/want"
within "rows of the table" 30 "$(grep -c . "$tmp/want")" 60

# Every request that our headers define is tried, and the table names every one.
sed -nE 's/^#define ((SNPC|PIOC|MMEM)[A-Z0-9_]+) .*(_IO[RW]*\(|\(PIOC \||\x27 << 8 \|).*/\1/p; s/^#define (RCB_[A-Z]+_[GS]ET) .*/\1/p' \
    "$root"/include/abi/{snpc.h,procfs/procfs.h,sys/mmem.h,sys/SN/hwcntrs.h} | sort >"$tmp/requests"
"$origin" run -m origin200 --model=off -s "$tmp" -- ./rights </dev/null 2>/dev/null | sort >"$tmp/tried"
is "every request is tried" "$(cat "$tmp/tried")" "$(cat "$tmp/requests")"
is "the table names every request" "$(grep -oE '\b(SNPC|RCB|PIOC|MMEM)_?[A-Z0-9_]+' "$tmp/want" | sort -u)" "$(cat "$tmp/requests")"

for f in "$root"/tests/soak/hostile/*.txt; do grep -oE 'cmd const\[(SNPC|RCB|PIOC|MMEM)[A-Z0-9_]*' "$f"; done | sed 's/.*\[//' | sort -u >"$tmp/described"
is "every request is described for fuzzers" "$(cat "$tmp/described")" "$(cat "$tmp/requests")"

# The pattern of a device: numbers are letters.
cat >"$tmp/inside.sh" <<'END'
pattern() { sed -E 's,/module/0/slot/r[0-9]+/metarouter,/module/0/slot/rS/metarouter,; s,/module/[1-9][0-9]*/,/module/M/,; s,/slot/n[0-9]+/,/slot/nS/,; s,/slot/r[0-9]+/,/slot/rS/,; s,/stat/[1-6]$,/stat/P,'; }
rmmod snpc; insmod /lib/modules/$(uname -r)/snpc.ko extended=1
find /hw -type c | sort >/tmp/devices
cp rights /tmp; chmod 755 /tmp/rights
sleep 1000 & other=$!
# Each device of a kind has the same mode; the first of its kind is tried.
while read -r d; do echo "$(echo $d | pattern) $(stat -c %a $d)"; done </tmp/devices | sort -u | sed 's/^/mode /'
paths=$(while read -r d; do echo "$(echo $d | pattern) $d"; done </tmp/devices | sort -u -k 1,1 | cut -d ' ' -f 2)
show() { # show USER: what it may do
    sed -E "s,^/proc/$other:,/proc/other:,; s,^/proc/[0-9]+:,/proc/own:," | pattern_of_lines | sed "s/^/$1 /"
}
pattern_of_lines() { while IFS=: read -r p ops; do echo "$(echo $p | pattern) $(echo $ops | tr ' ' '\n' | sort | tr '\n' ' ')"; done; }
/tmp/rights $paths /proc/$other | show root
sh -c 'exec /tmp/rights /proc/$$' | show root
su guest -c "/tmp/rights $(echo $paths | tr '\n' ' ') /proc/$other; exec /tmp/rights /proc/\$\$" | show guest
kill $other
cat /proc/sys/kernel/perf_event_paranoid | sed 's/^/paranoid /'
dmesg | grep -E "WARNING|BUG|Oops|Call Trace"
true
END
run -m "$machine" --model=off -s "$tmp" -- 'sh inside.sh' </dev/null
is "status, no complaint" "$status $(printf '%s\n' "$out" | grep -cE 'WARNING|BUG|Oops')" "0 0"
printf '%s\n' "$out" | grep -q metarouter || { grep -v metarouter "$tmp/want" >"$tmp/some"; mv "$tmp/some" "$tmp/want"; }
is "every device is in the table, with its mode" "$(printf '%s\n' "$out" | sed -n 's/^mode //p' | sort)" \
    "$(awk '$1 ~ "^/hw" { sub(/^0/, "", $2); print $1, $2 }' "$tmp/want" | sort -u)"
while read -r device mode user ops; do
    is "$user: $device" "$(printf '%s\n' "$out" | awk -v u="$user" -v d="$device" '$1 == u && $2 == d { $1 = $2 = ""; sub(/^ */, ""); sub(/ *$/, ""); print }')" "$ops"
done <"$tmp/want"
is "perf's rules" "$(printf '%s\n' "$out" | sed -n 's/^paranoid //p')" "$(sed -n 's/.*here it is \([0-9]\).*/\1/p' "$table")"
finish
