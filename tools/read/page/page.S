/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as the build joined it (PAGE, a string), from page_start to page_end. */
    .section .rodata
    .globl page_start, page_end
page_start:
    .incbin PAGE
page_end:
    .section .note.GNU-stack, "", %progbits
