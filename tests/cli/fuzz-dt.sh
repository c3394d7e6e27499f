#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, repeatable run of the description fuzzer (tests/fuzz/fuzz_dt.c),
# seeded with the presets.  For a long one: build/fuzz/fuzz_dt -jobs=2 CORPUS.
. "$(dirname "$0")/../lib.sh"
command -v clang >/dev/null || skip_all "clang is not installed"
fuzzer=$root/build/fuzz/fuzz_dt
mkdir -p "$root/build/fuzz" "$tmp/seeds"
cp "$root"/build/machines/*.dtb "$tmp/seeds"
ok "fuzz_dt builds" clang -g -O1 -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -Wall -Wextra \
    -I"$root/qemu-origin/engine" -I"$root/qemu-origin/board" -o "$fuzzer" \
    "$root/tests/fuzz/fuzz_dt.c" "$root/qemu-origin/board/dt/dt.c" \
    "$root/qemu-origin/engine/fabric/topo.c" -lfdt

# a failing input stays in build/fuzz
"$fuzzer" -seed=1 -runs=100000 -max_len=6000 \
    -artifact_prefix="$root/build/fuzz/" "$tmp/seeds" >"$tmp/log" 2>&1
is "100000 inputs" "exit $? $(grep -v '^#[0-9]' "$tmp/log" | grep -E 'ERROR|Done')" \
    "exit 0 $(grep '^Done 100000 runs in' "$tmp/log")"
finish
