#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that are kept (launcher/kept.h): a run that begins with one is the run that boots, to the last tick; and nothing that can happen to the files,
# or to the launcher that writes one, shows.
. "$(dirname "$0")/../lib.sh"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root/launcher" -o "$tmp/seal" "$root"/{tests/guest/seal,launcher/sum,launcher/messages}.c || exit 99

# The files of this test alone: it damages them.
own_boots
# What the guest can see of its time and of its boot. The regions' table has the sums of the ground truth.
# Eight loops at once: with six busy processors a round is one of many (RD_FEW). Without the model nothing orders accesses but these turns.
work='for i in 1 2 3 4 5 6 7 8; do seq 500 | md5sum & done >/dev/null; wait; cat /proc/uptime /proc/stat /proc/interrupts; free; dmesg; head -c 5000 /dev/zero | md5sum; cat'
# go NAME OPTION...: status, output, messages and sums of a run
go() {
    local name=$1
    shift
    "$origin" run --regions="$tmp/regions" "$@" >"$tmp/$name" 2>&1 <"$tmp/input"
    echo "status $?" >>"$tmp/$name"
    cat "$tmp/regions" >>"$tmp/$name"
}
echo 'standard input' >"$tmp/input"

# The default machine comes below, with an image.
for options in '-m origin200' '-m ricotta --time=full --seed=3' '-m ricotta --cpu=pipeline --time=full' '-m bwana --r2=off --range-monitor' '-m ricotta --model=off' '-m origin200 --time=full --until-time=off,0.1 --warm=1' '-m origin200 --cpu=pipeline --until-roi=off'; do
    # shellcheck disable=SC2086
    three_runs $options -- "$work"
    is "$options: one boot is kept" "$(count_boots)" $((before + 1))
    ok "$options: the run that keeps it is a run that boots" cmp "$tmp/cold" "$tmp/makes"
    ok "$options: a run that begins with it is, too" cmp "$tmp/cold" "$tmp/kept"
done
like 'the sums are there' "$(cat "$tmp/kept")" ',run,off,'

# One boot serves other commands, directories, threads, and ways to give standard input.
: >"$tmp/input"
kept=$(count_boots)
mkdir "$tmp/a" "$tmp/b"
echo one >"$tmp/a/file"
echo two >"$tmp/b/file"
is 'a share' "$("$origin" run -s "$tmp/a" -- cat file </dev/null)" one
is 'another share' "$("$origin" run -s "$tmp/b" -- 'cat file; touch new' </dev/null)" two
ok 'it is this one' test -e "$tmp/b/new"
is 'a pipe on stdin' "$(seq 100000 | "$origin" run -s "$tmp/b" -- tail -n 1)" 100000
is 'one thread' "$("$origin" run -s "$tmp/b" --threads=1 -- cat file </dev/null)" two
is 'a status' "$("$origin" run -s "$tmp/b" -- 'exit 7' </dev/null; echo $?)" 7
is 'all of them had the same boot' "$(count_boots)" $((kept + 1))

# An image is the same in each run.
three_runs --image tools -- "$work; lscpu; ls -l /usr/local/bin"
ok 'an image: the run that keeps the boot' cmp "$tmp/cold" "$tmp/makes"
ok 'an image: a run that begins with it' cmp "$tmp/cold" "$tmp/kept"
is 'an image: one boot is kept' "$(count_boots)" $((before + 1))

# A console prints what it had printed. When its input comes is the host's time, so there are no sums to compare.
for run in cold makes kept; do
    boot=kept
    [ $run != cold ] || boot=cold
    printf 'hostname\nexit\n' | "$origin" run -m origin200 --boot=$boot >"$tmp/$run" 2>&1
done
ok 'a console that keeps its boot' cmp "$tmp/cold" "$tmp/makes"
ok 'a console that begins with one' cmp "$tmp/cold" "$tmp/kept"

