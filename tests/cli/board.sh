#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The board refuses descriptions, kernels, RAM disks and options that do not
# fit the machine, each with exit status 1 and one line that names the option
# and the reason.  Also: what the PROM prints without a kernel, and when nobody
# handles an exception.
. "$(dirname "$0")/../lib.sh"
cross=$ORIGIN_CROSS
machine=$ORIGIN_MACHINES/origin200.dtb

# refuses NAME PATTERN ARGS...: one line on stderr that matches, exit status 1
refuses() {
    local name=$1 pattern=$2
    shift 2
    timeout 30 "$ORIGIN_QEMU" -nodefaults -display none -serial none "$@" \
        </dev/null >"$tmp/out" 2>"$tmp/err"
    is "$name: exit status and lines" "$? $(wc -l <"$tmp/err")" "1 1"
    like "$name: the reason" "$(cat "$tmp/err")" "origin2000: $pattern"
}

# elf NAME ADDRESS CODE [FLAG...]: a program of a few instructions
elf() {
    local name=$1 at=$2 code=$3
    shift 3
    printf '.text\n.globl _start\n_start: %s\nnop\n' "$code" >"$tmp/x.S"
    printf 'ENTRY(_start) SECTIONS { . = %s; .text : { *(.text) }
            /DISCARD/ : { *(*) } }' "$at" >"$tmp/x.ld"
    "${cross}gcc" -march=mips4 -mabi=64 -mno-abicalls -fno-pic -nostdlib \
        -static -Wl,--build-id=none -Wl,-T,"$tmp/x.ld" "$@" -o "$tmp/$name" \
        "$tmp/x.S" || exit 99
}

refuses 'no description' 'no description: give -M origin2000,description=' \
    -M origin2000
refuses 'description that is not there' "description: .*/none.dtb" \
    -M "origin2000,description=$tmp/none.dtb"
echo garbage >"$tmp/garbage"
refuses 'description that is no device tree' "$tmp/garbage: /: " \
    -M "origin2000,description=$tmp/garbage"
refuses '-smp' '-smp: ' -M "origin2000,description=$machine" -smp 4
refuses '-m' '-m: ' -M "origin2000,description=$machine" -m 256
refuses '-bios' '-bios: ' -M "origin2000,description=$machine" -bios "$tmp/garbage"

refuses 'kernel that is not there' "-kernel $tmp/none: No such file" \
    -M "origin2000,description=$machine" -kernel "$tmp/none"
refuses 'kernel that is no ELF' "-kernel $tmp/garbage: is no ELF file" \
    -M "origin2000,description=$machine" -kernel "$tmp/garbage"
refuses 'kernel of another machine' "-kernel /bin/true: " \
    -M "origin2000,description=$machine" -kernel /bin/true
elf little 0xa800000000200000 'b _start' -EL
refuses 'little-endian kernel' "-kernel $tmp/little: .*endian" \
    -M "origin2000,description=$machine" -kernel "$tmp/little"
elf low 0xa800000000010000 'b _start'
refuses 'kernel over the tables' '.*: loads at 0x[0-9a-f]+, over the firmware' \
    -M "origin2000,description=$machine" -kernel "$tmp/low"
elf high 0xa800000010000000 'b _start'
refuses 'kernel behind the memory' '.*: needs memory from .* 128 MB in one piece' \
    -M "origin2000,description=$machine" -kernel "$tmp/high"
head -c 100000 "$ORIGIN_VMLINUX" >"$tmp/cut"
refuses 'kernel that is cut short' "-kernel $tmp/cut: is cut short: " \
    -M "origin2000,description=$machine" -kernel "$tmp/cut"
elf narrow 0x80200000 'b _start' -mabi=n32 -Wl,-m,elf32btsmipn32
refuses 'kernel of 32 bits' "-kernel $tmp/narrow: is an ELF file of a 32-bit machine" \
    -M "origin2000,description=$machine" -kernel "$tmp/narrow"

refuses 'initrd that is not there' "-initrd $tmp/none: cannot be read" \
    -M "origin2000,description=$machine" -kernel "$ORIGIN_VMLINUX" \
    -initrd "$tmp/none"
