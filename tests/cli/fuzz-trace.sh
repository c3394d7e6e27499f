#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, repeatable run of the fuzzer of trace files (tests/fuzz/fuzz_trace.c), from the kept corpus.
# For a long one: build/fuzz/fuzz_trace -jobs=2 CORPUS tests/fuzz/corpus/trace.
. "$(dirname "$0")/../lib.sh"
command -v clang >/dev/null || skip_all "clang is not installed"
fuzzer=$root/build/fuzz/fuzz_trace
mkdir -p "$root/build/fuzz" "$tmp/new"
cd "$root" || exit 99
ok "fuzz_trace builds" clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Wall -Wextra \
    -Iinclude -Ilib/trace -Ilib/snpc -Ilib/mapping -Itools/read -Itools/common -o "$fuzzer" tests/fuzz/fuzz_trace.c tools/read/collate.c lib/mapping/mapping.c tools/common/{symbols,tracetext}.c \
    lib/trace/{reader,crc32c}.c lib/snpc/metric.c -lm

# a failing input stays in build/fuzz
"$fuzzer" -seed=1 -runs=30000 -max_len=8192 -artifact_prefix=build/fuzz/ "$tmp/new" tests/fuzz/corpus/trace >"$tmp/log" 2>&1
is "30000 inputs" "exit $? $(grep -v '^#[0-9]' "$tmp/log" | grep -E 'ERROR|Done')" \
    "exit 0 $(grep '^Done 30000 runs in' "$tmp/log")"
finish
