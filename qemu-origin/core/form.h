/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a block decides its schedule: its form
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Two blocks take the same time if their instructions are of the same classes
 * and depend on each other in the same way, whatever registers and constants
 * they have.  Many blocks of a program have the same form.
 *
 *   core_form()    the form of a block
 */
#ifndef CORE_FORM_H
#define CORE_FORM_H

#include "core/core.h"

/* What a schedule has to know of an instruction besides its class */
enum {
    CORE_OP_BRANCH = 1, /* it changes what is fetched next */
    CORE_OP_CONDITIONAL = 2,
    CORE_OP_INDIRECT = 4, /* through a register, and not as a return */
    CORE_OP_INT = 8,      /* it sets an integer register */
    CORE_OP_FP = 16       /* a floating-point register */
};

/*
 * An instruction of a form
 * @flags: of the above
 * @src, @late, @dst: registers, numbered as they come up; 0: no register, or one
 *      that nothing known sets
 */
struct core_op {
    uint8_t class, flags;
    uint8_t src[3], late, dst[2];
};

/*
 * @n: instructions
 * @line: a line of the cache begins before the first instruction with this number,
 *      from 1 on, and each 16 after it; 16 at most
 */
struct core_form {
    const struct core_chip_row *chip;
    enum core_way way;
    unsigned n, line;
    struct core_op op[CORE_BLOCK_MAX];
};

void core_form(struct core_form *f, const struct core_chip_row *chip,
               const struct core_insn *insn, unsigned n, uint64_t pc,
               enum core_way way);

/* core_schedule() of a form; @line as there */
void core_form_schedule(const struct core_form *f, struct core_line *line,
                        struct core_sum *sum);

/* The same, but of @line only @done, and of @sum all but @by */
void core_form_quick(const struct core_form *f, struct core_line *line,
                     struct core_sum *sum);

#endif
