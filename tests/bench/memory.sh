#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the host's memory (QEMU's resident set) with the memory that the guest has touched (the resident part of its RAM), with little and
# with most of a machine's memory in use. The part of directory, counters and tags is the difference to the same machine with the model off.
. "$(dirname "$0")/../lib.sh"
printf '%-24s %12s %12s %9s %12s %9s\n' 'memory' 'guest MB' 'host MB' 'over' 'model MB' 'of guest'
sample() { # sample MACHINE MB MODEL: sets used and rss, MB
    local up
    mkfifo "$tmp/in" "$tmp/up"
    "$origin" run -m "$1" --model="$3" -- "
        [ $2 = 0 ] || { dd if=/dev/zero of=/tmp/fill bs=1M count=$2 2>/dev/null; }
        echo up; read -r end" \
        <"$tmp/in" >"$tmp/up" 2>/dev/null &
    launcher=$!
    exec 7>"$tmp/in"
    read -r up <"$tmp/up"
    [ "$up" = up ] || { echo "memory.sh: $1 did not boot" >&2; exit 1; }
    qemu=$(pgrep -P $launcher | head -n 1)
    # The RAM of nodes is the only memory that the board keeps out of huge pages.
    used=$(awk '/^Rss:/ { r = $2 } /^VmFlags:.* nh/ { sum += r } END { print sum / 1024 }' "/proc/$qemu/smaps")
    rss=$(awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$qemu/status")
    echo end >&7
    exec 7>&-
    wait $launcher
    rm "$tmp/in" "$tmp/up"
}
measure() { # measure MACHINE MB
    sample "$1" "$2" off
    off=$rss
    sample "$1" "$2" on
    read -r over model share < <(awk -v used="$used" -v rss="$rss" -v off="$off" 'BEGIN {
        printf "%.1f %.0f %.1f\n", (rss / used - 1) * 100, rss - off, (rss - off) / used * 100 }')
    printf '%-24s %12.0f %12.0f %8s%% %12s %8s%%\n' "$1, $2 MB in files" "$used" "$rss" "$over" "$model" "$share"
    aim "host memory of $1, $2 MB in files, over the guest's" "$over" most 15 %
    aim "directory, counters and tags of $1, $2 MB in files, of the guest's" "$share" most 25 %
}
measure ricotta 0
measure ricotta 900
measure stinger 0
measure stinger 4000
