#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The model's schedule of six loops against tests/core/reference.py, which follows each instruction cycle by cycle and knows nothing of the model.
# The model keeps quarters of a cycle and the mean of some iterations, so a tenth is the bound that it promises (docs/core.md).
. "$(dirname "$0")/../lib.sh"
for loop in "$root"/tests/core/loops/*.s; do
    name=$(basename "$loop" .s)
    ok "$name: compile" "$origin" cc -c -o "$tmp/$name.o" "$loop"
    for chip in r10000 r12000; do
        want=$(python3 "$root/tests/core/reference.py" --cpu=$chip "$loop" | cut -d ' ' -f 2)
        got=$("$origin" core --schedule --chip=$chip "$tmp/$name.o" "$name" | sed -n "s/^$name+0x0: .* loops to itself: \([0-9.]*\) cycles.*/\1/p")
        within "$name on the $chip" "$(awk "BEGIN { print $want * 0.9 }")" "${got:-0}" "$(awk "BEGIN { print $want * 1.1 }")"
    done
done
finish
