#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The profiler's tools count what happened. Every counter of Hubs, links and R10000, and every metric made of them, is compared with the
# model's ground truth over the same stretch of machine time, whatever the kernel does meanwhile. exact.py has the rules and the cases.
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/share"
"$origin" cc -O2 -o "$tmp/share/exact" "$root/tests/guest/exact.c" -lsn -lpthread || exit 99
for i in {1..12}; do head -c 65536 /dev/zero >"$tmp/share/data.$i"; done
python3 "$root/tests/guest/exact.py" script >"$tmp/share/cases"
cat >"$tmp/share/all.sh" <<'END'
./exact clock >/tmp/clock
for n in /hw/nodenum/*; do echo "node $(readlink -f $n) ${n##*/}" >>/tmp/clock; done
for p in /hw/module/*/slot/*/router/[1-6]; do echo "port ${p%/*} ${p##*/} $(readlink -f $p)" >>/tmp/clock; done
cp /tmp/clock new && mv new clocks
fetchop() { insmod "/lib/modules/$(uname -r)/fetchop_test.ko" node=$1 vars=$2 rounds=$3 && rmmod fetchop_test; }
# I/O takes no time on links. If a read ahead moved 900 KB at once, a port would carry more between two samples than its counters hold. The
# counters would be halved and lose 32768, which no tool can notice because no time passes. So the files are read in pieces.
in_pieces() { for i in $(seq 12); do cat "data.$i" >/dev/null; usleep 2000; done; }
while read -r what case options; do
    case $what in
    snsar)
        : >/tmp/rows
        snsar --rtprio=50 --csv -o /tmp/trace $options 0.1 >/tmp/rows 2>/tmp/said </dev/null & pid=$!
        until [ "$(wc -l </tmp/rows)" -gt 1 ]; do usleep 10000; done
        ./exact meet $case.a
        ./exact traffic; in_pieces
        fetchop 1 2 300; fetchop 6 3 100
        ./exact meet $case.b
        sleep 0.1
        kill -INT $pid; wait
        grep -v us/sample /tmp/said
        cp /tmp/trace trace.$case; cp /tmp/rows rows.$case; touch done.$case
        ;;
    events) ./exact events $case $options >/tmp/events && cp /tmp/events . && touch done.events ;;
    lone) snrun -q -r1 -s5 -n all --alocal --local --sysad -o /tmp/lone ./exact lone $case $options && cp /tmp/lone* . && touch done.lone ;;
    esac
done <cases
END
run -m ricotta -s "$tmp/share" --qemu-arg=-qmp --qemu-arg="unix:$tmp/qmp,server=on,wait=off" -- sh all.sh </dev/null &
PYTHONPATH=$root/tests timeout 500 python3 "$root/tests/guest/exact.py" "$tmp/qmp" "$tmp/share" "$root/build/host" >"$tmp/points" 2>&1
wait
while IFS= read -r line; do
    case $line in
    ok\ -*) result 0 "${line#ok - }" ;;
    not\ ok\ -*) result 1 "${line#not ok - }" "$(grep -A 8 -F "$line" "$tmp/points" | sed 1d | grep '^#')" ;;
    *) echo "# ${line#\# }" ;;
    esac
done <"$tmp/points"
is "every case was measured" "$(grep -c 'ok - ' "$tmp/points")" 48
is "the guest has no complaint" "$(cat "$tmp/out" "$tmp/err")" ""
finish
