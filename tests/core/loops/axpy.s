# SPDX-License-Identifier: GPL-2.0-or-later
# y[i] += a * x[i], four elements an iteration.
# Eight loads and four stores need the load/store unit for 12 cycles. Nothing else takes as long.
    .set noreorder
    .globl axpy
    .type axpy, @function
axpy:
1:
# loop
    ldc1    $f0, 0($4)
    ldc1    $f1, 0($5)
    ldc1    $f2, 8($4)
    ldc1    $f3, 8($5)
    ldc1    $f4, 16($4)
    ldc1    $f5, 16($5)
    ldc1    $f6, 24($4)
    ldc1    $f7, 24($5)
    madd.d  $f1, $f1, $f20, $f0
    madd.d  $f3, $f3, $f20, $f2
    madd.d  $f5, $f5, $f20, $f4
    madd.d  $f7, $f7, $f20, $f6
    sdc1    $f1, 0($5)
    sdc1    $f3, 8($5)
    sdc1    $f5, 16($5)
    sdc1    $f7, 24($5)
    daddiu  $4, $4, 32
    daddiu  $5, $5, 32
    bne     $4, $6, 1b
    nop
# end
    .size axpy, . - axpy
