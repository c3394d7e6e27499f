// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Migration control.  refcnt_migr.h has the interface.
 *
 * The Hub reports that a node leads a frame's home.  Migration control decides,
 * in this order:
 *
 *	threshold   the leads of this requestor so far are enough
 *	distance    the requestor is not too near
 *	frozen      the frame did not bounce
 *	dampening   the requestor asked often enough
 *	memory      the requestor's node has some
 *
 * Then the kernel moves the page, with all mappings of it.  Whatever is decided,
 * the frame's counters start again, so the next request takes as many
 * references.  refcnt_policy.c decides all but the memory.
 *
 * A request that failed because the target has no memory, or because the page
 * could not move just then, is queued if a policy or the rules say so.
 *
 * By timer, and only where pages move:
 *   interval   frames freeze and melt; requests in the queue are tried again
 *   unpeg      full counters are collected and start again
 *
 * Left out: traffic control.
 * Source: migration(5).
 */
#include <linux/hash.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/topology.h>
#include "refcnt_frame.h"
#include "refcnt_hub.h"
#include "refcnt_migr.h"
#include "refcnt_right.h"
#include "refcnt_sets.h"

/* What a verdict counts as. */
static const int verdict_stat[] = {
	[REFCNT_MOVE] = STAT_TO,
	[REFCNT_NEAR] = STAT_NEAR,
	[REFCNT_FROZEN] = STAT_FROZEN,
	[REFCNT_DAMPENED] = STAT_DAMPENED,
	[REFCNT_NO_MEMORY] = STAT_NO_MEMORY,
	[REFCNT_STUCK] = STAT_STUCK,
};

/* A copy of the rules. */
static rcb_migr_t rules_of(struct refcnt_node *n)
{
	unsigned long flags;
	rcb_migr_t m;

	spin_lock_irqsave(&n->lock, flags);
	m = n->rules.migr;
	spin_unlock_irqrestore(&n->lock, flags);
	return m;
}

/* Begin the node's interval, unless one runs.  @n may be another's node. */
static void begin_interval(struct refcnt_node *n)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	if (!n->ending)
		queue_delayed_work(system_wq, &n->interval_work,
				   n->rules.migr.interval * HZ);
	spin_unlock_irqrestore(&n->lock, flags);
}

/* --- a request --- */

/* The rules of @n leave @node's memory to others. */
static bool memory_low(struct refcnt_node *n, int node)
{
	unsigned long free = 0, all = 0;
	struct zone *zone;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++) {
		zone = &NODE_DATA(node)->node_zones[i];
		free += zone_page_state(zone, NR_FREE_PAGES);
		all += zone_managed_pages(zone);
	}
	return free * 100 < all * rules_of(n).memory_low;
}

/* The largest lead of @node over home in the frame's sets. */
static unsigned int lead_of(struct refcnt_node *n, u64 paddr, int node)
{
	unsigned int i, remote, local, most = 0;

	for (i = 0; i < FRAME_SETS; i++, paddr += SN_MDPAGE_SIZE) {
		remote = refcnt_hardware(n, paddr, node);
		local = refcnt_hardware(n, paddr, n->nasid);
		if (remote > local)
			most = max(most, remote - local);
	}
	return most;
}

/*
 * A number for the page that the frame holds; 0 if no process maps it.  The
 * kernel does not notify us when a frame of a process without policies changes
 * its owner, so we compare this number at the next look.
 */
static u32 page_number(u64 paddr)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(paddr));
	struct folio *folio = page ? page_folio(page) : NULL;
	u64 number;

	if (!folio || !folio_mapped(folio))
		return 0;
	number = hash_ptr(READ_ONCE(folio->mapping), 64);
	return hash_64(number + READ_ONCE(folio->index), 32) | 1;
}

/* Shall the frame go to @node? */
static enum refcnt_verdict decide(struct refcnt_node *n, struct refcnt_frame *f,
				  u64 paddr, int node)
{
	struct refcnt_request q = {
		.node = node,
		.page = page_number(paddr),
		.distance = node_distance(n->nasid, node) - LOCAL_DISTANCE,
	};
	enum refcnt_verdict verdict;
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	q.lead = lead_of(n, paddr, node);
	verdict = refcnt_request(&n->rules, f, &q);
	spin_unlock_irqrestore(&n->lock, flags);
	if (verdict == REFCNT_MOVE && memory_low(n, node))
		verdict = REFCNT_NO_MEMORY;
	return verdict;
}

/* The page that was in @f is at @to now; @moves is its history. */
static void moved(struct refcnt_node *n, struct refcnt_frame *f, u8 moves,
		  u64 to)
{
	struct refcnt_node *m = refcnt_node_of(to);
	struct refcnt_frame *g = refcnt_frame_make(m, to, GFP_KERNEL);
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	refcnt_forget(f);
	spin_unlock_irqrestore(&n->lock, flags);
	/* Without memory for it, the page's history is lost. */
	if (g) {
		spin_lock_irqsave(&m->lock, flags);
		refcnt_moved_in(&m->rules, g, page_number(to), moves);
		spin_unlock_irqrestore(&m->lock, flags);
	}
	refcnt_stat(n, STAT_FROM, 1);
	refcnt_stat(m, STAT_TO, 1);
	begin_interval(m);
}

