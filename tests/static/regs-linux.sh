#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Hub's register rows (include/regs) against Linux's asm/sn/sn0/hub*.h:
# equal names have equal offsets, and every register that Linux names has a
# row.  A row of an array stands for all its elements.
#
#   regs-linux.sh [LINUX-SOURCE]      default: the one the kernel is built from
. "$(dirname "$0")/../lib.sh"
headers=${1:-$root/build/kernel/source}/arch/mips/include/asm/sn/sn0
[ -f "$headers/hubpi.h" ] || skip_all "no Linux source at $headers"

cat >"$tmp/rows.c" <<'END'
#define SN_REGS_TABLES
#include <stdio.h>
#include "regs/regs.h"
static void list(const struct sn_reg *r)
{
    for (; r->name; r++) {
        for (unsigned i = 0; i < r->count; i++) {
            printf("%d %s\n", r->offset + i * r->stride, i ? "-" : r->name);
        }
    }
}
int main(void)
{
    list(sn_regs_pi);
    list(sn_regs_md);
    list(sn_regs_ii);
    list(sn_regs_ni);
    return 0;
}
END
ok "rows compile" gcc -I"$root/include" -o "$tmp/rows" "$tmp/rows.c"
"$tmp/rows" >"$tmp/rows.txt"

# Linux writes register offsets, and only them, with six digits.
number='^#define[ \t]+(PI|MD|IIO|NI)_([A-Z0-9_]+)[ \t]+0x([0-9a-fA-F]{6})([ \t].*)?$'
sed -nE "s/$number/\3 \1_\2/p" "$headers"/hub{pi,md,io,ni}.h | grep -vE '_BASE|_MASK$|_MAX$' |
    while read -r offset name; do echo "$((16#$offset)) $name"; done >"$tmp/linux.txt"
within "registers that Linux names" 200 "$(wc -l <"$tmp/linux.txt")" 400

awk 'NR == FNR { row[$2] = $1; next } ($2 in row) && row[$2] != $1 { printf "%s: row %x, Linux %x\n", $2, row[$2], $1 }' \
    "$tmp/rows.txt" "$tmp/linux.txt" >"$tmp/differ"
is "equal names have equal offsets" "$(cat "$tmp/differ")" ""

awk 'NR == FNR { row[$1] = 1; next } !($1 in row) { printf "%s %x\n", $2, $1 }' \
    "$tmp/rows.txt" "$tmp/linux.txt" >"$tmp/missing"
is "every register of Linux has a row" "$(cat "$tmp/missing")" ""
finish
