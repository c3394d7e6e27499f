/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schedules that are kept
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: known.h.
 */
#include <string.h>

#include "core/known.h"

/* A form of few instructions as words: its head and a word for each instruction */
static uint64_t place_of(const struct core_form *f, uint32_t head)
{
    uint64_t h = head, word;

    for (unsigned i = 0; i < f->n; i++) {
        memcpy(&word, &f->op[i], sizeof(word));
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h * UINT64_C(0x9e3779b97f4a7c15) >> 50;
}

_Static_assert(sizeof(struct core_op) == sizeof(uint64_t), "an op is a word");
_Static_assert(CORE_KNOWN_FORMS == 1 << (64 - 50), "what place_of() returns");

/* What k->line says, into @done, and into @by if that is not NULL */
static void answer(const struct core_known *k, unsigned n, uint32_t *done,
                   uint16_t (*by)[CORE_BOUNDS])
{
    for (unsigned i = 0; i < n; i++) {
        done[i] = k->line[i].done;
        for (unsigned b = 0; b < CORE_BOUNDS && by; b++) {
            by[i][b] = k->line[i].by[b];
        }
    }
}

/* Why a block takes what it takes: an R12000's target cache asks for that, too. */
static void schedule(struct core_known *k, struct core_sum *sum)
{
    if (k->by || k->work.chip->targets) {
        core_form_schedule(&k->work, k->line, sum);
    } else {
        core_form_quick(&k->work, k->line, sum);
    }
}

void core_known_block(struct core_known *k, const struct core_chip_row *chip,
                      const struct core_insn *insn, unsigned n, uint64_t pc,
                      bool loop)
{
    /* Both other ways have the same form. */
    core_form(&k->work, chip, insn, n, pc, loop ? CORE_LOOP : CORE_NEXT);
}

void core_known_schedule(struct core_known *k, enum core_way way,
                         uint32_t *done, uint16_t (*by)[CORE_BOUNDS],
                         struct core_sum *sum)
{
    struct core_form *f = &k->work;
    unsigned n = f->n, chip = f->chip - core_chip, line, place;
    struct core_known_form *p;

    f->way = way;
    if (n > CORE_KNOWN_INSNS) {
        schedule(k, sum);
        answer(k, n, done, by);
        return;
    }
    /* Where a line begins behind the block does not matter. */
    line = f->line < n ? f->line : 0;
    place = place_of(f, chip | way << 8 | n << 16 | line << 24);
    p = &k->form[place];
    if (p->n != n || p->way != way || p->chip != chip || p->line != line ||
        memcmp(p->op, f->op, n * sizeof(f->op[0]))) {
        p->n = n;
        p->way = way;
        p->chip = chip;
        p->line = line;
        memcpy(p->op, f->op, n * sizeof(f->op[0]));
        schedule(k, &p->sum);
        answer(k, n, p->done, k->by ? k->by[place].insn : NULL);
    }
    memcpy(done, p->done, n * sizeof(*done));
    if (by) {
        memcpy(by, k->by[place].insn, n * sizeof(*by));
    }
    *sum = p->sum;
}
