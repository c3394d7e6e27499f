/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a frame: the hardware's in the back door, the extended ones
 * in memory, and the mode that says when the hardware reports.
 *
 *   refcnt_hardware()  refcnt_extended()       a counter
 *   refcnt_set_mode()                          what the hardware reports
 *   refcnt_collect()                           hardware -> memory
 *
 * @paddr is an address in a page of @n that has a set.
 */
#ifndef _REFCNT_SETS_H
#define _REFCNT_SETS_H

#include "refcnt_node.h"

/* What the hardware counted of reads by @node: one register, no lock needed. */
unsigned int refcnt_hardware(const struct refcnt_node *n, u64 paddr, int node);
/* What was collected of it, 0 without memory; the caller holds n->lock. */
refcnt_t refcnt_extended(const struct refcnt_node *n, u64 paddr, int node);

/*
 * Give all counters of a frame @mode (SN_MIG_*).  @restart: they begin at 0.
 * @keep: what they counted goes to memory if the mode is SN_MIG_OFF.  The
 * caller holds n->lock.
 */
void refcnt_set_mode(struct refcnt_node *n, u64 paddr, unsigned int mode,
		     bool restart, bool keep);

/*
 * Move the counts of a frame's sets from hardware to memory, if the frame keeps
 * extended counters, and clear them.  Only sets that have a count of at least
 * @level.  No count is lost: each node's processors stand still while its
 * counter is read and cleared.  May sleep; the caller holds no lock of a node.
 */
void refcnt_collect(struct refcnt_node *n, u64 paddr, unsigned int level);

#endif
