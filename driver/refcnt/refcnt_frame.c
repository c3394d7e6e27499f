// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames follow policies and rules.  refcnt_frame.h has the interface.
 *
 * Left out: which frames an address space maps (refcnt_space.c), and what a
 * report of the Hub's leads to (refcnt_migr.c).
 */
#include <linux/list.h>
#include <linux/mm.h>
#include "refcnt_frame.h"
#include "refcnt_hub.h"
#include "refcnt_sets.h"

/*
 * 1: the frame keeps extended counters, and there is memory for them; 0: it
 * keeps none; -ENOMEM.  The caller holds the lock.  It is dropped to allocate
 * memory, and then the policy is looked at again.
 */
static int keeps(struct refcnt_node *n, const struct refcnt_frame *f, u64 paddr,
		 gfp_t gfp, unsigned long *flags)
{
	int err = 0;

	while (refcnt_counts(&n->rules, f)) {
		if (refcnt_has_memory(n, paddr))
			return 1;
		if (err)
			return err;
		spin_unlock_irqrestore(&n->lock, *flags);
		err = refcnt_memory(n, paddr, gfp);
		spin_lock_irqsave(&n->lock, *flags);
	}
	return 0;
}

/*
 * The frame counts, or not.  It needs memory for its counters while they count
 * and while they are held.  The caller holds the lock.
 */
static void set_kept(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr,
		     bool counts, enum refcnt_end why, struct list_head *gone)
{
	bool needed = f->kept || f->held;

	f->held = !counts && needed && why == REFCNT_END_HELD;
	f->kept = counts;
	if (!needed && counts)
		refcnt_need(n, paddr);
	else if (needed && !counts && !f->held)
		refcnt_need_no_more(n, paddr, why, gone);
}

/*
 * As refcnt_frame_apply(), for the frame @f.  @why: if it counts no more, that is
 * the reason.
 */
static int apply(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr,
		 enum refcnt_end why, gfp_t gfp)
{
	unsigned int mode, was;
	unsigned long flags;
	bool counts, first;
	LIST_HEAD(gone);
	int err;

	paddr &= PAGE_MASK;
	spin_lock_irqsave(&n->lock, flags);
	err = keeps(n, f, paddr, gfp, &flags);
	counts = err > 0;
	mode = refcnt_mode(&n->rules, f, counts);
	was = f->mode;
	if (mode != was || counts != f->kept)
		refcnt_set_mode(n, paddr, mode,
				was == SN_MIG_OFF && mode != SN_MIG_OFF,
				f->kept && why != REFCNT_END_GONE);
	f->mode = mode;
	set_kept(n, f, paddr, counts, why, &gone);
	first = mode != SN_MIG_OFF && !n->active;
	n->active += (mode != SN_MIG_OFF) - (was != SN_MIG_OFF);
	spin_unlock_irqrestore(&n->lock, flags);
	refcnt_pages_free(&gone);
	if (first)
		refcnt_wake(n);
	if (err >= 0)
		return 0;
	refcnt_stat(n, STAT_UNKEPT, 1);
	return err;
}

/* The frame of @paddr, made if need be.  NULL: no memory; that is counted. */
static struct refcnt_frame *need_frame(struct refcnt_node *n, u64 paddr,
				       gfp_t gfp)
{
	struct refcnt_frame *f = refcnt_frame_make(n, paddr, gfp);

	if (!f)
		refcnt_stat(n, STAT_UNKEPT, 1);
	return f;
}

/* The node's rules alone let a frame count or migrate. */
static bool rules_want_frames(struct refcnt_node *n)
{
	static const struct refcnt_frame none;
	unsigned long flags;
	bool want;

	spin_lock_irqsave(&n->lock, flags);
	want = refcnt_mode(&n->rules, &none, refcnt_counts(&n->rules, &none)) !=
	       SN_MIG_OFF;
	spin_unlock_irqrestore(&n->lock, flags);
	return want;
}

int refcnt_frame_apply(struct refcnt_node *n, u64 paddr, gfp_t gfp)
{
	struct refcnt_frame *f = refcnt_frame_of(n, paddr);

	if (!f && !rules_want_frames(n))
		return 0;
	f = need_frame(n, paddr, gfp);
	if (!f)
		return -ENOMEM;
	return apply(n, f, paddr, REFCNT_END_HELD, gfp);
}

/* The node whose memory with counters @paddr is, or NULL. */
static struct refcnt_node *find_node(u64 paddr)
{
	struct refcnt_node *n = refcnt_node_of(paddr);

	return n && refcnt_set_of(n, paddr) >= 0 ? n : NULL;
}

int refcnt_frame_policy(u64 paddr, u16 space, const struct refcnt_policy *p,
			gfp_t gfp)
{
	struct refcnt_node *n = find_node(paddr);
	struct refcnt_frame *f;
	unsigned long flags;

	if (!n)
		return 0;
	f = need_frame(n, paddr, gfp);
	if (!f)
		return -ENOMEM;
	spin_lock_irqsave(&n->lock, flags);
	refcnt_give(f, space, p);
	if (p->flags & SN0_POLICY_MIGRATE) {
		n->least = min(n->least, refcnt_threshold(&n->rules, f));
		refcnt_hub_report(n);
	}
	spin_unlock_irqrestore(&n->lock, flags);
	return apply(n, f, paddr, REFCNT_END_HELD, gfp);
}

void refcnt_frame_leave(u64 paddr, u16 space, bool last, enum refcnt_end why,
			gfp_t gfp)
{
	struct refcnt_node *n = find_node(paddr);
	struct refcnt_frame *f = n ? refcnt_frame_of(n, paddr) : NULL;
	unsigned long flags;

	if (!f)
		return;
	spin_lock_irqsave(&n->lock, flags);
	last = refcnt_take(f, space, last);
	spin_unlock_irqrestore(&n->lock, flags);
	/* If the rules count the frame and there is no memory, apply() says so. */
	if (last)
		apply(n, f, paddr, why, gfp);
}
