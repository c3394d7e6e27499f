/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MIPS R10000 family: the range monitor's pairs of registers, CP0 register 24
 *
 * What the registers mean, which addresses match, and how QEMU finds out that
 * an access matches: by a watchpoint for each pair of data, and by a bit of the
 * blocks near a pair of instructions. r10k.h describes the registers.
 *
 * Left out: what is counted then (r10k_perf.c).
 *
 *   mips_r10k_range_read() mips_r10k_range_write()     the registers
 *   mips_r10k_range_match() mips_r10k_range_tb()       who matches
 *   mips_r10k_range_reset() mips_r10k_range_loaded()
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "exec/cputlb.h"
#include "cpu.h"
#include "r10k.h"

unsigned mips_r10k_range_match(CPUMIPSState *env, bool insn, uint64_t addr,
                               unsigned size)
{
    const MIPSR10KState *r = &env->r10k;
    unsigned first = insn ? R10K_RANGE_DATA : 0, match = 0;

    for (unsigned i = first; i < first + R10K_RANGE_DATA; i++) {
        if (addr <= r->range_last[i] && addr + size - 1 >= r->range_first[i]) {
            match |= 1u << (i - first);
        }
    }
    return match;
}

uint64_t mips_r10k_range_tb(CPUMIPSState *env)
{
    uint64_t page = env->active_tc.PC & TARGET_PAGE_MASK;

    /* A block may end in the page after that of its start. */
    return MIPS_R10K_TB_RANGES |
           (mips_r10k_range_match(env, true, page, 2 * TARGET_PAGE_SIZE) &
                    env->r10k.range_insns
                ? MIPS_R10K_TB_RANGE
                : 0);
}

/* Decode the registers of pair @i.  Nothing matches if they make no sense. */
static void range_decode(MIPSR10KState *r, unsigned i)
{
    uint64_t addr = r->range_addr[i], mask = r->range_mask[i];
    uint64_t low = ~mask & MAKE_64BIT_MASK(0, 62);

    r->range_first[i] = UINT64_MAX;
    r->range_last[i] = 0;
    if (!(mask & R10K_RANGE_ON)) {
        return;
    }
    if ((mask & R10K_RANGE_FINE) && i >= R10K_RANGE_DATA) {
        r->range_first[i] = addr & ~3ULL;
        r->range_last[i] = (addr & ~0xfffULL) | (mask & 0xffc) | 3;
    } else if (!(low & (low + 1)) && !(low >> R10K_RANGE_MAX_BITS) &&
               !(mask & R10K_RANGE_FINE)) {
        r->range_first[i] = addr & ~low;
        r->range_last[i] = addr | low;
    } else {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "r10k: range %u: mask %" PRIx64 " is none of low bits\n",
                      i, mask);
    }
}

static void range_set_watchpoint(CPUMIPSState *env, unsigned i)
{
    MIPSR10KState *r = &env->r10k;
    CPUState *cs = env_cpu(env);
    CPUWatchpoint *wp = r->range_wp[i];

    if (wp) {
        bool one_page = wp->len <= -(wp->vaddr | TARGET_PAGE_MASK);

        /* This flushes the first page. */
        cpu_watchpoint_remove_by_ref(cs, wp);
        r->range_wp[i] = NULL;
        if (!one_page) {
            tlb_flush(cs);
        }
    }
    if (i < R10K_RANGE_DATA && r->range_first[i] <= r->range_last[i]) {
        cpu_watchpoint_insert(cs, r->range_first[i],
                              r->range_last[i] - r->range_first[i] + 1,
                              BP_CPU | BP_MEM_ACCESS, &r->range_wp[i]);
    }
}

static void range_changed(CPUMIPSState *env, unsigned i)
{
    MIPSR10KState *r = &env->r10k;
    uint64_t first = r->range_first[i], last = r->range_last[i];

    range_decode(r, i);
    if (first != r->range_first[i] || last != r->range_last[i]) {
        range_set_watchpoint(env, i);
    }
}

uint64_t mips_r10k_range_read(CPUMIPSState *env, unsigned sel)
{
    const MIPSR10KState *r = &env->r10k;

    switch (sel) {
    case 0:
        return (int32_t)(R10K_RANGE_ID << 16 |
                         (MIPS_R10K_RANGE_PAIRS - R10K_RANGE_DATA) << 12 |
                         R10K_RANGE_DATA << 8 | r->range_index);
    case 1:
        return r->range_addr[r->range_index];
    case 2:
        return r->range_mask[r->range_index];
    default:
        return 0;
    }
}

void mips_r10k_range_write(CPUMIPSState *env, unsigned sel, uint64_t val)
{
    MIPSR10KState *r = &env->r10k;

    switch (sel) {
    case 0:
        r->range_index = val % MIPS_R10K_RANGE_PAIRS;
        return;
    case 1:
        r->range_addr[r->range_index] = val;
        break;
    case 2:
        r->range_mask[r->range_index] = val;
        break;
    default:
        return;
    }
    range_changed(env, r->range_index);
}

void mips_r10k_range_reset(CPUMIPSState *env)
{
    MIPSR10KState *r = &env->r10k;

    r->range_index = 0;
    memset(r->range_addr, 0, sizeof(r->range_addr));
    memset(r->range_mask, 0, sizeof(r->range_mask));
    for (unsigned i = 0; i < MIPS_R10K_RANGE_PAIRS; i++) {
        range_changed(env, i);
    }
}

void mips_r10k_range_loaded(CPUMIPSState *env)
{
    for (unsigned i = 0; i < R10K_RANGE_DATA; i++) {
        range_set_watchpoint(env, i);
    }
}
