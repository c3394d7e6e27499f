#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mkblob.sh CC SRC OUT.h: assembles the PROM for CKSEG1 bfc00000 and writes it
# as the initialiser of a C array.  CC is a MIPS64 big-endian gcc; objcopy of
# the same prefix must stand beside it.
set -e
cc=$1 src=$2 out=$3
objcopy=${cc%gcc}objcopy
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$cc" -x assembler-with-cpp -march=mips4 -mabi=64 -EB -mno-abicalls -fno-pic \
    -G0 -nostdlib -static -Wl,-Ttext=0xffffffffbfc00000,-e,_start,--build-id=none \
    -Wa,-W -I"$(dirname "$src")" -o "$tmp/prom.elf" "$src"
"$objcopy" -O binary -j .text "$tmp/prom.elf" "$tmp/prom.bin"
od -An -v -tx1 "$tmp/prom.bin" | sed 's/ \(..\)/0x\1,/g' > "$tmp/prom.h"
mv "$tmp/prom.h" "$out"
