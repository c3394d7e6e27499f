#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes guest.tar.xz, the guest that the fingerprint runs: kernel, initramfs and test programs of this tree, which must be built. It is data, so that
# the same guest runs everywhere and for years: a different fingerprint means a different machine. Make it anew only when the guest must change
# (make fingerprint-guest), then record all values with `make fingerprint-record`, on the machine of the commit before. The file `commit` names the sources.
#
#   vmlinux  initramfs.cpio  share/PROGRAM...  board.elf  counters.elf  counters.dtb
. "$(dirname "$0")/../../scripts/lib.sh"
# shellcheck source=/dev/null
. "$build/env" # ORIGIN_CROSS
cd "$root"
git diff --quiet HEAD -- . ':!tests/fingerprint' || die "commit your changes first: the guest names the commit that it is made of"
here=$root/tests/fingerprint
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
mkdir "$out/share"

# Firmware and launcher look for symbols.
"${ORIGIN_CROSS}strip" --strip-debug -o "$out/vmlinux" "$build/kernel/vmlinux"
# Without what no run uses.
grep -vE '^file (/lib/lib(stdc\+\+|gfortran|gomp|atomic|thread_db|resolv)|/usr/lib/libpapi|/usr/bin/(papi|memhog|mig)|/lib/modules/[^ ]*/statctr_)' \
    "$build/initramfs.list" | "$build/kernel/usr/gen_init_cpio" -t 0 - >"$out/initramfs.cpio"

cc() { "$root/origin" cc -O2 -pthread -s -o "$out/share/$1" "$2" -lm; }
cc kernels tests/bench/kernels.c
sed 's/FFT_CPUS = 16/FFT_CPUS = 64/' tests/bench/kernels.c >"$out/kernels64.c"
cc kernels64 "$out/kernels64.c"
rm "$out/kernels64.c"
cc refcnt tests/guest/refcnt.c
cc policies tests/guest/policies.c
for program in board counters; do
    "${ORIGIN_CROSS}gcc" -O2 -march=mips4 -mabi=64 -EB -mno-abicalls -fno-pic -G0 -ffreestanding -fno-builtin -nostdlib -static -s \
        -Iinclude -Wl,-T,tests/baremetal/board.ld,--build-id=none \
        -o "$out/$program.elf" tests/baremetal/start.S "tests/baremetal/$program.c" -lgcc
done
dtc -q -I dts -O dtb -o "$out/counters.dtb" tests/baremetal/counters.dts

tar -C "$out" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=u-w -c . | xz -9e >"$here/guest.tar.xz"
git rev-parse HEAD >"$here/commit"
step "fingerprint-guest: $(($(stat -c %s "$here/guest.tar.xz") >> 10)) KB"
