#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that are kept, with the profile of the boot in them: a profile that begins with one is that of a run that boots, byte for byte, the boot included.
. "$(dirname "$0")/../lib.sh"

own_boots
mkdir "$tmp/share" "$tmp/other"
for program in false_sharing held_mutex; do "$origin" cc -O2 -g "$root/tests/guest/diseases/$program.c" -o "$tmp/share/$program" -lpthread || exit 99; done
# Processes, memory that is asked for and given back, locks, marks of regions, pipes
work='snroi pair ./false_sharing; ./held_mutex; seq 200 | md5sum; cat /proc/uptime; dmesg | tail -n 3; sleep 0.1'
# go NAME OPTION...: output and tables of a profile.  run.csv names the options.
go() {
    local name=$1
    shift
    rm -rf "${tmp:?}/$name" "$tmp/profile"
    "$origin" profile -o "$tmp/profile" "$@" >"$tmp/out" 2>&1 </dev/null
    echo "status $?" >>"$tmp/out"
    mv "$tmp/out" "$tmp/profile/"
    rm -f "$tmp/profile/run.csv"
    mv "$tmp/profile" "$tmp/$name"
}

while IFS='|' read -r options command; do
    # shellcheck disable=SC2086
    three_runs $options -- "$command"
    is "$options: one boot is kept" "$(count_boots)" $((before + 1))
    is "$options: the profile is complete" "$(grep -c '^complete,yes' "$tmp/kept/meta.csv")" 1
    ok "$options: the profile of the run that keeps the boot" diff -r "$tmp/cold" "$tmp/makes"
    ok "$options: the profile of a run that begins with it" diff -r "$tmp/cold" "$tmp/kept"
done <<END
-m ricotta -s $tmp/share|$work
-m origin200 --time=full --seed=3|true
-m origin200 --cpu=simple -s $tmp/share|$work
-m bwana --depth=0 --rows=20000|seq 200 \| md5sum
-m origin200 -s $tmp/share --follow=HOTTEST:3|./false_sharing
-m ricotta -s $tmp/share --follow=counters|./false_sharing
-m origin200 -s $tmp/share --accesses=all --accesses-from=pair|snroi pair ./false_sharing
END
like 'the accesses of the region are there' "$(zcat "$tmp/kept/accesses.csv.gz" | tail -n 1)" '^[a-z]*,[^,]*,[01],'

# What is in a share has not run yet, and where the profile goes is the host's.
kept=$(count_boots)
go other -m ricotta -s "$tmp/other" -- true
is 'another share has the same boot' "$(count_boots)" "$kept"
"$origin" profile -m ricotta -s "$tmp/other" -o "$tmp/a, name" -- true </dev/null
is 'so has another directory' "$(count_boots)" "$kept"
is 'the profile is there' "$(grep -c '^complete,yes' "$tmp/a, name/meta.csv")" 1

# Accesses of the boot, and lines that it has used, are not in a file: each of these runs boots.  The first lines of memory are the exception handlers'.
before=$(count_boots)
for run in first second; do go $run -m origin200 --follow=phys:0x0-0xfff -- true; done
is 'lines that the boot has used: it is not kept' "$(count_boots)" "$before"
ok 'lines that the boot has used: two runs' diff -r "$tmp/first" "$tmp/second"
is 'the boot has used them' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "transactions") c = i } NR == 2 { print ($c > 0) }' "$tmp/second/followed.csv")" 1
go accesses -m origin200 --accesses=misses -- true
is 'each access: the machine boots' "$(count_boots)" "$before"
finish
