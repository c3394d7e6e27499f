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
    uint8_t *c = &counter[core_counter(chip, pc)];
    bool right = (*c >= 2) == taken;

    if (taken) {
        *c += *c < 3;
    } else {
        *c -= *c > 0;
    }
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
