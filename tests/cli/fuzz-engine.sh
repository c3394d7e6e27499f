#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, repeatable run of the engine's fuzzer (tests/fuzz/fuzz_engine.c).  For
# a long one: build/fuzz/fuzz_engine -jobs=2 CORPUS.
. "$(dirname "$0")/../lib.sh"
command -v clang >/dev/null || skip_all "clang is not installed"
fuzzer=$root/build/fuzz/fuzz_engine
engine=$root/qemu-origin/engine
mkdir -p "$root/build/fuzz"
ok "fuzz_engine builds" clang -g -O1 -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -Wall -Wextra -I"$engine" -I"$root/include" -o "$fuzzer" \
    "$root/tests/fuzz/fuzz_engine.c" $(sed "s,^,$engine/," "$engine/SOURCES")

# a failing input stays in build/fuzz
"$fuzzer" -seed=1 -runs=3000 -max_len=1600 -len_control=0 \
    -artifact_prefix="$root/build/fuzz/" >"$tmp/log" 2>&1
is "3000 inputs" "exit $? $(grep -v '^#[0-9]' "$tmp/log" | grep -E 'ERROR|Done')" \
    "exit 0 $(grep '^Done 3000 runs in' "$tmp/log")"
finish
