# SPDX-License-Identifier: GPL-2.0-or-later
# for (n = 0; p; n++) p = p->next
# A load waits for the one before it: two cycles. The R10000's taken branch takes a group of four and a cycle: two as well.
    .set noreorder
    .globl walk
    .type walk, @function
walk:
1:
# loop
    ld      $4, 0($4)
    daddiu  $2, $2, 1
    bne     $4, $0, 1b
    nop
# end
    .size walk, . - walk
