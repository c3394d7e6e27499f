// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: the page migration interrupt and what becomes of it.
 *
 * The Hub names a frame whose counter crossed a threshold and interrupts the
 * frame's node.  A thread of the node does the rest; until it has, the Hub
 * holds the frame and reports no other one.  What it misses meanwhile crosses
 * again with its next reference.
 *
 * The interrupt's level reaches processors of its own node only.  A node whose
 * processors are all offline is looked at by time (POLL_US); its thread runs
 * on another node meanwhile.
 *
 *   absolute   the sets that are half full move to memory
 *   relative   migration control decides, in this order:
 *
 *	threshold   differences seen so far, of this requestor, are enough
 *	distance    the requestor is not too near
 *	frozen      the frame did not bounce
 *	dampening   it was asked for often enough
 *	memory      the requestor's node has some
 *
 * and the kernel moves the page, with all that maps it.  Whatever is decided,
 * the frame's counters start again, so that the next request takes as many
 * references.  Work goes on by timer only where pages move: freezing and
 * melting by intervals, and unpegging, which starts full counters again.
 *
 * A request that failed for want of memory, or because the page could not move
 * just then, is queued where the policy says so, and tried again by interval.
 *
 * Left out: traffic control.
 * Source: migration(5).
 */
#include <linux/cpuhotplug.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/topology.h>
#include <uapi/linux/sched/types.h>
#include "refcnt.h"

#define CANDIDATE_SHIFT	14
/*
 * Between two looks at a node without processors.  A counter of 11 bits that
 * is half full takes 1024 references more, each of them 128 bytes of a memory
 * that delivers 780 MB/s: 168 us.
 */
#define POLL_US		150
/* What the Hub reports relative to, until a policy or an administrator asks. */
#define DIFF_THRESHOLD	10

static unsigned int abs_threshold(const struct refcnt_node *n)
{
	return (n->count_max + 1) / 2 - 1;
}

bool refcnt_migrates(const struct refcnt_node *n, const struct refcnt_frame *f)
{
	int mode = n->migr.migr_mode;

	if (f->stuck)
		return false;
	if (mode == RCB_FON || mode == RCB_FOFF)
		return mode == RCB_FON;
	if (f->policy.flags & (SN0_POLICY_MIGRATE | SN0_POLICY_STAY))
		return f->policy.flags & SN0_POLICY_MIGRATE;
	return mode == RCB_ON;
}

bool refcnt_counts(const struct refcnt_node *n, const struct refcnt_frame *f)
{
	int mode = n->migr.refcnt_mode;

	if (mode == RCB_FON || mode == RCB_FOFF)
		return mode == RCB_FON;
	return f->policy.flags & SN0_POLICY_COUNT || mode == RCB_ON;
}

/* --- migration control --- */

static unsigned int of(unsigned int percent, unsigned int all)
{
	return max(percent * all / 100, 1U);
}

static unsigned int threshold(const struct refcnt_node *n,
			      const struct refcnt_frame *f)
{
	return of(f->policy.threshold != POLICY_NODES ? f->policy.threshold :
							n->migr.threshold,
		  n->count_max);
}

/* Moves in an interval that freeze a frame; 0: none do. */
static unsigned int freeze(const struct refcnt_node *n,
			   const struct refcnt_frame *f)
{
	if (f->policy.freeze != POLICY_NODES)
		return of(f->policy.freeze, RCB_MOVES_MAX);
	return n->migr.freeze ? of(n->migr.freeze_threshold, RCB_MOVES_MAX) : 0;
}

/* Quiet intervals that melt it; 0: none do. */
static unsigned int melt(const struct refcnt_node *n,
			 const struct refcnt_frame *f)
{
	if (f->policy.melt != POLICY_NODES)
		return of(f->policy.melt, RCB_QUIET_MAX);
	return n->migr.melt ? of(n->migr.melt_threshold, RCB_QUIET_MAX) : 0;
}

static unsigned int dampening(const struct refcnt_node *n,
			      const struct refcnt_frame *f)
{
	if (f->policy.dampening != POLICY_NODES)
		return of(f->policy.dampening, RCB_DAMPENING_MAX);
	return n->migr.dampening ?
	       of(n->migr.dampening_factor, RCB_DAMPENING_MAX) : 1;
}

