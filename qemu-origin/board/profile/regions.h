/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions of interest that programs of the guest mark (docs/regions.md).
 *
 *   guest_regions_init()   listen to the marks
 *   guest_region()         the region that a thread is in
 *   guest_regions()        all that were marked
 *
 * A region is a name in a region.  It is the process's that marked it; processes
 * that have no region open are in that of their parent.  A process that ends
 * takes its regions with it.
 */
#ifndef ORIGIN_PROFILE_REGIONS_H
#define ORIGIN_PROFILE_REGIONS_H

/* Numbers are 1 to GUEST_REGIONS; further names count as the region around. */
#define GUEST_REGIONS 255

typedef struct GuestRegion {
    char name[65];
    uint8_t parent; /* 0: none */
    uint64_t begun; /* how often */
    uint64_t ticks; /* between begin and end, of those that have ended */
} GuestRegion;

void guest_regions_init(void);
void guest_regions_reset(void);
/* thread: of guest_thread().  0: in no region. */
uint8_t guest_region(uint32_t thread);
/* [0] to [*n - 1] are the regions 1 to *n. */
const GuestRegion *guest_regions(unsigned *n);
/* Names that found no number. */
uint64_t guest_regions_lost(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_regions_state(struct sn_archive *a);

#endif
