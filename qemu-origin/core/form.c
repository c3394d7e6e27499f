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

/* Sets of registers.  set_add() may add CORE_NOREG, which means nothing there. */
struct set {
    uint64_t word[2];
};

#define NOREG_BIT (UINT64_C(1) << CORE_NOREG % 64)

_Static_assert(CORE_NOREG / 64 == 1, "in the second word");

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

/* Is what the block leaves in register @r computed from what it had there? */
static bool goes_on(const struct core_insn *insn, unsigned n, unsigned r)
{
    struct set from = { { 0 } };

    set_add(&from, r);
    for (unsigned i = 0; i < n; i++) {
        const struct core_insn *p = &insn[i];
        bool depends = set_has(&from, p->src[0]) | set_has(&from, p->src[1]) |
                       set_has(&from, p->src[2]) | set_has(&from, p->late);

        for (unsigned k = 0; k < 2; k++) {
            unsigned d = p->dst[k];

            from.word[d / 64] &= ~(UINT64_C(1) << d % 64);
            from.word[d / 64] |= (uint64_t)depends << d % 64;
        }
        from.word[1] &= ~NOREG_BIT;
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
        const struct core_insn *p = &insn[i];
        const uint8_t reg[] = { p->src[0], p->src[1], p->src[2], p->late };

        for (unsigned k = 0; k < 4; k++) {
            old.word[reg[k] / 64] |=
                (UINT64_C(1) << reg[k] % 64) & ~set.word[reg[k] / 64];
        }
        set_add(&set, p->dst[0]);
        set_add(&set, p->dst[1]);
    }
    old.word[1] &= ~NOREG_BIT;
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

/*
 * Numbers of registers, as they come up
 * @of: 0: what it has is not known
 */
struct names {
    uint8_t of[CORE_REGS + 1];
    unsigned last;
};

/* What it has is known, and it has not come up. */
#define CARRIED UINT8_MAX

/* The number of a register that is read */
static uint8_t name_read(struct names *names, unsigned r)
{
    if (names->of[r] == CARRIED) {
        names->of[r] = ++names->last;
    }
    return names->of[r];
}

/* Of one that is set; 0: none is */
static uint8_t name_set(struct names *names, unsigned r)
{
    if (r == CORE_NOREG) {
        return 0;
    }
    if (!names->of[r]) {
        names->of[r] = CARRIED;
    }
    return name_read(names, r);
}

static void names_init(struct names *names, const struct core_insn *insn,
                       unsigned n, enum core_way way)
{
    struct set known = find_carried(insn, n, way);

    memset(names, 0, sizeof(*names));
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t left = known.word[w]; left; left &= left - 1) {
            names->of[w * 64 + __builtin_ctzll(left)] = CARRIED;
        }
    }
}

void core_form(struct core_form *f, const struct core_chip_row *chip,
               const struct core_insn *insn, unsigned n, uint64_t pc,
               enum core_way way)
{
    struct names names;

    names_init(&names, insn, n, way);
    f->chip = chip;
    f->way = way;
    f->n = n;
    f->line = 16 - pc / 4 % 16;
    for (unsigned i = 0; i < n; i++) {
        struct core_op *op = &f->op[i];

        op->class = insn[i].class;
        op->flags = branch_flags[insn[i].branch] | kind_set(&insn[i]);
        op->src[0] = name_read(&names, insn[i].src[0]);
        op->src[1] = name_read(&names, insn[i].src[1]);
        op->src[2] = name_read(&names, insn[i].src[2]);
        op->late = name_read(&names, insn[i].late);
        op->dst[0] = name_set(&names, insn[i].dst[0]);
        op->dst[1] = name_set(&names, insn[i].dst[1]);
    }
}
