#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that are kept against cold boots, drawn at random: machine, options, commands, and the host's threads of each run. Every run that keeps its boot, and
# every run that begins with one, has the output, the regions (the sums of the ground truth, and the last tick), the share and the profile of the run that
# boots. Launchers are killed while they write, and files are damaged: nothing of theirs is ever used or left.
#   KEPT_RUNS    runs to compare with cold ones (1000: some hours)
#   KEPT_SEED    of all that is drawn (1)
#   KEPT_DRAW    only this draw, as its points name it
#   KEPT_MACHINES   names of the machines that are drawn (all presets)
# timeout: 28800
. "$(dirname "$0")/../lib.sh"
runs=${KEPT_RUNS:-1000}
seed=${KEPT_SEED:-1}
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root/launcher" -o "$tmp/seal" "$root"/{tests/guest/seal,launcher/sum,launcher/messages}.c || exit 99
# Boots of this test's own; what is built stays where it is.
export CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/origin2000}
export XDG_CACHE_HOME=$tmp/cache
boots=$XDG_CACHE_HOME/origin2000/boots
mkdir -p "$tmp/programs" "$boots"
chmod 700 "$boots"
"$origin" cc -O2 -g -pthread -o "$tmp/programs/talk" "$root/tests/guest/talk.c" -lnuma || exit 99
"$origin" cc -O2 -g -DREGIONS -o "$tmp/programs/fft" "$root/examples/fft.c" -lpthread -lm -lsnpc || exit 99
read -ra machines <<<"${KEPT_MACHINES:-$("$origin" machines | awk '{ print $1 }' | tr '\n' ' ')}"

# $drawn: one of the words; the empty one is a draw like the others
draw() {
    local n=$((RANDOM % $# + 1))
    drawn=${!n}
}

# What the boot can see, in the array boot
draw_boot() {
    draw "${machines[@]}"; machine=$drawn
    boot=(-m "$machine")
    draw '' '' --time=full --model=off; boot+=($drawn)
    draw '' --cpu=simple --cpu=pipeline; boot+=($drawn)
    draw '' '' --seed=$((RANDOM % 9 + 2)); boot+=($drawn)
    draw '' '' '' --r2=off; boot+=($drawn)
    draw '' '' '' --range-monitor; boot+=($drawn)
    draw '' '' '' '' "--kernel-args=word=$RANDOM"; boot+=($drawn)
    draw '' '' '' '' --quantum=500 --quantum=2000; boot+=($drawn)
    draw '' '' '' '' --image=tools; boot+=($drawn)
    draw '' '' '' '' --net=user; boot+=($drawn)
    draw '' '' '' '' --view; boot+=($drawn)
    verb=run
    case " ${boot[*]} " in
    *' --model=off '*) ;;
    *)
        draw '' '' '' '' --until-roi=off '--until-roi=off --roi=part' '--until-roi=off --warm=1' --until-time=off,0.75; boot+=($drawn)
        # A machine that is like another has latencies of its own, and what is changed twice is refused.
        case $machine in
        like-*) ;;
        *) draw '' '' '' '' --what=memory=x0.5 --what=L2=256K --what=protocol=msi; boot+=($drawn) ;;
        esac
        draw run run run run run run run profile; verb=$drawn
        [ "$verb" = run ] || { draw '' '--accesses=all --accesses-from=part' '--accesses=misses --accesses-from=part'; boot+=($drawn); }
        ;;
    esac
    draw share share none; share=$drawn
    case " ${boot[*]} " in
    *' --model=off '*) ;;
    *)
        draw '' '' '' '' '' '' '' '' --follow=HOTTEST:3 --follow=phys:0x0-0xfff --follow=phys:0x3000000; boot+=($drawn)
        [ "$share" = none ] || { draw '' '' '' '' '' '' '' --follow=talk:taken; boot+=($drawn); }
        ;;
    esac
}

# A command that shows times, counts and contents, in $work
draw_work() {
    draw "seq $((RANDOM % 900)) | md5sum" 'for i in 1 2 3 4 5 6; do seq 300 | md5sum & done >/dev/null; wait' 'dmesg; free' 'snbench -l 1 bw-read' "sleep 0.$RANDOM" \
        'numactl -H; topology' 'ls -lR /hw | md5sum' "head -c $((RANDOM * 30)) /dev/zero | gzip | md5sum" "snroi part sh -c 'seq 200 | md5sum'" 'cat /sys/devices/system/node/node0/vmstat' \
        'false' 'sh -c "kill -9 \$\$"' 'cat'
    work=$drawn
    if [ "$share" = share ]; then
        draw "$work" './talk ticket 0 1 5' './fft -m 8 -p 2' 'ls; echo line >>log; md5sum * | tee sums; mkdir new; ln log new/log'
        work=$drawn
    fi
    case " ${boot[*]} " in *' --net=user '*) draw "$work" "ping -c 2 10.0.2.2 | grep packets; ip addr; cat /proc/net/dev; $work"; work=$drawn ;; esac
    work="$work; echo \$?; cat /proc/uptime /proc/stat /proc/interrupts"
    draw null file; input=$drawn
}

