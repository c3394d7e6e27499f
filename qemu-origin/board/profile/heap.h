/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of memory that programs of the guest ask for: calls of malloc() and
 * its relatives, seen when a processor enters and leaves them.
 *
 *   guest_heap_init()
 *   guest_heap_function() the number of a watched function (watch.h)
 *   guest_heap_enter()   a processor enters it
 *   guest_heap_leave()   a jump through a register: perhaps it leaves it
 *   guest_heap_block()   the block that an address is in
 *   guest_heap_name()    a block that somebody else knows
 *   guest_heap_blocks()  the blocks that guest_heap_block() has named
 *
 * A watched function that another one calls allocates for that one: the
 * outermost call counts.
 *
 * Left out: what a child inherits from fork(); allocators of other names.
 */
#ifndef ORIGIN_PROFILE_HEAP_H
#define ORIGIN_PROFILE_HEAP_H

#include "hw/core/cpu.h"

typedef struct GuestBlock {
    uint64_t address, bytes; /* asked for */
    uint64_t pc;             /* return address: the allocation site */
    uint32_t space, thread;
    uint32_t path; /* of the site's function */
    const char *how;
    int64_t first, last; /* ticks; last: 0 until it is freed */
} GuestBlock;

/* max: blocks, living ones and named ones each */
void guest_heap_init(uint32_t max);
/* -1: it is none that allocates memory. */
int guest_heap_function(const char *name);
void guest_heap_enter(CPUState *cs, uint32_t thread, uint64_t pc,
                      unsigned function);
void guest_heap_leave(CPUState *cs, uint32_t thread, uint64_t to);
/* Its number, from 1; 0: in none. */
uint32_t guest_heap_block(uint32_t space, uint64_t addr);
/* The same of a block that is no program's; 0: no room.  Each call makes one. */
uint32_t guest_heap_name(const GuestBlock *about);
/* [0] is block 1. */
const GuestBlock *guest_heap_blocks(uint32_t *n);
/* Blocks that found no room. */
uint64_t guest_heap_lost(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_heap_state(struct sn_archive *a);

#endif
