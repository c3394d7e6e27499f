/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a memory model's filter that is part of each CPU
 *
 * See exec/memory-model.h for what the filter does.
 */
#ifndef EXEC_MEMORY_FILTER_H
#define EXEC_MEMORY_FILTER_H

#include "exec/tlb-common.h"

/* Upper bounds of a memory model's sizes */
#define MEMORY_MODEL_ISETS      512
#define MEMORY_MODEL_PAGES      256
#define MEMORY_MODEL_PAGE_LINES 128

/* The line of a set: physical address, -1 if none, and its CPUTLB.f entry */
typedef struct CPULineSlot {
    uint64_t pa;
    CPUTLBEntry *e;
} CPULineSlot;

/*
 * The memory model's filter: see exec/memory-model.h.
 * @itag: for each set of the instruction cache, the tag of the line that was
 *        fetched from last; generated code compares it
 *
 * The other fields describe the entries of CPUTLB.f:
 * @slot: what the entry of each set maps
 * @used: bit n: the table of mmu_idx n may have lines
 * @lines: for the pages of each hash, which of their lines are in the filter
 */
typedef struct CPULineFilter {
    uint64_t itag[MEMORY_MODEL_ISETS];
    CPULineSlot *slot;
    uint16_t used;
    uint64_t lines[MEMORY_MODEL_PAGES][MEMORY_MODEL_PAGE_LINES / 64];
} CPULineFilter;

#endif
