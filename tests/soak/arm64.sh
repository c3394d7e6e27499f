#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A host with arm64: QEMU is compiled for it, with Debian's packages, and its programs run under user-mode emulation on this host. The machine's fingerprint
# is the one of 64-bit x86: the same transactions at the same times, the same output. ricotta boots with the same times, too.
#
# One host thread runs the processors, which is the default there: with three, the emulated QEMU has crashed (docs/machine-time.md). Launcher and tools are this host's.
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
ORIGIN_THREADS=1 "$root/tests/fingerprint/run.sh" --set check --match '^(origin200|board|counters|range)$' --build "$tmp/build.arm64" >"$tmp/points"
is 'fingerprint: runs' "$(grep -c . "$tmp/points")" 17
points_of fingerprint "$tmp/points"

run -m ricotta --threads=1 -- 'nproc; cat /proc/stat /proc/uptime'
here=$out
set -a
# shellcheck source=/dev/null
. "$root/build/env"
ORIGIN_QEMU=$tmp/build.arm64/qemu-system-mips64
set +a
there=$("$ORIGIN_LAUNCHER" run -m ricotta --threads=1 --boot-timeout=3000 -- 'nproc; cat /proc/stat /proc/uptime' 2>"$tmp/err" </dev/null)
is 'ricotta: status' "$? $(cat "$tmp/err")" '0 '
is 'ricotta: processors, time and interrupts' "$there" "$here"
finish
