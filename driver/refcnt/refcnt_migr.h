/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migration control: requests that the Hub reports, pages that move by them,
 * and what happens by timer.  All of it may sleep.
 *
 *   refcnt_migr_request()               the Hub reports a lead
 *   refcnt_migr_set()  refcnt_migr_get()  the node's rules
 *   refcnt_migr_begin()  refcnt_migr_stop()  refcnt_migr_end()
 */
#ifndef _REFCNT_MIGR_H
#define _REFCNT_MIGR_H

#include "refcnt_node.h"

/* @node reads the frame at @paddr more often than its home does. */
void refcnt_migr_request(struct refcnt_node *n, u64 paddr, int node);

void refcnt_migr_get(struct refcnt_node *n, rcb_migr_t *m);

/*
 * The node's new rules, for all of its frames.  -EINVAL: bad rules.  -EINTR,
 * -ENOMEM: some frames do not follow them yet.
 */
int refcnt_migr_set(struct refcnt_node *n, const rcb_migr_t *m);

void refcnt_migr_begin(struct refcnt_node *n);

/*
 * The end, in two steps, because work of one node touches others.  First, when
 * no interrupt comes any more, all nodes stop: no timer of @n runs or begins
 * any more.  Then they end: nothing of @n is counted any more.
 */
void refcnt_migr_stop(struct refcnt_node *n);
void refcnt_migr_end(struct refcnt_node *n);

#endif
