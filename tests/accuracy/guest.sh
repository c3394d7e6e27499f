#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The thesis' measurements, made in the guest by snsuite and snbench: guest.sh DIR [MACHINE]...; guest.py compares what it leaves.
# leaves DIR/MACHINE/NAME.csv, with the columns of tests/accuracy/thesis, and DIR/MACHINE/curve.csv, figures 4.4 to 4.6.
# ORIGIN_FLAGS are options of `origin run`, --time=full unless set. Without MACHINE: those of table 4.5. Arctic takes most of the time.
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || { echo "usage: guest.sh DIR [MACHINE]..." >&2; exit 2; }
dir=$1
shift
[ $# -gt 0 ] || set -- bitmap bootleg bwana rapture stinger arctic

failed=0
for machine in "$@"; do
    case $machine in
    arctic) groups=all ;;
    stinger) groups=remote ;;
    rapture) groups=backoff ;;
    bitmap) groups=all ;;
    *) groups='local remote contention' ;;
    esac
    mkdir -p "$dir/$machine" || exit 1
    echo "accuracy: $machine: $groups" >&2
    # Node 1 is the thesis' home on arctic; a processor there for the curve.
    # shellcheck disable=SC2086
    "$root/origin" run ${ORIGIN_FLAGS---time=full} -m "$machine" -s "$dir/$machine" -- "snsuite -o . $groups >/dev/null
        status=\$?
        snbench -h1 -l2 -i3 -a 128K --max-work=96 --curve restart-read >curve.csv && exit \$status" </dev/null || {
        echo "accuracy: $machine: status $?" >&2
        failed=1
    }
done
exit $failed
