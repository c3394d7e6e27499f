#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sketches of servers of today (qemu-origin/machines/like-*.dts): a load from memory takes as long as their files say, with both time models, and
# each run says that the machine is none.
. "$(dirname "$0")/../lib.sh"

is 'origin machines: their titles say what they are' "$("$origin" machines | sed -n 's/^like-[28]s.*   \(sketch, not validated\): .*/\1/p')" 'sketch, not validated
sketch, not validated'

# ns of a load by processor 0 from the memory of each node, within 2 %: the factors in the files have two or three digits, and the models differ by 1 % (docs/engine.md).
loads() { # PRESET MODEL NODE...
    "$origin" run -m "$1" --time="$2" -- "for i in ${*:3}; do snbench -h \$i -l 0 lmbench-read | tail -n 1; done" 2>"$tmp/err" </dev/null | awk '{ print $6 }'
}
held() { # PRESET MODEL NS...: of nodes 0, 1, 3 and 7
    node=(0 1 3 7)
    mapfile -t got < <(loads "$1" "$2" "${node[@]:0:$#-2}")
    like "$1, $2: a line says so" "$(cat "$tmp/err")" '^origin: hypothetical, not validated: L1-ways=8, L2-line=64, hub=x0.2, '
    for i in $(seq $(($# - 2))); do
        want=${*:i+2:1}
        within "$1, $2: node ${node[i - 1]}" $((want * 98 / 100)) "${got[i - 1]}" $((want * 102 / 100))
    done
}
for model in unloaded full; do
    held like-2s $model 89 139
    held like-8s $model 89 139 189 239
done
finish