/* The folio in a frame with a reference, or NULL. */
static struct folio *folio_in(u64 paddr)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(paddr));
	struct folio *folio = page ? page_folio(page) : NULL;

	return folio && folio_try_get(folio) ? folio : NULL;
}

/* REFCNT_MOVE: the frame went to @node; or the reason why it did not. */
static enum refcnt_verdict try_move(struct refcnt_node *n,
				    struct refcnt_frame *f, u64 paddr, int node)
{
	struct folio *folio = folio_in(paddr);
	struct refcnt_frame was; /* unmapping takes policy and history away */
	struct refcnt_right right;
	unsigned long pfn, flags;
	int err = -EBUSY;
	bool migrates;

	/* The folio cannot go any more, so the frame's policy is the folio's. */
	spin_lock_irqsave(&n->lock, flags);
	was = *f;
	migrates = refcnt_migrates(&n->rules, f);
	right = (struct refcnt_right){
		.shared = refcnt_moves_shared(&n->rules, f),
		.givers = f->givers,
	};
	spin_unlock_irqrestore(&n->lock, flags);
	if (folio && migrates)
		err = refcnt_right_move(folio, node, &right, &pfn);
	else if (folio)
		folio_put(folio);
	if (!err && pfn != PHYS_PFN(paddr)) {
		moved(n, f, was.moves, PFN_PHYS(pfn));
		return REFCNT_MOVE;
	}
	spin_lock_irqsave(&n->lock, flags);
	refcnt_put_back(f, &was);
	spin_unlock_irqrestore(&n->lock, flags);
	return err == -ENOMEM ? REFCNT_NO_MEMORY : REFCNT_STUCK;
}

static void refuse(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr,
		   enum refcnt_verdict why)
{
	unsigned long flags;
	bool queued;

	spin_lock_irqsave(&n->lock, flags);
	queued = refcnt_refused(&n->rules, f, why);
	spin_unlock_irqrestore(&n->lock, flags);
	/* A page of the kernel's own would interrupt again and again. */
	if (why == REFCNT_STUCK)
		refcnt_frame_apply(n, paddr, GFP_KERNEL);
	if (why == REFCNT_STUCK || queued)
		begin_interval(n);
	if (queued)
		refcnt_stat(n, STAT_QUEUED, 1);
	refcnt_stat(n, verdict_stat[why], 1);
}

void refcnt_migr_request(struct refcnt_node *n, u64 paddr, int node)
{
	struct refcnt_frame *f = refcnt_frame_of(n, paddr);
	enum refcnt_verdict verdict;

	if (!f)
		return; /* its counters are off */
	verdict = decide(n, f, paddr, node);
	refcnt_collect(n, paddr, 1);
	if (verdict == REFCNT_MOVE)
		verdict = try_move(n, f, paddr, node);
	if (verdict != REFCNT_MOVE && verdict != REFCNT_WAIT)
		refuse(n, f, paddr, verdict);
}

/* --- by timer --- */

/* Try a request of the queue again.  True: it stays there. */
static bool retry(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr)
{
	unsigned long flags;
	bool waits;
	int node;

	spin_lock_irqsave(&n->lock, flags);
	if (!refcnt_migrates(&n->rules, f))
		f->queued = false;
	waits = f->queued;
	node = f->asker;
	spin_unlock_irqrestore(&n->lock, flags);
	if (!waits)
		return false;
	if (memory_low(n, node) || try_move(n, f, paddr, node) != REFCNT_MOVE)
		return true;
	refcnt_stat(n, STAT_LATE, 1);
	return false;
}

/* An interval of the frame ends.  True: it needs another one. */
static bool interval_frame(struct refcnt_node *n, struct refcnt_frame *f,
			   u64 paddr)
{
	u32 page = page_number(paddr);
	bool stuck, queued, more = false;
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	if (!page || f->page != page)
		refcnt_forget(f);
	stuck = f->stuck;
	f->stuck = false;
	queued = f->queued;
	spin_unlock_irqrestore(&n->lock, flags);
	if (stuck)
		refcnt_frame_apply(n, paddr, GFP_KERNEL);
	if (queued)
		more = retry(n, f, paddr);
	spin_lock_irqsave(&n->lock, flags);
	if (f->moves || f->frozen)
		more |= refcnt_interval(&n->rules, f);
	spin_unlock_irqrestore(&n->lock, flags);
	return more;
}