: >"$tmp/empty"
refuses 'empty initrd' "-initrd $tmp/empty: is empty" \
    -M "origin2000,description=$machine" -kernel "$ORIGIN_VMLINUX" \
    -initrd "$tmp/empty"
truncate -s 200M "$tmp/big"
refuses 'initrd that does not fit' "-initrd $tmp/big: 209715200 bytes do not fit" \
    -M "origin2000,description=$machine" -kernel "$ORIGIN_VMLINUX" \
    -initrd "$tmp/big"
refuses 'arguments that do not fit' '-append: [0-9]+ characters' \
    -M "origin2000,description=$machine" -kernel "$ORIGIN_VMLINUX" \
    -append "$(head -c 4050 /dev/zero | tr '\0' x)"

refuses 'no kernel' 'PROM: nothing to boot' \
    -M "origin2000,description=$machine" -icount mode=mp,quantum=1000
# described NAME: compile what is on stdin, inside "modules", "links" and the like
described() {
    {
        echo '/dts-v1/; / { compatible = "sgi,origin2000"; model = "odd"; directory = "standard"; memory-mb = <128>;'
        cat
        echo '};'
    } >"$tmp/$1.dts"
    dtc -q -I dts -O dtb -i "$root/qemu-origin/machines" -o "$tmp/$1.dtb" "$tmp/$1.dts" || exit 99
}

# starts NAME WHAT: a machine of that description gets to the PROM
starts() {
    refuses "$2" 'PROM: nothing to boot' -M "origin2000,description=$tmp/$1.dtb" -icount mode=mp,quantum=1000
}

described far <<'END'
/include/ "r10k-250.dtsi"
    modules {
        module@1 { node@n1 { }; m1: router@r1 { }; };
        module@2 { m2: router@r1 { }; };
        module@3 { m3: router@r1 { }; };
        module@4 { m4: router@r1 { }; };
    };
    links { cables = <&m1 1  &m2 2  165>, <&m2 1  &m3 2  165>, <&m3 1  &m4 2  165>; };
END
starts far 'routers without nodes, two and three cables away: the PROM lists them with the nearest node'
described star <<'END'
/include/ "r10k-250.dtsi"
    modules {
        module@1 { node@n1 { }; node@n2 { }; r: router@r1 { }; };
        module@2 { a: node@n1 { }; b: node@n2 { }; c: node@n3 { }; };
    };
    links { cables = <&r 1  &a 0  100>, <&r 2  &b 0  100>, <&r 3  &c 0  100>; };
END
starts star 'a router with five nodes'
{
    echo '/include/ "r10k-250.dtsi"'
    echo 'modules { module@1 { node@n1 { }; a1: router@r1 { }; b1: router@r2 { }; };'
    for ((i = 2; i <= 96; i++)); do echo "module@$i { a$i: router@r1 { }; b$i: router@r2 { }; };"; done
    echo '}; links { cables = '
    for ((i = 1; i < 95; i++)); do echo "<&b$i 1  &a$((i + 1)) 2  100>,"; done
    echo '<&b95 1  &a96 2  100>; };'
} | described chain
refuses 'more routers than a node can list' \
    "$tmp/chain.dtb: so many routers are nearest to node 0 that its 48 KB of inventory cannot list them" \
    -M "origin2000,description=$tmp/chain.dtb"

elf trap 0xa800000000200000 'ld $2, 0x4008($0)'
refuses 'an exception that nobody handles' \
    'PROM: node 0 cpu a: X?TLB refill exception .code 2.: epc 0xa800000000200000 badvaddr 0x4008 ' \
    -M "origin2000,description=$machine" -kernel "$tmp/trap"

# The engine's state cannot leave the process: the monitor says so.
for command in 'savevm x' 'migrate exec:cat'; do
    printf '%s\nquit\n' "$command" | timeout 30 "$ORIGIN_QEMU" -nodefaults -display none -serial none -monitor stdio -S \
        -M "origin2000,description=$machine" >"$tmp/out" 2>&1
    like "${command%% *}: refused" "$(cat "$tmp/out")" 'Error: an origin2000 cannot be migrated or saved: the state of its caches'
done
finish
