#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host's memory (resident set of QEMU) against what the guest touched (its total less what is free, and what the kernel
# itself occupies before it counts), with most of a machine's memory in use.
. "$(dirname "$0")/../lib.sh"
printf '%-24s %12s %12s %9s  %s\n' 'memory' 'guest MB' 'host MB' 'over' 'wanted'
measure() { # measure MACHINE MB
    mkfifo "$tmp/in" "$tmp/up"
    "$origin" run -m "$1" -- "
        [ $2 = 0 ] || { dd if=/dev/zero of=/tmp/fill bs=1M count=$2 2>/dev/null; }
        awk '/^MemTotal/ { t = \$2 } /^MemFree/ { f = \$2 } END { print (t - f) / 1024 }' /proc/meminfo; read -r end" \
        <"$tmp/in" >"$tmp/up" 2>/dev/null &
    launcher=$!
    exec 7>"$tmp/in"
    read -r used <"$tmp/up"
    qemu=$(pgrep -P $launcher | head -n 1)
    rss=$(awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$qemu/status")
    echo end >&7
    exec 7>&-
    wait $launcher
    rm "$tmp/in" "$tmp/up"
    # 16 MB: kernel image and reserved pages, which MemTotal leaves out.
    awk -v name="$1, $2 MB in files" -v used="$used" -v rss="$rss" 'BEGIN {
        printf "%-24s %12.0f %12.0f %8.1f%%  at most 15%%\n", name, used + 16, rss, (rss / (used + 16) - 1) * 100 }'
}
measure ricotta 0
measure ricotta 900
measure stinger 0
measure stinger 4000
