/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of a block
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: form.h.
 */
#include <string.h>

#include "core/form.h"

/* Sets of registers.  CORE_NOREG may be in one, and means nothing there. */
struct set {
    uint64_t word[2];
};

static bool set_has(const struct set *a, unsigned r)
{
    return a->word[r / 64] >> r % 64 & 1;
}

static void set_add(struct set *a, unsigned r)
{
    a->word[r / 64] |= UINT64_C(1) << r % 64;
}

static void set_remove(struct set *a, unsigned r)
{
    a->word[r / 64] &= ~(UINT64_C(1) << r % 64);
}

static bool needs(const struct core_insn *i, const struct set *a)
{
    return set_has(a, i->src[0]) || set_has(a, i->src[1]) ||
           set_has(a, i->src[2]) || set_has(a, i->late);
}

/* Is what the block leaves in register @r computed from what it had there? */
static bool goes_on(const struct core_insn *insn, unsigned n, unsigned r)
{
    struct set from = { { 0 } };

    set_add(&from, r);
    for (unsigned i = 0; i < n; i++) {
        bool depends = needs(&insn[i], &from);

        for (unsigned k = 0; k < 2; k++) {
            unsigned d = insn[i].dst[k];

            if (d != CORE_NOREG && depends) {
                set_add(&from, d);
            } else if (d != CORE_NOREG) {
                set_remove(&from, d);
            }
        }
    }
    return set_has(&from, r);
}

/*
 * The registers whose values are known to come from the block before: in a loop
 * all that it sets, else those that are computed from their own old values.
 */
static struct set find_carried(const struct core_insn *insn, unsigned n,
                               enum core_way way)
{
    struct set set = { { 0 } }, old = { { 0 } };

    for (unsigned i = 0; i < n; i++) {
        const uint8_t reg[] = { insn[i].src[0], insn[i].src[1], insn[i].src[2],
                                insn[i].late };

        for (unsigned k = 0; k < 4; k++) {
            if (!set_has(&set, reg[k])) {
                set_add(&old, reg[k]);
            }
        }
        for (unsigned k = 0; k < 2; k++) {
            if (insn[i].dst[k] != CORE_NOREG) {
                set_add(&set, insn[i].dst[k]);
            }
        }
    }
    for (unsigned w = 0; w < 2; w++) {
        old.word[w] &= set.word[w];
        for (uint64_t left = old.word[w]; left; left &= left - 1) {
            unsigned r = w * 64 + __builtin_ctzll(left);

            if (way != CORE_LOOP && !goes_on(insn, n, r)) {
                set_remove(&old, r);
            }
        }
    }
    return old;
}

static const uint8_t branch_flags[] = {
    [CORE_STRAIGHT] = 0,
    [CORE_CONDITIONAL] = CORE_OP_BRANCH | CORE_OP_CONDITIONAL,
    [CORE_JUMP] = CORE_OP_BRANCH,
    [CORE_RETURN] = CORE_OP_BRANCH,
    [CORE_INDIRECT] = CORE_OP_BRANCH | CORE_OP_INDIRECT,
};

/* Which of the two kinds of registers does it set? */
static uint8_t kind_set(const struct core_insn *i)
{
    unsigned d = i->dst[0];

    return d < 32 || d == CORE_HI || d == CORE_LO ? CORE_OP_INT
           : d >= 32 && d < 64                    ? CORE_OP_FP
                                                  : 0;
}

/* Numbers of registers, as they come up */
struct names {
    uint8_t of[CORE_REGS + 1];
    unsigned last;
};

static uint8_t name_of(struct names *names, unsigned r)
{
    if (!names->of[r]) {
        names->of[r] = ++names->last;
    }
    return names->of[r];
}

void core_form(struct core_form *f, const struct core_chip_row *chip,
               const struct core_insn *insn, unsigned n, uint64_t pc,
               enum core_way way)
{
    struct set known = find_carried(insn, n, way);
    struct names names = { .last = 0 };

    f->chip = chip;
    f->way = way;
    f->n = n;
    f->line = 16 - pc / 4 % 16;
    for (unsigned i = 0; i < n; i++) {
        struct core_op *op = &f->op[i];

        op->class = insn[i].class;
        op->flags = branch_flags[insn[i].branch] | kind_set(&insn[i]);
        for (unsigned k = 0; k < 3; k++) {
            unsigned r = insn[i].src[k];

            op->src[k] = set_has(&known, r) ? name_of(&names, r) : 0;
        }
        op->late =
            set_has(&known, insn[i].late) ? name_of(&names, insn[i].late) : 0;
        for (unsigned k = 0; k < 2; k++) {
            unsigned r = insn[i].dst[k];

            op->dst[k] = 0;
            if (r != CORE_NOREG) {
                op->dst[k] = name_of(&names, r);
                set_add(&known, r);
            }
        }
    }
}
