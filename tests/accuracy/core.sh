#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What instructions, loops and whole programs take in the guest; core.py writes the page. Usage: core.sh DIR [MACHINE:MHZ]...
# Leaves a file for each machine and "measured" in DIR.
root=$(cd "$(dirname "$0")/../.." && pwd)
origin=$root/origin
[ $# -gt 0 ] || { echo "usage: core.sh DIR [MACHINE:MHZ]..." >&2; exit 2; }
dir=$1
shift
[ $# -gt 0 ] || set -- ricotta:180 bitmap:195 bootleg:250 arctic:300 bwana:400
mkdir -p "$dir/share" && rm -f "$dir"/*.txt "$dir/measured" || exit 1
"$origin" cc -O1 -o "$dir/share/core" "$root/tests/guest/core.c" && "$origin" cc -O1 -o "$dir/share/returns" "$root/tests/guest/returns.c" &&
    "$origin" cc -O3 -march=r10000 -o "$dir/share/programs" "$root/tests/accuracy/core/programs.c" -lm &&
    "$origin" cc -O3 -march=r10000 -o "$dir/share/published" "$root/tests/accuracy/core/published.c" &&
    "$origin" fortran -O3 -march=r10000 -o "$dir/share/linpack" "$root/tests/accuracy/core/linpack.f" || exit
for machine in "$@"; do
    echo "accuracy: ${machine%:*}: chains, streams, programs" >&2
    # Some processors still have work from booting: see guest.sh.
    "$origin" run -m "${machine%:*}" --time=full --threads=1 -s "$dir/share" -- \
        "sleep 30; ./core ${machine#*:}; ./returns ${machine#*:}; ./programs; ./linpack; ./published" </dev/null >"$dir/${machine%:*}.txt" || exit
done
for loop in "$root"/tests/core/loops/*.s; do
    name=$(basename "$loop" .s)
    "$origin" cc -c -o "$dir/share/$name.o" "$loop" || exit
    for chip in r10000 r12000; do
        echo "$name $chip $("$root/tests/core/reference.py" --cpu=$chip "$loop" | cut -d ' ' -f 2)" \
            "$("$origin" core --schedule --chip=$chip "$dir/share/$name.o" "$name" | sed -n "s/^$name+0x0: .* loops to itself: \([0-9.]*\) cycles.*/\1/p")"
    done
done >"$dir/loops"
# shellcheck disable=SC2046
{
    "$root/scripts/measured.py" --stamp $("$root/scripts/measured.py" --machine) tests/accuracy tests/core tests/guest/core.c tests/guest/returns.c
    echo "Commit $(git -C "$root" log -1 --format=%h), $(date +%F)."
} >"$dir/measured"
