/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hub's registers for migration: two thresholds, and the candidate, which
 * is the frame whose counter crossed one of them.  Until the candidate is
 * cleared the Hub reports no other.
 */
#ifndef _REFCNT_HUB_H
#define _REFCNT_HUB_H

#include <linux/types.h>

struct refcnt_node;

/* Thresholds on, candidate cleared; and thresholds off. */
void refcnt_hub_start(struct refcnt_node *n);
void refcnt_hub_stop(struct refcnt_node *n);

/*
 * Report frames from the smallest lead that the rules or a policy wants; the
 * caller holds n->lock.
 */
void refcnt_hub_report(struct refcnt_node *n);

/* The absolute count that is reported: a counter that is half full. */
unsigned int refcnt_hub_full(const struct refcnt_node *n);

struct refcnt_candidate {
	u64 paddr;     /* of the frame */
	bool absolute; /* a counter is half full; else a lead was reported */
	int node;      /* whose counter */
};

/* False: there is no candidate. */
bool refcnt_hub_candidate(struct refcnt_node *n, struct refcnt_candidate *c);
/* Clear the candidate.  True: the Hub missed others meanwhile. */
bool refcnt_hub_next(struct refcnt_node *n);

#endif
