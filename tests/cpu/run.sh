#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The processor models: a bare-metal program (main.c and its parts) on small
# machines of each model, strict and with the instructions of MIPS64R2 in user
# mode, with and without the memory model.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/cpu

bare "$tmp/test.elf" "$here"/*.c

for model in r10000 r12000; do
    dtc -q -I dts -O dtb -o "$tmp/$model.dtb" "$here/$model.dts"
done
# miss MODEL KHZ: cycles that 1000 loads from its own memory take on the engine alone
miss() {
    "$root/tests/accuracy/run.sh" alone "$tmp/$1" unloaded lmbench-read:UOWN 0 0 - | awk -v khz="$2" '{ printf "%d", $1 * khz / 1000 }'
}
r10000=$(miss r10000 250000) r12000=$(miss r12000 300000)

# machine MODEL OPTIONS ARGS OUT: runs the program
machine() {
    timeout 60 "$ORIGIN_QEMU" -M "origin2000,description=$tmp/$1.dtb$2" \
        -icount mode=mp,quantum=1000 -nodefaults -display none -no-reboot \
        -serial stdio -kernel "$tmp/test.elf" -append "$3" </dev/null >"$4" 2>&1
}

# suite PREFIX MODEL OPTIONS ARGS
suite() {
    machine "$2" "$3" "$4" "$tmp/out"
    status=$?
    bare_points "$1" "$tmp/out"
    is "$1: ends" "$ended $status" "yes 0"
}

suite "R10000" r10000 ,model=off,r2=on "model=R10000 r2=on l2=4194304"
cp "$tmp/out" "$tmp/first"
suite "R10000, strict" r10000 ,model=off,r2=off "model=R10000 r2=off l2=4194304"
suite "R12000" r12000 ,model=off,r2=on "model=R12000 r2=on l2=8388608"
suite "R12000, strict" r12000 ,model=off,r2=off "model=R12000 r2=off l2=8388608"
suite "R10000, memory model" r10000 ,model=on "model=R10000 r2=on l2=4194304 caches=on miss=$r10000"
suite "R12000, memory model" r12000 ,model=on "model=R12000 r2=on l2=8388608 caches=on miss=$r12000"
suite "R10000, ranges" r10000 ,model=off,range-monitor=on \
    "model=R10000 r2=on l2=4194304 ranges=on"
suite "R10000, memory model, ranges" r10000 ,model=on,range-monitor=on \
    "model=R10000 r2=on l2=4194304 caches=on miss=$r10000 ranges=on"
suite "R12000, memory model, ranges" r12000 ,model=on,range-monitor=on \
    "model=R12000 r2=on l2=8388608 caches=on miss=$r12000 ranges=on"

machine r10000 ,model=off,r2=on "model=R10000 r2=on l2=4194304" "$tmp/again"
ok "twice the same, counts of cycles included" cmp -s "$tmp/first" "$tmp/again"

# The strict processor runs the kernel, but programs with Debian's C library die at once.
timeout 120 "$ORIGIN_QEMU" -M "origin2000,description=$tmp/r10000.dtb,model=off,r2=off" \
    -icount mode=mp,quantum=1000 -nodefaults -display none -no-reboot -serial stdio \
    -kernel "$ORIGIN_VMLINUX" -initrd "$ORIGIN_INITRD" \
    -append "console=ttyS0 panic=1 rdinit=/bin/busybox" \
    </dev/null >"$tmp/boot" 2>&1
boot=$(tr -d '\0\r' <"$tmp/boot")
like "strict: the kernel reaches user space" "$boot" "Run /bin/busybox as init process"
like "strict: init dies of an illegal instruction" "$boot" \
    "Attempted to kill init! exitcode=0x00000004"

finish