static void interval(struct work_struct *work)
{
	struct refcnt_node *n = container_of(to_delayed_work(work),
					     struct refcnt_node, interval_work);
	bool more = false;
	u32 i;

	for (i = 0; i < n->sets / FRAME_SETS; i++) {
		struct refcnt_frame *f = refcnt_frame_at(n, i);

		/*
		 * Without the lock: whoever changes an idle frame begins an
		 * interval afterwards.
		 */
		if (!f || refcnt_idle(f))
			continue;
		more |= interval_frame(n, f,
				       refcnt_set_paddr(n, i * FRAME_SETS));
		cond_resched();
	}
	if (more)
		begin_interval(n);
}

/* A counter of the frame stands at @level or above. */
static bool pegged(struct refcnt_node *n, u64 paddr, unsigned int level)
{
	unsigned int i;
	int node;

	for (i = 0; i < FRAME_SETS; i++, paddr += SN_MDPAGE_SIZE)
		for (node = 0; node < refcnt_nnodes; node++)
			if (refcnt_hardware(n, paddr, node) >= level)
				return true;
	return false;
}

static bool frame_migrates(struct refcnt_node *n, struct refcnt_frame *f)
{
	unsigned long flags;
	bool migrates;

	spin_lock_irqsave(&n->lock, flags);
	migrates = refcnt_migrates(&n->rules, f);
	spin_unlock_irqrestore(&n->lock, flags);
	return migrates;
}

static void begin_unpegging(struct refcnt_node *n)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	if (n->rules.migr.unpeg && !n->ending)
		mod_delayed_work(system_wq, &n->unpeg_work,
				 n->rules.migr.unpeg_period * HZ);
	spin_unlock_irqrestore(&n->lock, flags);
}

static void unpeg(struct work_struct *work)
{
	struct refcnt_node *n = container_of(to_delayed_work(work),
					     struct refcnt_node, unpeg_work);
	rcb_migr_t m = rules_of(n);
	unsigned int level = refcnt_percent(m.unpeg_level, n->rules.count_max);
	u32 i;

	for (i = 0; i < n->sets; i += FRAME_SETS) {
		struct refcnt_frame *f = refcnt_frame_at(n, i / FRAME_SETS);
		u64 paddr = refcnt_set_paddr(n, i);

		if (!f || !frame_migrates(n, f))
			continue;
		if (pegged(n, paddr, level)) {
			refcnt_collect(n, paddr, level);
			refcnt_stat(n, STAT_UNPEGGED, 1);
		}
		cond_resched();
	}
	begin_unpegging(n);
}

/* --- rules --- */

void refcnt_migr_get(struct refcnt_node *n, rcb_migr_t *m)
{
	*m = rules_of(n);
}

/*
 * All frames follow the rules.  That takes many uncached accesses, so let others
 * run, and let the caller be killed.
 */
static int apply_all(struct refcnt_node *n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n->sets && !err; i += FRAME_SETS) {
		err = refcnt_frame_apply(n, refcnt_set_paddr(n, i), GFP_KERNEL);
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}

int refcnt_migr_set(struct refcnt_node *n, const rcb_migr_t *m)
{
	unsigned long flags;
	rcb_migr_t was;
	int err = 0;

	if (refcnt_bad_rules(m))
		return -EINVAL;
	mutex_lock(&n->ctl);
	spin_lock_irqsave(&n->lock, flags);
	was = n->rules.migr;
	n->rules.migr = *m;
	refcnt_hub_report(n);
	spin_unlock_irqrestore(&n->lock, flags);
	if (m->migr_mode != was.migr_mode || m->refcnt_mode != was.refcnt_mode)
		err = apply_all(n);
	if (m->interval < was.interval &&
	    delayed_work_pending(&n->interval_work))
		mod_delayed_work(system_wq, &n->interval_work,
				 m->interval * HZ);
	begin_unpegging(n);
	mutex_unlock(&n->ctl);
	return err;
}

/* --- start and end --- */

void refcnt_migr_begin(struct refcnt_node *n)
{
	INIT_DELAYED_WORK(&n->interval_work, interval);
	INIT_DELAYED_WORK(&n->unpeg_work, unpeg);
	refcnt_hub_start(n);
}

void refcnt_migr_stop(struct refcnt_node *n)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	n->ending = true;
	spin_unlock_irqrestore(&n->lock, flags);
	cancel_delayed_work_sync(&n->unpeg_work);
	cancel_delayed_work_sync(&n->interval_work);
}

void refcnt_migr_end(struct refcnt_node *n)
{
	unsigned long flags;
	struct refcnt_frame *f;
	u32 i;

	spin_lock_irqsave(&n->lock, flags);
	n->rules.migr.migr_mode = RCB_FOFF;
	n->rules.migr.refcnt_mode = RCB_FOFF;
	spin_unlock_irqrestore(&n->lock, flags);
	for (i = 0; i < n->sets; i += FRAME_SETS) {
		f = refcnt_frame_at(n, i / FRAME_SETS);
		if (f && READ_ONCE(f->mode) != SN_MIG_OFF)
			refcnt_frame_apply(n, refcnt_set_paddr(n, i),
					   GFP_KERNEL);
	}
	refcnt_hub_stop(n);
}
