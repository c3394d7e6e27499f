/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may move which page where: for pages that a program moves and for those
 * that migrate.
 *
 *   - A page that several processes map moves only for whoever may move the
 *     memory of others: a caller with CAP_SYS_NICE, a policy that such a caller
 *     gave, or the rules of a node, which root sets.
 *   - A page goes only to a node on which both its process and the caller may
 *     have memory (cpusets).  With a policy, that is each process that gave it
 *     one.
 *
 * move_pages(2) decides in the same way, but has no memory where the caller may
 * not have any.
 *
 *   refcnt_right_node()  refcnt_right_move()
 *   refcnt_giver_new()  refcnt_giver_is()  refcnt_giver_free()
 */
#ifndef _REFCNT_RIGHT_H
#define _REFCNT_RIGHT_H

#include "refcnt_policy.h"

struct folio;
struct task_struct;

/* Whose memory is to move, and by which right. */
struct refcnt_right {
	bool shared;		     /* also pages that several processes map */
	struct task_struct *task;    /* the process; NULL if by a policy */
	struct refcnt_givers givers; /* who gave the policy, if anybody did */
};

/* The memory may be on @node, and there is some, also for the caller. */
bool refcnt_right_node(const struct refcnt_right *r, int node);

/*
 * Move @folio to @node if @r permits it, and give the caller's reference back.
 * *@pfn: where the page is now.  -EPERM; -EBUSY: it cannot move now; -ENOMEM.
 * May sleep.
 */
int refcnt_right_move(struct folio *folio, int node,
		      const struct refcnt_right *r, unsigned long *pfn);

/*
 * Address spaces with policies have numbers (struct refcnt_givers).  A new one
 * is not 0; -ENOMEM, -EBUSY: there are 65535.  Whose it is must be known before it
 * gives a policy.  Only refcnt_giver_new() sleeps.
 */
int refcnt_giver_new(void);
void refcnt_giver_is(u16 giver, struct task_struct *task);
void refcnt_giver_free(u16 giver);

#endif