static bool queues(const struct refcnt_node *n, const struct refcnt_frame *f)
{
	return f->policy.flags & SN0_POLICY_ENQUEUE || n->migr.enqueue;
}

static bool memory_low(const struct refcnt_node *n, int node)
{
	unsigned long free = 0, all = 0;
	struct zone *zone;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++) {
		zone = &NODE_DATA(node)->node_zones[i];
		free += zone_page_state(zone, NR_FREE_PAGES);
		all += zone_managed_pages(zone);
	}
	return free * 100 < all * n->migr.memory_low;
}

/* Largest lead of @node over home in the frame's sets. */
static unsigned int difference(struct refcnt_node *n, u64 paddr, int node)
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
 * Which page the frame holds; 0 if no process maps it.  Nobody tells when a frame
 * of a process without policies changes hands: that the number does, when it
 * is looked at next, must do.
 */
static u32 who_is(u64 paddr)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(paddr));
	struct folio *folio = page ? page_folio(page) : NULL;

	if (!folio || !folio_mapped(folio))
		return 0;
	return hash_64(hash_ptr(READ_ONCE(folio->mapping), 64) +
		       READ_ONCE(folio->index), 32) | 1;
}

/* What the frame's page did and was asked for; the caller holds the lock. */
static void forget(struct refcnt_frame *f)
{
	f->page = 0;
	f->difference = 0;
	f->asked = 0;
	f->moves = 0;
	f->quiet = 0;
	f->frozen = false;
	f->queued = false;
}

/*
 * Shall the frame go to @node?  The statistic that says why not, STAT_TO if it
 * shall, NSTATS if that is not the question yet.
 */
static int decide(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr,
		  int node)
{
	u32 page = who_is(paddr);
	unsigned long flags;
	int what = STAT_TO;

	spin_lock_irqsave(&n->lock, flags);
	if (f->page != page)
		forget(f);
	f->page = page;
	if (f->asker != node) {
		f->asker = node;
		f->difference = 0;
		f->asked = 0;
	}
	f->quiet = 0;
	f->queued = false;
	f->difference += difference(n, paddr, node);
	if (!refcnt_migrates(n, f) || f->difference < threshold(n, f)) {
		what = NSTATS;
	} else {
		f->difference = 0;
		if (node_distance(n->nasid, node) - LOCAL_DISTANCE <
		    n->migr.distance)
			what = STAT_NEAR;
		else if (f->frozen)
			what = STAT_FROZEN;
		else if (++f->asked < dampening(n, f))
			what = STAT_DAMPENED;
		else if (memory_low(n, node))
			what = STAT_NO_MEMORY;
	}
	spin_unlock_irqrestore(&n->lock, flags);
	return what;
}

/* The node's interval begins, if none runs. */
static void begin_interval(struct refcnt_node *n)
{
	queue_delayed_work(system_wq, &n->interval_work,
			   n->migr.interval * HZ);
}

/* The page's history, @moves, goes with it. */
static void moved(struct refcnt_node *n, struct refcnt_frame *f, u8 moves,
		  u64 to)
{
	struct refcnt_node *m = refcnt_node_of(to);
	struct refcnt_frame *g = refcnt_frame_of(m, to);
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	forget(f);
	spin_unlock_irqrestore(&n->lock, flags);
	spin_lock_irqsave(&m->lock, flags);
	forget(g);
	g->page = who_is(to);
	g->moves = moves + 1;
	g->frozen = freeze(m, g) && g->moves >= freeze(m, g);
	spin_unlock_irqrestore(&m->lock, flags);
	refcnt_stat(n, STAT_FROM, 1);
	refcnt_stat(m, STAT_TO, 1);
	begin_interval(m);
}

static int move(unsigned long from, int node, unsigned long *to)
{
	struct page *page = pfn_to_online_page(from);
	struct folio *folio = page ? page_folio(page) : NULL;

	if (!folio || !folio_try_get(folio))
		return -EBUSY;
	return migrate_folio_to_node(folio, node, to);
}

/* A page that was unmapped in vain has the policy that it had: its history too. */
static void remember(struct refcnt_node *n, struct refcnt_frame *f,
		     struct refcnt_frame was)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	if (!memcmp(&f->policy, &was.policy, sizeof(was.policy))) {
		was.givers = f->givers;
		was.mode = f->mode;
		was.kept = f->kept;
		was.stuck = f->stuck;
		*f = was;
	}
	spin_unlock_irqrestore(&n->lock, flags);
}

