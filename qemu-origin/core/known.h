/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schedules that are kept: blocks of the same form take the same time
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Most blocks of a program are short, and most short blocks have the form of one
 * that came before.  What is kept and what was forgotten changes no answer.
 *
 *   core_known_block()       a block
 *   core_known_schedule()    what it takes, and when its instructions are done
 */
#ifndef CORE_KNOWN_H
#define CORE_KNOWN_H

#include "core/form.h"

/* Longer blocks are seldom alike. */
#define CORE_KNOWN_INSNS 8

/* As many as fit in 2 MB; a place belongs to the form that came last */
#define CORE_KNOWN_FORMS 16384

/*
 * A form and its schedule
 * @n: its instructions; 0: the place is free
 */
struct core_known_form {
    struct core_op op[CORE_KNOWN_INSNS];
    uint8_t chip, way, n, line;
    uint32_t done[CORE_KNOWN_INSNS];
    struct core_sum sum;
};

/* core_line.by of its instructions */
struct core_known_by {
    uint16_t insn[CORE_KNOWN_INSNS][CORE_BOUNDS];
};

/*
 * The caller's.  All zero: nothing is kept
 * @by: CORE_KNOWN_FORMS, of the same forms; NULL: nobody asks for it
 * @work, @line: for the block at hand
 */
struct core_known {
    struct core_known_form form[CORE_KNOWN_FORMS];
    struct core_known_by *by;
    struct core_form work;
    struct core_line line[CORE_BLOCK_MAX];
};

/*
 * The block at hand: @n instructions from address @pc on, which return to its own
 * begin if it is a @loop
 */
void core_known_block(struct core_known *k, const struct core_chip_row *chip,
                      const struct core_insn *insn, unsigned n, uint64_t pc,
                      bool loop);

/*
 * core_schedule() of the block at hand without what it says of single instructions,
 * but for @done, and for core_line.by if there is a @by, which has a row for each
 * instruction.  Then k->by was there from the first call on.  Without k->by, @sum
 * of a processor without a target cache has no bounds.
 * @way: CORE_LOOP if and only if the block is a loop
 */
void core_known_schedule(struct core_known *k, enum core_way way,
                         uint32_t *done, uint16_t (*by)[CORE_BOUNDS],
                         struct core_sum *sum);

#endif
