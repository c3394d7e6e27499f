/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest's kernel uses its own memory for, read from its memory when a
 * processor misses there.
 *
 *   guest_object()   the block that an address of the kernel is in
 *
 * A slab is a block, and so is an array of struct pages and a node's
 * structures.  The other pages have one block for each use: page tables, pages
 * of programs, pages of files, the kernel's stacks, per-CPU memory.
 *
 * Left out: what lies in xkseg, memory that the kernel took before it had an
 * allocator, and kernels whose layout lacks what this needs: of them no block
 * is known.
 */
#ifndef ORIGIN_PROFILE_OBJECTS_H
#define ORIGIN_PROFILE_OBJECTS_H

#include "hw/core/cpu.h"

/* Its number, as guest_heap_block() gives them; 0: in none, or not known. */
uint32_t guest_object(CPUState *cs, uint64_t addr);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_objects_state(struct sn_archive *a);

#endif
