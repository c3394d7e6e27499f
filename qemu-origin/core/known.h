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
#define CORE_KNOWN_INSNS 32

/* Words for forms and their schedules: 4 MB, which the boot of a machine fills */
#define CORE_KNOWN_WORDS (512 * 1024)

/* Places of the index.  It is never full: a form takes 5 words at least */
#define CORE_KNOWN_PLACES (128 * 1024)

/*
 * The caller's.  All zero: nothing is kept
 * @bounds: somebody asks why instructions take what they take
 * @used: words.  If there are too few left, all forms are forgotten
 * @place: by hash, where in @word a form begins; 0: nowhere
 * @work, @line: for the block at hand
 */
struct core_known {
    bool bounds;
    uint32_t used;
    uint32_t place[CORE_KNOWN_PLACES];
    uint64_t word[CORE_KNOWN_WORDS];
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
 * instruction.  Then k->bounds was set from the first call on.  Without it, @sum
 * of a processor without a target cache has no bounds.
 * @way: CORE_LOOP if and only if the block is a loop
 */
void core_known_schedule(struct core_known *k, enum core_way way,
                         uint32_t *done, uint16_t (*by)[CORE_BOUNDS],
                         struct core_sum *sum);

#endif
