# SPDX-License-Identifier: GPL-2.0-or-later
# while ((*d++ = *s++)): a byte an iteration.
# Five instructions are two groups of four, and a cycle passes until the branch's target comes: three cycles on the R10000. The R12000 has the
# target at once: two.
    .set noreorder
strcpy:
# loop
    lbu     $2, 0($4)
    daddiu  $4, $4, 1
    daddiu  $5, $5, 1
    bne     $2, $0, strcpy
    sb      $2, -1($5)
# end
