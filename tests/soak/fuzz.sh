#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzzers of tests/cli/fuzz.sh with a million inputs or an hour each, and random accesses to registers in a QEMU with AddressSanitizer and UBSan.
# Writes docs/fuzzing.md. Each fuzzer runs on all processors of the host. FUZZ, FUZZ_RUNS, FUZZ_SECONDS and FUZZ_SEED as there; REGS=0 leaves out the registers, whose QEMU takes long to build.
# timeout: 36000
. "$(dirname "$0")/../lib.sh"
export FUZZ_RUNS="${FUZZ_RUNS:-1000000}" FUZZ_SECONDS="${FUZZ_SECONDS:-3600}" FUZZ_WORKERS="${FUZZ_WORKERS:-$(nproc)}"
bash "$root/tests/cli/fuzz.sh" | tee "$tmp/log"
is 'the fuzzers' "$(grep -E '^(not ok|Bail out|[0-9])' "$tmp/log" | sed '/^1\.\./s/.*/whole/')" whole
if [ "${REGS:-1}" != 0 ]; then
    "$root/scripts/build-qemu" --asan >"$tmp/build" 2>&1 || { sed 's/^/# /' "$tmp/build"; echo 'Bail out! QEMU does not build with AddressSanitizer'; exit 99; }
    set -a
    # shellcheck source=/dev/null
    . "$root/build/env"
    ORIGIN_QEMU=$root/build/qemu-system-mips64-asan
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 "$root/build/qtest/test_regs_fuzz" "${FUZZ_SEED:-1}" $((FUZZ_RUNS / 3)) >"$tmp/regs" 2>&1
    is 'registers of three models: status' "$?" 0
    grep -v '^ok' "$tmp/regs" | sed 's/^/# /' | tail -n 30
    is 'registers: reports' "$(grep -c -E 'runtime error|AddressSanitizer' "$tmp/regs")" 0
fi
# The rows: what was tried now, and of the other fuzzers what was tried last.
page=$root/docs/fuzzing.md now="$(git -C "$root" log -1 --format=%h), $(date +%F)"
{
    sed -n 's/^# \([a-z]*\): \([0-9]*\) inputs, reached \(.*\)/\1 | \2 | \3/p' "$tmp/log"
    [ "${REGS:-1}" = 0 ] || echo "registers | $FUZZ_RUNS | all rows of \`include/regs\`, each model"
} | sed "s/.*/| & | $now |/" >"$tmp/rows"
grep '^| [a-z]* | [0-9]' "$page" | while IFS='|' read -r _ name rest; do
    grep -q "^|$name|" "$tmp/rows" || echo "|$name|$rest"
done >>"$tmp/rows"
{
    echo '<!-- Written by tests/soak/fuzz.sh (make soak T=soak/fuzz). -->'
    echo '# What the fuzzers reach'
    echo
    echo 'Inputs that were tried without a finding, and how much of the code that a fuzzer is made of they reached: edges between blocks of instructions as'
    echo 'libFuzzer counts them, in Python lines of the functions that read. A fuzzer is made of whole files, so it cannot reach all. A row has the commit and'
    echo 'day of its run. [trust.md](trust.md) says what each is for.'
    echo
    "$root/scripts/measured.py" --stamp tests/fuzz tests/cli/fuzz.sh
    echo
    echo '| fuzzer | inputs | reached | commit |'
    echo '|---|--:|--:|---|'
    sort "$tmp/rows"
} >"$tmp/page" && cp "$tmp/page" "$page"
finish
