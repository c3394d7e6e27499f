#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How many nodes upstream's memblock arrays hold (docs/kernel.md). With the arrays' sizes set back to 128, the kernel boots 28 nodes and panics on
# 29. With our patch it boots 36. The machines are the first nodes of stinger.
. "$(dirname "$0")/../lib.sh"

cat >"$tmp/unpatch.py" <<'END'
import struct, subprocess, sys

nm, source, to = sys.argv[1:]
symbols = subprocess.run([nm, source], capture_output=True, text=True, check=True).stdout.splitlines()
address = next(int(s.split()[0], 16) for s in symbols if s.split()[-1] == "memblock")
image = bytearray(open(source, "rb").read())
offset, = struct.unpack_from(">Q", image, 32)
count, = struct.unpack_from(">H", image, 56)
for i in range(count):
    kind, _, at, virtual, _, size, _, _ = struct.unpack_from(">IIQQQQQQ", image, offset + 56 * i)
    if kind == 1 and virtual <= address < virtual + size:
        at += address - virtual
        break
# bool, limit; then memory and reserved: count, maximum, total, regions, name
for where in (at + 24, at + 64):
    if not 128 < struct.unpack_from(">Q", image, where)[0] < 10000:
        sys.exit("struct memblock is not what it was")
    struct.pack_into(">Q", image, where, 128)
open(to, "wb").write(image)
END
python3 "$tmp/unpatch.py" "${ORIGIN_CROSS}nm" "$ORIGIN_VMLINUX" "$tmp/vmlinux"
ok 'the maxima can be put back' test -s "$tmp/vmlinux"

nodes() { # nodes N: $tmp/N.dts
    awk -v n="$1" '{
        out = ""
        while (match($0, /node@n[0-9] *{ *};/)) {
            out = out substr($0, 1, RSTART - 1) (k++ < n ? substr($0, RSTART, RLENGTH) : "")
            $0 = substr($0, RSTART + RLENGTH)
        }
        print out $0 }' "$root/qemu-origin/machines/stinger.dts" | sed 's/model = "stinger"/model = "nodes"/' >"$tmp/$1.dts"
    cp "$root"/qemu-origin/machines/*.dtsi "$tmp"
}
for n in 28 29 36; do nodes $n; done
run -m "$tmp/28.dts" --model=off -k "$tmp/vmlinux" -- nproc
is '28 nodes with 128 regions' "$status $out" '0 56'
run -m "$tmp/29.dts" --model=off -k "$tmp/vmlinux" -- nproc
is '29 nodes with 128 regions: no machine' "$status" 125
like '29 nodes with 128 regions: the panic' "$err" 'memblock: cannot resize reserved array'
like '29 nodes with 128 regions: the way out' "$err" '^origin: its memblock has no room .*: apply kernel/patches/0001, or choose a smaller machine'
run -m "$tmp/36.dts" --model=off -- nproc
is '36 nodes with the patch' "$status $out" '0 72'
finish
