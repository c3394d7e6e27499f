# SPDX-License-Identifier: GPL-2.0-or-later
# s += x[i] * y[i] with one sum.
# Each madd waits for the one before it: two cycles, as its addend. Two loads need two cycles, too. The taken branch and five other
# instructions take three: two groups of four, and a cycle until the target comes.
    .set noreorder
    .globl dot
    .type dot, @function
dot:
1:
# loop
    ldc1    $f0, 0($4)
    ldc1    $f1, 0($5)
    daddiu  $4, $4, 8
    madd.d  $f20, $f20, $f0, $f1
    bne     $4, $6, 1b
    daddiu  $5, $5, 8
# end
    .size dot, . - dot
