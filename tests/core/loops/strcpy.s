# SPDX-License-Identifier: GPL-2.0-or-later
# while ((*d++ = *s++)): a byte an iteration.
# Five instructions are two groups of four. The second one has the delay slot, and is fetched while the branch is decoded, so that the R10000 does not
# lose a cycle until the target comes: two cycles.
    .set noreorder
    .globl strcpy
    .type strcpy, @function
strcpy:
1:
# loop
    lbu     $2, 0($4)
    daddiu  $4, $4, 1
    daddiu  $5, $5, 1
    bne     $2, $0, 1b
    sb      $2, -1($5)
# end
    .size strcpy, . - strcpy