/* STAT_TO if the frame went to @node, or why it did not. */
static int try_move(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr,
		    int node)
{
	struct refcnt_frame was;	/* unmapping takes it away */
	unsigned long pfn, flags;
	int err;

	spin_lock_irqsave(&n->lock, flags);
	was = *f;
	spin_unlock_irqrestore(&n->lock, flags);
	err = move(PHYS_PFN(paddr), node, &pfn);
	if (!err && pfn != PHYS_PFN(paddr)) {
		moved(n, f, was.moves, PFN_PHYS(pfn));
		return STAT_TO;
	}
	remember(n, f, was);
	return err == -ENOMEM ? STAT_NO_MEMORY : STAT_STUCK;
}

static void enqueue(struct refcnt_node *n, struct refcnt_frame *f)
{
	f->queued = true;
	refcnt_stat(n, STAT_QUEUED, 1);
	begin_interval(n);
}

static void consider(struct refcnt_node *n, u64 paddr, int node)
{
	struct refcnt_frame *f = refcnt_frame_of(n, paddr);
	int what = decide(n, f, paddr, node);

	refcnt_frame_collect(n, paddr, 1);
	if (what == STAT_TO) {
		what = try_move(n, f, paddr, node);
		if (what == STAT_TO)
			return;
		if (what == STAT_STUCK) {
			/* The kernel's own pages would interrupt for ever. */
			f->stuck = true;
			refcnt_frame_apply(n, paddr, GFP_KERNEL);
			begin_interval(n);
		}
	}
	if ((what == STAT_NO_MEMORY || what == STAT_STUCK) && queues(n, f))
		enqueue(n, f);
	if (what != NSTATS)
		refcnt_stat(n, what, 1);
}

/* --- the interrupt --- */

void refcnt_interrupt(int nasid)
{
	struct refcnt_node *n = refcnt_nodes[nasid];

	if (!n || !n->thread)
		return;
	refcnt_stat(n, STAT_INTERRUPTS, 1);
	WRITE_ONCE(n->candidate, true);
	wake_up_process(n->thread);
}

/* Was there a candidate? */
static bool look(struct refcnt_node *n)
{
	u64 c = hub_read(n->nasid, R_MD_MIG_CANDIDATE), paddr;

	if (!SN_FIELD_GET(c, MD_MIG_CANDIDATE, VALID))
		return false;
	paddr = SN_PA(0, n->nasid, SN_FIELD_GET(c, MD_MIG_CANDIDATE, ADDR) <<
		      CANDIDATE_SHIFT);
	if (refcnt_set_of(n, paddr) >= 0) {
		if (SN_FIELD_GET(c, MD_MIG_CANDIDATE, TYPE))
			refcnt_frame_collect(n, paddr, abs_threshold(n));
		else
			consider(n, paddr,
				 SN_FIELD_GET(c, MD_MIG_CANDIDATE, NODEID));
	}
	c = hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
	refcnt_stat(n, STAT_OVERRUNS,
		    SN_FIELD_GET(c, MD_MIG_CANDIDATE, OVERRUN));
	return true;
}

/* Until there may be a candidate; the thread's state is set. */
static void await(struct refcnt_node *n)
{
	ktime_t t = ns_to_ktime(POLL_US * NSEC_PER_USEC);

	if (READ_ONCE(n->alone) && READ_ONCE(n->active)) {
		schedule_hrtimeout(&t, HRTIMER_MODE_REL);
		WRITE_ONCE(n->candidate, true);
	} else {
		schedule();
	}
}

static int refcnt_thread(void *arg)
{
	struct refcnt_node *n = arg;

	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(n->candidate)) {
			if (!kthread_should_stop())
				await(n);
			__set_current_state(TASK_RUNNING);
			continue;
		}
		__set_current_state(TASK_RUNNING);
		WRITE_ONCE(n->candidate, false);
		if (look(n) && READ_ONCE(n->alone))
			WRITE_ONCE(n->candidate, true);
		cond_resched();
	}
	return 0;
}

/* --- processors that come and go --- */

static int cpuhp_state;

