#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A host with arm64: QEMU is compiled for it, with Debian's packages, and its programs run under user-mode emulation on this host. The machine's fingerprint
# is the one of 64-bit x86: the same transactions at the same times, the same output. ricotta boots with the same times, too, on one host thread and on three.
# Launcher and tools are this host's. The order in which this host shows one thread's writes to another is its own, not that of arm64 (docs/machine-time.md).
# timeout: 7200
. "$(dirname "$0")/../lib.sh"
for step in 'install-packages arm64' 'build-qemu --arm64'; do
    # shellcheck disable=SC2086
    "$root/scripts/"$step >"$tmp/build" 2>&1 || { sed 's/^/# /' "$tmp/build"; echo "Bail out! $step"; exit 99; }
done
program=$root/build/qemu-system-mips64-arm64
like 'QEMU is a program for arm64' "$(file -L "$program")" 'ELF 64-bit .*ARM aarch64'

# A build directory whose QEMU that is. The launcher ends QEMU by its process, so nothing stands between.
mkdir "$tmp/build.arm64"
ln -s "$root"/build/* "$tmp/build.arm64"
rm "$tmp/build.arm64/qemu-system-mips64"
printf '#!/bin/sh\nexec qemu-aarch64-static -L %s %s "$@"\n' "$("$root/scripts/sysroot-arm64")" "$program" >"$tmp/build.arm64/qemu-system-mips64"
chmod +x "$tmp/build.arm64/qemu-system-mips64"

# bitmap-full and migrate would take longer than a run of the fingerprint may.
points() { # THREADS RUNS LINES
    ORIGIN_THREADS=$1 "$root/tests/fingerprint/run.sh" --set check --match "^($2)\$" --build "$tmp/build.arm64" >"$tmp/points"
    is "fingerprint, $1 threads: lines" "$(grep -c . "$tmp/points")" "$3"
    points_of "fingerprint, $1 threads" "$tmp/points"
}
points 1 'origin200|board|counters|range' 17
points 3 board 5

# Eight processes at a time: phases with many processors, which several threads share.
job='nproc; for i in 1 2 3 4 5 6 7 8; do md5sum /bin/busybox & done; wait; cat /proc/stat /proc/uptime'
run -m ricotta --threads=1 -- "$job"
here=$out
set -a
# shellcheck source=/dev/null
. "$root/build/env"
ORIGIN_QEMU=$tmp/build.arm64/qemu-system-mips64
set +a
for n in 1 3; do
    there=$("$ORIGIN_LAUNCHER" run -m ricotta --boot=cold --threads=$n --boot-timeout=3000 -- "$job" 2>"$tmp/err" </dev/null)
    is "ricotta, $n threads: status" "$? $(cat "$tmp/err")" '0 '
    is "ricotta, $n threads: processors, sums, time and interrupts" "$there" "$here"
done
finish
