#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the guest that the fingerprint runs: kernel, initramfs and test programs of the commit that the file `commit` names. This guest stays
# the same while the sources of the guest's tools and modules change, so a different fingerprint means a different machine.
# Prints the directory, which is kept in the cache. Exit status 3: this is not a clone with that commit in its history.
#
#   DIR/vmlinux  DIR/initramfs.cpio  DIR/share/PROGRAM...  DIR/board.elf  DIR/counters.elf  DIR/hash (of all of them)
. "$(dirname "$0")/../../scripts/lib.sh"
rev=$(cat "$root/tests/fingerprint/commit")
key=$rev-$(hash_paths tests/fingerprint/guest.sh)
git -C "$root" cat-file -e "$rev^{commit}" 2>/dev/null || { echo "commit $rev is not in this clone" >&2; exit 3; }
if dir=$(cached fingerprint-guest "$key"); then echo "$dir"; exit 0; fi
with_lock fingerprint-guest >&2 # standard output is for the directory
if dir=$(cached fingerprint-guest "$key"); then echo "$dir"; exit 0; fi

tree=$cache/work/fingerprint-guest
rm -rf "$tree"; mkdir -p "$tree"
git -C "$root" archive "$rev" | tar -x -C "$tree"
# The other tree's make must not inherit this one's variables.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u ORIGIN_LOCKED -u ORIGIN_T0 -u CCACHE_BASEDIR \
    make -C "$tree" ORIGIN_LOCKED=1 build/env kernel sdk initramfs >"$build/log/fingerprint-guest.log" 2>&1 ||
    { tail -n 25 "$build/log/fingerprint-guest.log" >&2; die "the guest of commit $rev does not build"; }

out=$dir.tmp.$$
mkdir -p "$out/share"
cp "$tree/build/kernel/vmlinux" "$tree/build/initramfs.cpio" "$out/"
# shellcheck source=/dev/null
. "$tree/build/env" # ORIGIN_CROSS
cc() { "$tree/origin" cc -O2 -pthread -o "$out/share/$1" "$2" -lm; }
cc kernels "$tree/tests/bench/kernels.c"
sed 's/FFT_CPUS = 16/FFT_CPUS = 64/' "$tree/tests/bench/kernels.c" >"$tree/kernels64.c"
cc kernels64 "$tree/kernels64.c"
cc refcnt "$tree/tests/guest/refcnt.c"
cc policies "$tree/tests/guest/policies.c"
for program in board counters; do
    "${ORIGIN_CROSS}gcc" -O2 -march=mips4 -mabi=64 -EB -mno-abicalls -fno-pic -G0 -ffreestanding -fno-builtin -nostdlib -static -s \
        -I"$tree/include" -Wl,-T,"$tree/tests/baremetal/board.ld",--build-id=none \
        -o "$out/$program.elf" "$tree/tests/baremetal/start.S" "$tree/tests/baremetal/$program.c" -lgcc
done
dtc -q -I dts -O dtb -o "$out/counters.dtb" "$tree/tests/baremetal/counters.dts"
# The kernel without its build ID, and that of its vDSO, which depend on where it was built.
"${ORIGIN_CROSS}objcopy" -O binary -j .text -j .rodata -j .init.text "$out/vmlinux" "$out/kernel.code"
(cd "$out" && find . -type f ! -name vmlinux | LC_ALL=C sort | xargs sha256sum) | hash_text >"$tree/hash"
rm "$out/kernel.code"
mv "$tree/hash" "$out/"
publish fingerprint-guest "$key" "$out"
rm -rf "$tree"
echo "$dir"