void refcnt_migr_awake(struct refcnt_node *n)
{
	if (n->alone && n->thread)
		wake_up_process(n->thread);
}

static int cpu_comes(unsigned int cpu)
{
	struct refcnt_node *n = refcnt_nodes[cpu_to_node(cpu)];

	if (n) {
		WRITE_ONCE(n->alone, false);
		/* Where it went when it had nowhere to be. */
		set_cpus_allowed_ptr(n->thread, cpumask_of_node(n->nasid));
	}
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct refcnt_node *n = refcnt_nodes[cpu_to_node(cpu)];
	unsigned int other;

	if (!n)
		return 0;
	for_each_cpu_and(other, cpumask_of_node(n->nasid), cpu_online_mask)
		if (other != cpu)
			return 0;
	WRITE_ONCE(n->alone, true);
	wake_up_process(n->thread);
	return 0;
}

/* All nodes have begun; they begin alone. */
int refcnt_migr_init(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "mips/refcnt:online",
				      cpu_comes, cpu_goes);

	if (state < 0)
		return state;
	cpuhp_state = state;
	return 0;
}

void refcnt_migr_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
}

/* --- by timer --- */

/* Try a request of the queue again; is it still in it? */
static bool retry(struct refcnt_node *n, struct refcnt_frame *f, u64 paddr)
{
	if (!refcnt_migrates(n, f)) {
		f->queued = false;
		return false;
	}
	if (memory_low(n, f->asker) || try_move(n, f, paddr, f->asker) != STAT_TO)
		return true;
	refcnt_stat(n, STAT_LATE, 1);
	return false;
}

static void interval(struct work_struct *work)
{
	struct refcnt_node *n = container_of(to_delayed_work(work),
					     struct refcnt_node, interval_work);
	bool more = false;
	unsigned long flags;
	u32 i;

	for (i = 0; i < n->sets / FRAME_SETS; i++) {
		struct refcnt_frame *f = &n->frames[i];
		u32 page;
		u64 paddr;

		if (!f->stuck && !f->queued && !f->moves && !f->frozen)
			continue;
		paddr = refcnt_set_paddr(n, i * FRAME_SETS);
		page = who_is(paddr);
		spin_lock_irqsave(&n->lock, flags);
		if (!page || f->page != page)
			forget(f);
		spin_unlock_irqrestore(&n->lock, flags);
		if (f->stuck) {
			f->stuck = false;
			refcnt_frame_apply(n, paddr, GFP_KERNEL);
		}
		if (f->queued)
			more |= retry(n, f, paddr);
		if (!f->moves && !f->frozen)
			continue;
		spin_lock_irqsave(&n->lock, flags);
		f->moves = 0;
		if (f->frozen && f->quiet < RCB_QUIET_MAX)
			f->quiet++;
		if (melt(n, f) && f->quiet >= melt(n, f))
			f->frozen = false;
		more |= f->frozen;
		spin_unlock_irqrestore(&n->lock, flags);
		cond_resched();
	}
	if (more)
		begin_interval(n);
}

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

static void unpeg(struct work_struct *work)
{
	struct refcnt_node *n = container_of(to_delayed_work(work),
					     struct refcnt_node, unpeg_work);
	unsigned int level = of(n->migr.unpeg_level, n->count_max);
	u32 i;

	for (i = 0; i < n->sets; i += FRAME_SETS) {
		u64 paddr = refcnt_set_paddr(n, i);

		if (!refcnt_migrates(n, &n->frames[i / FRAME_SETS]))
			continue;
		if (pegged(n, paddr, level)) {
			refcnt_frame_collect(n, paddr, level);
			refcnt_stat(n, STAT_UNPEGGED, 1);
		}
		cond_resched();
	}
	if (n->migr.unpeg)
		mod_delayed_work(system_wq, &n->unpeg_work,
				 n->migr.unpeg_period * HZ);
}

/* --- rules --- */

static void set_diff_threshold(struct refcnt_node *n, unsigned int value)
{
	hub_write(n->nasid, R_MD_MIG_DIFF_THRESH,
		  R_MD_MIG_DIFF_THRESH_VALID_MASK | value);
}

