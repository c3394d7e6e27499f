# SPDX-License-Identifier: GPL-2.0-or-later
# out[i][j] = c * (n[j] + s[j] + w + e + m), a point an iteration; three points of the row stay in registers.
# Three loads and a store take four cycles, four additions take four, and 16 instructions are four groups. But a point takes 12 cycles from its first
# load to its store, and the active list of the R10000 has room for two points: six cycles. The R12000's has room for three: four cycles, and half
# a cycle more where two of them want the same unit.
    .set noreorder
    .globl stencil
    .type stencil, @function
stencil:
1:
# loop
    ldc1    $f0, 0($4)
    ldc1    $f1, 0($5)
    ldc1    $f6, 8($7)
    add.d   $f2, $f0, $f1
    add.d   $f3, $f4, $f6
    add.d   $f2, $f2, $f5
    add.d   $f2, $f2, $f3
    mul.d   $f2, $f2, $f20
    mov.d   $f4, $f5
    mov.d   $f5, $f6
    daddiu  $4, $4, 8
    daddiu  $5, $5, 8
    daddiu  $7, $7, 8
    sdc1    $f2, 0($8)
    bne     $4, $6, 1b
    daddiu  $8, $8, 8
# end
    .size stencil, . - stencil
