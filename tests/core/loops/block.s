# SPDX-License-Identifier: GPL-2.0-or-later
# c[i][j] += a[i][k] * b[k][j] for a block of 4 x 4 and one k: 16 products for 8 loads.
# The multiplier takes a madd a cycle: 16 cycles. 27 instructions are decoded in 7, and issued beside it.
    .set noreorder
    .globl block
    .type block, @function
block:
1:
# loop
    ldc1    $f0, 0($4)
    ldc1    $f4, 0($5)
    ldc1    $f5, 8($5)
    ldc1    $f6, 16($5)
    ldc1    $f7, 24($5)
    ldc1    $f1, 8($4)
    ldc1    $f2, 16($4)
    ldc1    $f3, 24($4)
    madd.d  $f8, $f8, $f0, $f4
    madd.d  $f9, $f9, $f0, $f5
    madd.d  $f10, $f10, $f0, $f6
    madd.d  $f11, $f11, $f0, $f7
    madd.d  $f12, $f12, $f1, $f4
    madd.d  $f13, $f13, $f1, $f5
    madd.d  $f14, $f14, $f1, $f6
    madd.d  $f15, $f15, $f1, $f7
    madd.d  $f16, $f16, $f2, $f4
    madd.d  $f17, $f17, $f2, $f5
    madd.d  $f18, $f18, $f2, $f6
    madd.d  $f19, $f19, $f2, $f7
    madd.d  $f20, $f20, $f3, $f4
    madd.d  $f21, $f21, $f3, $f5
    madd.d  $f22, $f22, $f3, $f6
    madd.d  $f23, $f23, $f3, $f7
    daddiu  $4, $4, 32
    bne     $4, $6, 1b
    daddiu  $5, $5, 32
# end
    .size block, . - block
