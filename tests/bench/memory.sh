#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's memory (QEMU's resident set) against the memory that the guest has touched (the resident part of its RAM), with little and
# with most of a machine's memory in use. The part of directory, counters and tags is the difference to the same machine with the model off. One run each:
# ROUNDS changes nothing here.
. "$(dirname "$0")/../lib.sh"
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
    echo "$used $rss $off" >"$tmp/rounds"
    # shellcheck disable=SC2046
    {
        figure "$1, $2 MB in files: touched by the guest" MB $(column '$1')
        figure "$1, $2 MB in files: of the host" MB $(column '$2')
        figure "$1, $2 MB in files: of the host, over the guest's" % $(column '($2 / $1 - 1) * 100')
        figure "$1, $2 MB in files: directory, counters and tags" MB $(column '$2 - $3')
        figure "$1, $2 MB in files: directory, counters and tags, of the guest's" % $(column '($2 - $3) / $1 * 100')
    }
}
measure ricotta 0
measure ricotta 900
measure stinger 0
measure stinger 4000