# Does the run record a profile?
recorded() {
    case "$verb ${boot[*]} " in profile*|*' --follow='*) ;; *) return 1 ;; esac
}

# once NAME BOOT: a run; all that it leaves, in the directory NAME
once() {
    local dir=$tmp/$1 n=$((RANDOM % 3 + 1)) more=()
    rm -rf "$dir"
    mkdir "$dir"
    [ "$share" = none ] || { cp -r "$tmp/programs" "$tmp/share"; more+=(-s "$tmp/share"); }
    recorded && more+=(-o "$tmp/profile") # it names itself
    echo 'standard input' >"$tmp/input"
    [ "$input" = file ] || : >"$tmp/input"
    "$origin" "$verb" "${boot[@]}" "${more[@]}" --threads="$n" --boot="$2" --regions="$tmp/regions" -- "$work" >"$dir/out" 2>"$dir/err" <"$tmp/input"
    echo "status $?" >>"$dir/out"
    mv "$tmp/regions" "$dir"
    sed -i 's,^\(origin: view: http://127.0.0.1\):.*,\1,' "$dir/err" # a port and a key of its own
    recorded && { rm -f "$tmp/profile/run.csv" && mv "$tmp/profile" "$dir"; } # run.csv names the options
    [ "$share" = none ] || { (cd "$tmp/share" && find . -type f -exec md5sum {} + | sort -k 2; find . | sort) >"$dir/share"; rm -rf "$tmp/share"; }
}

# Two runs left the same, and they were runs.
same() {
    grep -qE '^status (2|124|125)$' "$tmp/cold/out" && { echo '# the cold run failed'; head -n 5 "$tmp/cold/err"; return 1; }
    diff -r "$tmp/cold" "$tmp/kept" >"$tmp/diff" && return
    head -n 40 "$tmp/diff" | cut -c1-200 | sed 's/^/# /'
    return 1
}

# Every file is complete and has the name of its key.
whole() {
    local f
    for f in "$boots"/* "$boots"/.[!.]*; do
        [ -e "$f" ] || continue
        if ! [[ ${f##*/} =~ ^[0-9a-f]{16}$ ]] || ! cp "$f" "$tmp/copy" || ! "$tmp/seal" "$tmp/copy" || ! cmp -s "$f" "$tmp/copy"; then
            echo "# $f is not whole"
            return 1
        fi
    done
}

# The bytes that a launcher has written to a file without a name yet
written() {
    local f
    for f in /proc/"$1"/fd/*; do
        case $(readlink "$f" 2>/dev/null) in "$boots"/*) stat -L -c %s "$f" 2>/dev/null; return ;; esac
    done
}

# A launcher that is killed at a random moment from when it begins to write to a little after. Its machine ends, too.
killed() {
    local launcher machines_pid i
    local more=()
    recorded && more=(-o "$tmp/killed")
    "$origin" "$verb" "${boot[@]}" "${more[@]}" --threads=1 -- true >/dev/null 2>&1 </dev/null &
    launcher=$!
    until [ "$(written "$launcher")" -gt 0 ] 2>/dev/null || ! kill -0 "$launcher" 2>/dev/null; do sleep 0.01; done
    machines_pid=$(pgrep -P "$launcher" | head -n 1)
    sleep "0.$(printf %03d $((RANDOM % 250)))"
    kill -9 "$launcher" 2>/dev/null
    wait "$launcher" 2>/dev/null
    for ((i = 0; i < 100; i++)); do
        kill -0 "$machines_pid" 2>/dev/null || break
        sleep 0.1
    done
    ok "$what: a launcher that was killed leaves no machine" test "$i" -lt 100
    ok "$what: and nothing that is half-written" whole
}

# A file is damaged somewhere.
damaged() {
    local f size
    f=$(find "$boots" -type f -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
    [ -n "$f" ] || return
    size=$(stat -c %s "$f")
    draw byte cut empty
    case $drawn in
    byte) printf '\xa5\x5a\xa5' | dd of="$f" bs=1 seek=$(((RANDOM * 32768 + RANDOM) % size)) conv=notrunc status=none ;;
    cut) truncate -s $(((RANDOM * 32768 + RANDOM) % size)) "$f" ;;
    empty) : >"$f" ;;
    esac
}

compared=0
for ((d = ${KEPT_DRAW:-1}; compared < runs; d++)); do
    RANDOM=$((seed * 7919 + d))
    draw_boot
    what="draw $d: $verb ${boot[*]} ($share)"
    works=$((RANDOM % 4 + 2))
    draw no no kill damage; fate=$drawn
    [ "$fate" != kill ] || killed
    for ((w = 1; w <= works; w++)); do
        draw_work
        once cold cold
        once kept kept
        compared=$((compared + 1))
        ok "$what: $work" same
        [ "$fate" != damage ] || [ "$w" != 1 ] || damaged
    done
    ok "$what: all that is kept is whole" whole
    rm -f "$boots"/* # a draw begins with none, so that it can be repeated alone
    [ -z "$KEPT_DRAW" ] || break
done
echo "# $compared runs compared with cold ones"
finish
