#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin core: schedules of blocks of a program in assembly language, whose cycles can be found by hand from the User's Manual's tables; what it
# refuses; and its disassembly, against binutils' on a whole program.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/loops.S" <<'END'
        .set    noreorder
        .text
        .globl  axpy
        .type   axpy, @function
        .align  6
/* Two loads and a store: three cycles of the unit for them. The second line of code begins behind them. */
axpy:
1:      ldc1    $f1, 0($5)
        ldc1    $f2, 0($6)
        daddiu  $5, $5, 8
        daddiu  $6, $6, 8
        madd.d  $f2, $f2, $f1, $f12
        bne     $5, $7, 1b
        sdc1    $f2, -8($6)
        jr      $31
        nop
        .size   axpy, . - axpy
        .globl  chase
        .type   chase, @function
        .align  6
chase:
1:      ld      $4, 0($4)
        bne     $4, $0, 1b
        nop
        jr      $31
        nop
        .size   chase, . - chase
        .type   empty, @function
empty:  .size   empty, 0
END
ok 'compile' "$origin" cc -c -o "$tmp/loops.o" "$tmp/loops.S"
out=$("$origin" core --schedule "$tmp/loops.o" axpy 2>&1)
is 'status' $? 0
like 'a loop to itself, bound by the load and store unit' "$out" '^axpy\+0x0: 7 instructions, loops to itself: 3.00 cycles, 2.33 instructions a cycle$'
like 'why' "$out" '^  of these: unit 3.00; a wrong prediction adds [0-9.]+$'
is 'a line for each instruction of both blocks' "$(printf '%s\n' "$out" | grep -cE '^ +[0-9]+\.[0-9]{2}  (width|unit|dependence|branch) ')" 9
like 'the last one has graduated at the end' "$out" '^ +3\.00  [a-z]+ +store .* sdc1 \$f2,-8\(a2\)'
like 'the return' "$out" '^axpy\+0x1c: 2 instructions, leaves by a jump: '
out=$("$origin" core --schedule --chip=r10000 --chart "$tmp/loops.o" chase)
like 'a chain of loads: two cycles, with the fetch of the target in their shadow' "$out" '^chase\+0x0: 3 instructions, loops to itself: 2.00 cycles'
like 'the chart' "$out" ' ld a0,0\(a0\) +F\.*D=*eE-+G$'
out=$("$origin" core --classes)
like 'classes: division' "$out" '^ddiv +66/67 +67 +int +alu2$'
like 'classes: the reciprocal root differs between the processors' "$out" '^rsqrt\.d +52 +35/56 '

refuses() { # NAME STATUS PATTERN ARG...
    local name=$1 status=$2 pattern=$3 said
    shift 3
    said=$("$origin" core "$@" 2>&1 >/dev/null)
    is "$name: status" $? "$status"
    is "$name: one line" "$(printf '%s\n' "$said" | wc -l)" 1
    like "$name" "$said" "$pattern"
}
refuses 'nothing to do' 2 '^origin: core: give --schedule FILE FUNCTION, or --classes'
refuses 'no function named' 2 '^origin: core: --schedule needs FILE and FUNCTION' --schedule "$tmp/loops.o"
refuses 'no such function' 1 "loops\.o: no function 'nosuch'$" --schedule "$tmp/loops.o" nosuch
refuses 'a function without code' 1 "'empty' has no sensible size" --schedule "$tmp/loops.o" empty
refuses 'no such file' 1 'missing: No such file or directory' --schedule "$tmp/missing" f
refuses 'no program' 1 'loops\.S: no ELF file' --schedule "$tmp/loops.S" f
refuses 'a program of the host' 1 'no program of the guest' --schedule "$root/build/launcher" main
refuses 'another processor' 2 "^origin: --chip is r10000 or r12000, not 'r4000'" --schedule --chip=r4000 "$tmp/loops.o" axpy
refuses 'a chart of nothing' 2 'give --schedule' --chart "$tmp/loops.o" axpy

# Names and registers of all instructions of a program, as binutils writes them (-M no-aliases). Left out: numbers, condition bits and register 31
# of JALR, which the two write differently, and names that are another instruction's with certain operands.
program=$root/build/guest/snbench
normal() {
    python3 -c '
import re, sys
for line in sys.stdin:
    at, _, rest = line.rstrip().partition(" ")
    rest = re.sub(r"[$]fcc[0-7],?|<.*", "", rest)
    rest = re.sub(r"(?<=[ ,])0x[0-9a-f]+|(?<=[ ,])-?[0-9][0-9a-f]*|(?<=[ ,])[0-9a-f]{3,}(?= *$)", "N", rest).rstrip()
    rest = re.sub(r"(,N)+$", "", rest).replace("sll zero,zero", "nop").replace("jalr ra,", "jalr ")
    rest = re.sub(r"^dli (\w+).*", r"ori \1,zero", re.sub(r"^(d?)neg(u?) (\w+)", r"\1sub\2 \3,zero", rest))
    print(at, re.sub(r"^(dext|dins)[mu]", r"\1", rest.replace("div zero,", "div ").replace("divu zero,", "divu ")))' | sort -u
}
"$ORIGIN_SDK/bin/origin-objdump" -d --no-show-raw-insn -M no-aliases "$program" |
    sed -nE 's/^ *([0-9a-f]+):\t([a-z0-9.]+)\t?(.*)/\1 \2 \3/p' | normal >"$tmp/theirs"
for function in $("$ORIGIN_SDK/bin/origin-nm" "$program" | awk '$2 ~ /[tT]/ { print $3 }' | sort -u); do
    "$origin" core --schedule "$program" "$function" 2>/dev/null
done | sed -nE 's/^ +[0-9.]+  [a-z]+ +[a-z0-9.]+ +([0-9a-f]+)  ([^ ]+ ?[^ ]*) *$/\1 \2/p' | normal >"$tmp/ours"
within 'instructions that were compared' 5000 "$(comm -12 "$tmp/ours" "$tmp/theirs" | wc -l)" 1000000
# binutils leaves out the filling between functions.
is 'instructions that differ from binutils' "$(comm -23 "$tmp/ours" "$tmp/theirs" | grep -v ' nop$' | head -n 20)" ''
finish