# What is damaged is not used, and made anew. Neither is what others could have written. What the boot leaves is all that matters here.
work='cat /proc/uptime /proc/stat /proc/interrupts; free; dmesg; cat'
rm -f "$boots"/*
go good -m origin200 -- "$work"
file=$(echo "$boots"/*)
before=$(count_boots)
damage() { # damage HOW COMMAND...
    local how=$1
    shift
    chmod 600 "$file"
    ok "$how" "$@"
    go kept -m origin200 -- "$work"
    ok "$how: the run is the same" cmp "$tmp/good" "$tmp/kept"
    is "$how: nothing else is there" "$(count_boots)" "$before"
    is "$how: it is whole again" "$(stat -c %a "$file")" 600
}
damage 'a byte differs' python3 -c "
import sys
f = open('$file', 'r+b'); f.seek(2000000); b = f.read(1); f.seek(2000000); f.write(bytes([b[0] ^ 1]))"
damage 'the end is missing' truncate -s 3000000 "$file"
damage 'it is empty' truncate -s 0 "$file"
damage 'others may write' chmod 666 "$file"
damage 'it is of another machine' sed -i '3s/key ..../key 0000/' "$file"
damage 'it is of another machine, and its sum is right' sh -c "sed -i '3s/key ..../key 0000/' '$file'; '$tmp/seal' '$file'"
damage 'its parts are elsewhere' sh -c "sed -i '4s/console ./console 9/' '$file'; '$tmp/seal' '$file'"
rm "$file"
ln -s /dev/zero "$file"
go kept -m origin200 -- "$work"
ok 'a link stands in its place: the run is the same' cmp "$tmp/good" "$tmp/kept"

# Sums of files that have not changed are in a table (launcher/known.h). What it says is believed only of a file of which everything else is the same.
rm -f "$boots"/* "$boots.sums"
go makes -m origin200 -- "$work"
file=$(echo "$boots"/*)
before=$(count_boots)
sleep 2
go kept -m origin200 -- "$work"
is 'the table has the files' "$(wc -l <"$boots.sums")" 4
is 'it is for its owner alone' "$(stat -c %a "$boots.sums")" 600
cp "$boots.sums" "$tmp/sums"
go kept -m origin200 -- "$work"
ok 'a run that reads none of them is the same' cmp "$tmp/good" "$tmp/kept"
ok 'and they are as they were' cmp "$tmp/sums" "$boots.sums"
damage 'a byte of a file that is known differs, and its time does not' sh -c "touch -r '$file' '$tmp/time'; printf '\245\132' | dd of='$file' bs=1 seek=2000000 conv=notrunc status=none; touch -r '$tmp/time' '$file'"
cp "$file" "$tmp/copy"
ok 'that was noticed: it has the right sum' sh -c "'$tmp/seal' '$tmp/copy' && cmp '$file' '$tmp/copy'"
sleep 2
go kept -m origin200 -- "$work"
damage 'the table has another sum' sed -i 's/.$/z/; 1s/.$/0/' "$boots.sums"
rm "$boots.sums"
ln -s /dev/zero "$boots.sums"
damage 'a link stands in its place' true
rm -f "$boots.sums"
cp "$ORIGIN_VMLINUX" "$tmp/vmlinux"
sleep 2
go makes -m origin200 -k "$tmp/vmlinux" -- "$work"
before=$(count_boots)
touch -r "$tmp/vmlinux" "$tmp/time"
python3 -c "
f = open('$tmp/vmlinux', 'r+b'); b = f.read(); at = b.index(b'Run %s as init process'); f.seek(at); f.write(b'RUN')"
touch -r "$tmp/time" "$tmp/vmlinux"
go kept -m origin200 -k "$tmp/vmlinux" -- dmesg
like 'another kernel of the same name, size and time boots' "$(cat "$tmp/kept")" 'RUN .* as init process'
is 'its boot is kept, too' "$(count_boots)" $((before + 1))

# Without a place to keep them.
rm -rf "$boots"
mkdir "$tmp/full"
XDG_CACHE_HOME=/proc go kept -m origin200 -- "$work"
ok 'a cache that cannot be written' cmp "$tmp/good" "$tmp/kept"
(
    unset XDG_CACHE_HOME HOME
    go kept -m origin200 -- "$work"
)
ok 'no home' cmp "$tmp/good" "$tmp/kept"
(
    ulimit -f 1000
    go kept -m origin200 -- "$work"
)
ok 'a limit of file sizes' cmp "$tmp/good" "$tmp/kept"
is 'nothing half-written is left' "$(count_boots)" 0

# Several at once; and a launcher that is killed while it writes.
for i in 1 2 3; do "$origin" run -m origin200 -- "$work" >"$tmp/at-once.$i" 2>&1 </dev/null & done
wait
is 'three at once keep one' "$(count_boots)" 1
for i in 2 3; do ok "three at once: run $i" cmp "$tmp/at-once.1" "$tmp/at-once.$i"; done
rm -f "$boots"/*
for ms in 350 450 550 650 750 850 950; do
    "$origin" run -m origin200 -- true >/dev/null 2>&1 </dev/null &
    sleep "0.$(printf %03d $ms)"
    kill -9 $!
    wait $! 2>/dev/null
done
go kept -m origin200 -- "$work"
ok 'after launchers that were killed: the run is the same' cmp "$tmp/good" "$tmp/kept"
is 'after launchers that were killed: one boot is kept' "$(count_boots)" 1

# The oldest go when there are too many (KEPT_MAX).
max=$(sed -n 's/^#define KEPT_MAX *//p' "$root/launcher/kept.h")
for ((i = 0; i < max + 3; i++)); do echo x >"$boots/$(printf %016x "$i")"; touch -d "2000-01-01 00:00:$(printf %02d "$i")" "$boots/$(printf %016x "$i")"; done
"$origin" run -m origin200 --kernel-args=word -- true </dev/null
is 'at most so many are kept' "$(count_boots)" "$max"
ok 'the oldest is gone' test ! -e "$boots/$(printf %016x 0)"
go kept -m origin200 -- "$work"
ok 'and the run is the same' cmp "$tmp/good" "$tmp/kept"
finish