void refcnt_migr_policy(struct refcnt_node *n, const struct refcnt_frame *f)
{
	n->least = min(n->least, threshold(n, f));
	set_diff_threshold(n, min(n->least, of(n->migr.threshold,
					       n->count_max)));
}

static bool bad_percent(int p)
{
	return p < 0 || p > 100;
}

static bool bad_rules(const rcb_migr_t *m)
{
	return m->migr_mode & ~3 || m->refcnt_mode & ~3 ||
	       (m->dampening | m->freeze | m->melt | m->unpeg |
		m->enqueue) & ~1 ||
	       bad_percent(m->threshold) || bad_percent(m->memory_low) ||
	       bad_percent(m->dampening_factor) ||
	       bad_percent(m->freeze_threshold) ||
	       bad_percent(m->melt_threshold) || bad_percent(m->unpeg_level) ||
	       m->distance < 0 || m->distance > MAX_NUMNODES ||
	       m->interval < 1 || m->interval > 3600 || m->unpeg_period < 1 ||
	       m->unpeg_period > 3600 ||
	       memchr_inv(m->reserved, 0, sizeof(m->reserved));
}

/* All frames: many uncached accesses, so let others run and be killed. */
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
	bool other, shorter;
	int err = 0;

	if (bad_rules(m))
		return -EINVAL;
	mutex_lock(&n->ctl);
	spin_lock_irqsave(&n->lock, flags);
	other = m->migr_mode != n->migr.migr_mode ||
		m->refcnt_mode != n->migr.refcnt_mode;
	shorter = m->interval < n->migr.interval;
	n->migr = *m;
	set_diff_threshold(n, min(n->least, of(m->threshold, n->count_max)));
	spin_unlock_irqrestore(&n->lock, flags);
	if (other)
		err = apply_all(n);
	if (shorter && delayed_work_pending(&n->interval_work))
		mod_delayed_work(system_wq, &n->interval_work,
				 m->interval * HZ);
	if (m->unpeg)
		mod_delayed_work(system_wq, &n->unpeg_work,
				 m->unpeg_period * HZ);
	mutex_unlock(&n->ctl);
	return err;
}

/* --- start and end --- */

static const rcb_migr_t defaults = {
	.migr_mode = RCB_OFF, .refcnt_mode = RCB_OFF, .threshold = 50,
	.distance = 1, .memory_low = 5, .dampening_factor = 90,
	.freeze_threshold = 20, .melt_threshold = 90, .interval = 1,
	.unpeg_level = 90, .unpeg_period = 10,
};

int refcnt_migr_begin(struct refcnt_node *n)
{
	struct task_struct *t;

	n->migr = defaults;
	n->least = n->count_max;
	INIT_DELAYED_WORK(&n->interval_work, interval);
	INIT_DELAYED_WORK(&n->unpeg_work, unpeg);
	set_diff_threshold(n, DIFF_THRESHOLD);
	hub_write(n->nasid, R_MD_MIG_VALUE_THRESH,
		  R_MD_MIG_VALUE_THRESH_VALID_MASK | abs_threshold(n));
	hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
	t = kthread_create_on_node(refcnt_thread, n, n->nasid, "refcnt/%d",
				   n->nasid);
	if (IS_ERR(t))
		return PTR_ERR(t);
	/* Counters fill up meanwhile: nothing else is as urgent. */
	sched_set_fifo(t);
	n->thread = t;
	n->alone = true;
	wake_up_process(t);
	return 0;
}

/* No interrupt comes any more. */
void refcnt_migr_end(struct refcnt_node *n)
{
	u32 i;

	if (n->thread)
		kthread_stop(n->thread);
	n->thread = NULL;
	n->migr.unpeg = 0;
	cancel_delayed_work_sync(&n->unpeg_work);
	cancel_delayed_work_sync(&n->interval_work);
	n->migr.migr_mode = RCB_FOFF;
	n->migr.refcnt_mode = RCB_FOFF;
	for (i = 0; i < n->sets; i += FRAME_SETS)
		if (n->frames[i / FRAME_SETS].mode != SN_MIG_OFF)
			refcnt_frame_apply(n, refcnt_set_paddr(n, i),
					   GFP_KERNEL);
	hub_write(n->nasid, R_MD_MIG_DIFF_THRESH, 0);
	hub_write(n->nasid, R_MD_MIG_VALUE_THRESH, 0);
	hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
}
