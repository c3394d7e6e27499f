/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of memory that programs of the guest ask for: calls of malloc() and
 * its relatives, seen when a processor enters and leaves them.
 *
 *   guest_heap_init()    read which functions of which files to watch
 *   guest_heap_code()    code is translated: is it of such a file?
 *   guest_heap_enter()   a processor executes the first instruction of it
 *   guest_heap_leave()   a jump through a register there: perhaps a return
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

/*
 * file: lines "PATH OFFSET NAME": the function NAME of the guest's file PATH
 * begins at OFFSET in the file; NULL: watch nothing.  max: blocks, living ones
 * and named ones each.  Exits with a message if the file cannot be used.
 */
void guest_heap_init(const char *file, uint32_t max);
/* R10K_CODE_* */
unsigned guest_heap_code(CPUState *cs, uint64_t pc);
void guest_heap_enter(CPUState *cs, uint64_t pc);
void guest_heap_leave(CPUState *cs, uint64_t to);
/* Its number, from 1; 0: in none. */
uint32_t guest_heap_block(uint32_t space, uint64_t addr);
/* The same of a block that is no program's; 0: no room.  Each call makes one. */
uint32_t guest_heap_name(const GuestBlock *about);
/* [0] is block 1. */
const GuestBlock *guest_heap_blocks(uint32_t *n);
/* Blocks that found no room. */
uint64_t guest_heap_lost(void);

#endif
