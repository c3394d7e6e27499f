/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces of the guest and what is mapped in them.
 *
 *   guest_space()   the number of an address space
 *   guest_touch()   an access to it: look at its mappings if need be
 *   guest_map()     the mapping of an address
 *   guest_map_ahead()   the same before it is accessed
 *   guest_map_add() a mapping of the kernel itself, which is space 0
 *   guest_maps()    all that were seen
 *
 * Left out: kernels whose pages are not 16 KB, whose offsets in files would be
 * wrong.
 */
#ifndef ORIGIN_PROFILE_MAPS_H
#define ORIGIN_PROFILE_MAPS_H

/* The most address spaces.  A guest may create any number of them. */
#define GUEST_SPACES_MAX 65536u

typedef struct GuestMap {
    uint64_t start, end, offset, inode;
    uint32_t space;
    char flags[4]; /* rwx */
    char *path;
    int64_t first, last; /* ticks */
} GuestMap;

/*
 * The address space of a process's mm; a number from 1.  0: it is new, and not
 * to be added.
 */
uint32_t guest_space(uint64_t mm, uint32_t pid, uint64_t start_stack, bool add);
/*
 * A thread accesses a user address of an address space.  Looks at the mappings
 * again if the address is in none that is known.
 */
void guest_touch(uint32_t space, uint64_t addr);
/* The same; the mapping that the address is in, NULL if it is in none. */
const GuestMap *guest_map(uint32_t space, uint64_t addr);
/*
 * The same for code that is being translated.  It was not accessed, so what is found
 * is not in guest_maps(): that must not depend on which code was translated before.
 */
const GuestMap *guest_map_ahead(uint32_t space, uint64_t addr);
/* The address of its mm_struct */
uint64_t guest_space_mm(uint32_t space);
/* Seen again, it is the same mapping.  Takes over its path. */
void guest_map_add(GuestMap *new);
const GuestMap *guest_maps(uint32_t *n);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_maps_state(struct sn_archive *a);

#endif
