#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the thesis' measurements in the guest, with snsuite and snbench; guest.py compares them.
# Usage: guest.sh DIR [MACHINE]...
# Leaves DIR/MACHINE/NAME.csv with the columns of tests/accuracy/thesis, and curve.csv for the machines of figures 4.4 to 4.6. Runs as many
# machines at a time as the host has processors, the longest first. ORIGIN_FLAGS are options of `origin run`; unset, they are --time=full.
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || { echo "usage: guest.sh DIR [MACHINE]..." >&2; exit 2; }
dir=$1
shift
[ $# -gt 0 ] || set -- arctic stinger bootleg rapture bitmap bwana lego-oil
export ORIGIN_THREADS="${ORIGIN_THREADS:-1}" # machines share the host
if [ $# -gt 1 ]; then
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$0" "$dir"
    exit
fi

# The groups of snsuite that the tables need from each machine; curve=1: a figure needs it, too.
machine=$1 curve=0
case $machine in
arctic) groups=all curve=1 ;;                            # 4.8, 4.10, 4.11, 4.13 to 4.20, figure 4.6
bitmap) groups='local contention' curve=1 ;;             # 4.6, 4.10, figure 4.5
bootleg) groups='local contention remote' curve=1 ;;     # 4.7, 4.10, 4.14, figure 4.4
bwana) groups='local contention' ;;                      # 4.9, 4.10
stinger | lego-oil) groups=remote ;;                     # 4.12, 4.14
rapture) groups=backoff ;;                               # 6.1
*) groups='local remote contention' ;;
esac
# Some processors still have work from booting, which would show in the first calls. So the guest sleeps for half a minute, which costs the host nothing.
# Node 1 is the thesis' home on arctic, so the curve is measured by a processor there.
guest="sleep 30; snsuite -o . $groups >/dev/null; status=\$?"
[ $curve = 0 ] || guest="$guest; snbench -h1 -l2 -i3 -a 128K --max-work=60 --curve restart-read >curve.csv || status=\$?"
say() {
    echo "accuracy: $machine: $*" >&2
}
mkdir -p "$dir/$machine" && rm -f "$dir/$machine"/*.csv "$dir/$machine/measured" || exit 1
say "$groups"
start=$(date +%s)
{
    # shellcheck disable=SC2086
    "$root/origin" run ${ORIGIN_FLAGS---time=full} -m "$machine" -s "$dir/$machine" -- "$guest; exit \$status" </dev/null 2>&1
    echo $? >"$dir/$machine/status"
} | sed -u "s/^/accuracy: $machine: /" >&2
status=$(cat "$dir/$machine/status")
say "status $status after $(($(date +%s) - start)) s"
# guest.py writes these lines into its page.
# shellcheck disable=SC2046
[ "$status" != 0 ] || {
    "$root/scripts/measured.py" --stamp $("$root/scripts/measured.py" --machine) tests/accuracy
    echo "commit $(cat "$root/build/commit"), $(date +%F), $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
} >"$dir/$machine/measured"
exit "$status"
