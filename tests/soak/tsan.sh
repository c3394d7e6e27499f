#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Processors on three host threads under ThreadSanitizer: QEMU is built with it (some 20 minutes the first time), and two machines boot to
# `true`. Each report that tsan.supp does not explain fails the test; its reports stay in build/log/tsan.MACHINE.*.
# timeout: 7200
. "$(dirname "$0")/../lib.sh"
"$root/scripts/build-qemu" --tsan >"$tmp/build" 2>&1 || { sed 's/^/# /' "$tmp/build"; echo 'Bail out! QEMU does not build with ThreadSanitizer'; exit 99; }
set -a
# shellcheck source=/dev/null
. "$root/build/env"
ORIGIN_QEMU=$root/build/qemu-system-mips64-tsan
log=$root/build/log/tsan
# Reports do not end the machine, and they are not its exit status: which are left is counted below. The history is as long as can be, so that both
# accesses of most reports have their calls.
export TSAN_OPTIONS="suppressions=$root/tests/soak/tsan.supp history_size=7 exitcode=0 print_suppressions=1"

for m in origin200 ricotta; do
    rm -f "$log.$m".*
    # The launcher's own streams must stay clean, so reports go to files. Host addresses are not randomized: the sanitizer's shadow has fixed places.
    TSAN_OPTIONS="$TSAN_OPTIONS log_path=$log.$m" setarch -R "$ORIGIN_LAUNCHER" run -m "$m" --threads=3 --boot-timeout=3000 -- 'nproc; true' >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$m on three threads: status, output" "$? $(cat "$tmp/out")" "0 $(case $m in origin200) echo 2 ;; *) echo 16 ;; esac)"
    is "$m: reports" "$(cat "$log.$m".* 2>/dev/null | sed -n 's/^SUMMARY: //p' | sort | uniq -c)" ''
done
# Without the library's own names in the program, nothing was watched.
ok 'the program is instrumented' grep -q __tsan_switch_to_fiber "$ORIGIN_QEMU"
finish
