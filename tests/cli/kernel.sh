#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the launcher sees in a kernel's symbols before it boots it: options that are missing, room for the machine's nodes, the clock's rate,
# the size of its pages.
# The kernels are ELF files with nothing but such symbols. A program that prints its arguments stands in for QEMU.
. "$(dirname "$0")/../lib.sh"
export ORIGIN_QEMU ORIGIN_VMLINUX ORIGIN_INITRD ORIGIN_MACHINES ORIGIN_INCLUDES
ALL='devtmpfs_init virtio_pci_probe virtcons_probe sgi_w1_probe w1_eprom_add_slave nvmem_register p9_virtio_probe v9fs_mount load_module'

# kernel FILE HZ REGIONS SYMBOL...: REGIONS is the room of memblock's array of reserved regions, $page the bytes of a page
page=16384
kernel() {
    file=$1 hz=$2 regions=$3
    shift 3
    {
        echo '.globl jiffies_64; .data; .balign 8; .type jiffies_64, @object; .size jiffies_64, 8'
        echo "jiffies_64: .dword $((4294967296 - 300 * hz))"
        echo '.text'
        for symbol; do echo "$symbol: nop"; done
        echo ".local memblock_reserved_init_regions; .comm memblock_reserved_init_regions, $((24 * regions)), 8"
        echo ".globl __node_data; .comm __node_data, 512, 8; .globl invalid_pte_table; .comm invalid_pte_table, $page, 8"
    } >"$tmp/kernel.s"
    "${ORIGIN_CROSS}gcc" -mabi=64 -mno-abicalls -c -o "$file.o" "$tmp/kernel.s" && "${ORIGIN_CROSS}ld" -e 0 -Ttext 0xa800000000100000 -o "$file" "$file.o" ||
        { echo 'Bail out! no kernel'; exit 99; }
}

# boot ARGS...: the launcher with a QEMU that prints its arguments
boot() {
    ORIGIN_QEMU=$tmp/qemu "$ORIGIN_LAUNCHER" run "$@" -- true >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    err=$(sed "s,$tmp/,," "$tmp/err")
}
printf '#!/bin/sh\necho "$@"\nexit 1\n' >"$tmp/qemu"
chmod +x "$tmp/qemu"

for hz in 100 250 256 1000 1024; do
    # shellcheck disable=SC2086
    kernel "$tmp/hz" $hz 384 $ALL
    # The loop has two instructions. A branch that is taken costs a cycle more on an R10000. Real machines: docs/fidelity/core.md.
    boot -m origin200 -k "$tmp/hz"
    like "the delay loop's turns in a jiffy at HZ=$hz" "$err" " lpj=$((180000000 / 2 / hz)) "
    boot -m lego-oil -k "$tmp/hz"
    like "of an R12000" "$err" " lpj=$((300000000 / hz)) "
    boot -m lego-oil --cpu=simple -k "$tmp/hz"
    like "the same if an instruction takes a cycle" "$err" " lpj=$((300000000 / 2 / hz)) "
done
"${ORIGIN_CROSS}strip" -o "$tmp/stripped" "$tmp/hz"
boot -m stinger -k "$tmp/stripped"
like 'a kernel without symbols is booted' "$err" '^-M origin2000,'
unlike 'and measures its delay loop itself' "$err" 'lpj='

for lack in devtmpfs_init:DEVTMPFS virtio_pci_probe:VIRTIO_PCI virtcons_probe:VIRTIO_CONSOLE sgi_w1_probe:W1_MASTER_SGI \
    w1_eprom_add_slave:W1_SLAVE_DS250X nvmem_register:NVMEM; do
    # shellcheck disable=SC2046
    kernel "$tmp/less" 100 384 $(echo "$ALL" | sed "s/${lack%:*}//")
    boot -m origin200 -k "$tmp/less"
    like "no ${lack#*:}: 125, one line" "$status $err" "^125 origin: kernel less lacks CONFIG_${lack#*:}=y: [A-Za-z0-9' /]*needs? [a-z0-9/]* .docs/kernel.md has a configuration to start from.$"
done
# shellcheck disable=SC2086
kernel "$tmp/less" 100 384 ${ALL% v9fs_mount*}
boot -m origin200 -k "$tmp/less"
like 'no 9P: booted without -s' "$err" '^-M origin2000,'
boot -m origin200 -s "$tmp" -k "$tmp/less"
is 'no 9P: refused with -s' "$status $err" "125 origin: kernel less lacks CONFIG_9P_FS=y: -s needs it (docs/kernel.md has a configuration to start from)"
# shellcheck disable=SC2086
kernel "$tmp/new" 100 384 ${ALL%v9fs_mount*} v9fs_init_fs_context
boot -m origin200 -s "$tmp" -k "$tmp/new"
like '9P of later kernels' "$err" '^-M origin2000,'

# shellcheck disable=SC2086
kernel "$tmp/upstream" 100 128 $ALL
boot -m ricotta -k "$tmp/upstream"
like 'an unpatched kernel: 8 nodes' "$err" '^-M origin2000,'
boot -m stinger -k "$tmp/upstream"
is 'an unpatched kernel: 64 nodes' "$status $err" "125 origin: kernel upstream would panic: its memblock has room for 128 reserved regions, and 64 nodes need about 266; apply kernel/patches/0001, or choose a smaller machine (-m)"
# shellcheck disable=SC2086
kernel "$tmp/patched" 100 384 $ALL
boot -m stinger -k "$tmp/patched"
like 'a patched kernel: 64 nodes' "$err" '^-M origin2000,'

for page in 4096 65536; do
    # shellcheck disable=SC2086
    kernel "$tmp/pages" 100 384 $ALL
    boot -m origin200 -k "$tmp/pages"
    like "a kernel with pages of $page bytes is booted" "$err" '^-M origin2000,'
    like 'without our modules, as a line says' "$err" "^origin: kernel pages has pages of $((page / 1024)) KB, and our modules need 16 KB: they are not loaded"
    ORIGIN_QEMU=$tmp/qemu "$ORIGIN_LAUNCHER" profile -o "$tmp/profile" -m origin200 -k "$tmp/pages" -- true >"$tmp/out" 2>"$tmp/err" </dev/null
    is 'and a profile of it refused' "$? $(sed "s,$tmp/,," "$tmp/err")" "125 origin: kernel pages has pages of $((page / 1024)) KB: no profile can be made of it, only of kernels with 16 KB"
done

echo 'not a kernel' >"$tmp/text"
boot -k "$tmp/text"
is 'no ELF file' "$status $err" "125 origin: kernel text: not an ELF file of a 64-bit big-endian MIPS"
boot -k /bin/true
like 'a program of the host' "$status $err" '^125 origin: kernel /bin/true: not an ELF file of'

finish
