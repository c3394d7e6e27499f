/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branches are predicted to do
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: core.h.  The tables are indexed by the branch's address without its
 * lowest three bits (User's Manual: bits 11:3 of 512 counters), and counters have
 * no tags.  No source says how the target cache is organised: it is indexed
 * likewise, with the whole address as its tag.
 */
#include "core/core.h"

static unsigned index_of(uint64_t pc, unsigned size)
{
    return pc >> 3 & (size - 1);
}

unsigned core_counter(const struct core_chip_row *chip, uint64_t pc)
{
    return index_of(pc, chip->counters);
}

bool core_branch(uint8_t *counter, const struct core_chip_row *chip,
                 uint64_t pc, bool taken)
{
    /* From certain and not taken: 0, 2, 3, 1.  One place on, not taken and taken */
    static const uint8_t next[4][2] = {
        { 0, 2 }, { 3, 1 }, { 0, 3 }, { 2, 1 }
    };
    uint8_t *c = &counter[core_counter(chip, pc)];
    bool right = (*c & 1) == taken;

    *c = next[*c][taken];
    return right;
}

unsigned core_entry(const struct core_chip_row *chip, uint64_t pc)
{
    return index_of(pc, chip->targets);
}

bool core_jump(struct core_targets *p, const struct core_chip_row *chip,
               uint64_t pc, uint64_t to)
{
    unsigned i;

    if (!chip->targets) {
        return false;
    }
    i = core_entry(chip, pc);
    if (p->from[i] == pc && p->to[i] == to) {
        return true;
    }
    p->from[i] = pc;
    p->to[i] = to;
    return false;
}
