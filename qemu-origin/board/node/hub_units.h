/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls between the units of the Hub (hub.c and hub_*.c).  No other file
 * includes this header.  The units do not call hub.c, which calls them all.
 */
#ifndef ORIGIN_HUB_UNITS_H
#define ORIGIN_HUB_UNITS_H

#include "node/hub.h"

/* `who` of a register access: a slice (PIO), or a vector operation. */
#define ORIGIN_WHO_VECTOR 2

/* --- each unit: adds its rows and hooks, realizes and resets its part --- */

void origin_pi_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_pi_realize(OriginHub *h);
void origin_pi_reset(OriginHub *h);
void origin_pi_state(OriginHub *h, struct sn_archive *a);
/* A packet of h->pi.packet[] is there: for mp_time_post(). */
void origin_pi_packet(void *opaque);

void origin_md_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_md_reset(OriginHub *h);

void origin_dir_realize(OriginHub *h);
void origin_dir_reset(OriginHub *h);
void origin_dir_state(OriginHub *h, struct sn_archive *a);

void origin_ii_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_ii_realize(OriginHub *h);
void origin_ii_reset(OriginHub *h);
void origin_ii_state(OriginHub *h, struct sn_archive *a);

void origin_ni_regs(OriginRegSet *set, const struct sn_reg *rows);
void origin_ni_reset(OriginHub *h);

/* --- hub_units.c: what all units use --- */

static inline uint64_t *hub_reg(OriginHub *h, uint32_t offset)
{
    return origin_reg(&h->rf, offset);
}

/*
 * A region of the Hub that calls back with h, mapped into the system's memory
 * at base; name is the part after "hubN.".
 */
void origin_hub_map_io(OriginHub *h, MemoryRegion *mr,
                       const MemoryRegionOps *ops, const char *name,
                       hwaddr base, uint64_t size);

/*
 * A write of `key` to a protection override register: the right key adds the
 * node of the accessing processor to the register at offset `protect`.
 */
void origin_hub_override(OriginHub *h, uint32_t protect, uint64_t key);

/* --- hub_md.c --- */

/* MD_PROTOCOL_ERROR, from the engine or from the register. */
uint64_t origin_md_protocol_error(OriginHub *h, bool clear);

/* --- hub_dir.c --- */

/*
 * Double word w of the directory memory of a node's 4 KB page `page`: w is 0-63
 * for the protection entry of a region, then low and high word of each line.
 */
uint64_t origin_dir_read(OriginHub *h, uint32_t page, unsigned w);
void origin_dir_write(OriginHub *h, uint32_t page, unsigned w, uint64_t v);

#endif
