// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: the counters of a page.
 *
 * The Hub counts every read request that reaches a 4 KB page, by the node that
 * sent it, in 11 or 19 bits that stop at their maximum.  An extended counter
 * is a 64-bit word in memory for each of them:
 *
 *   back door, page p:   | prot, mode, count of node 0 | node 1 | ...
 *   memory, set p:       | extended counter of node 0  | node 1 | ...
 *
 * The hardware has no way to read a count and clear it in one.  What is counted
 * in between would be lost; only processors of the counter's node can add to
 * it, so they are called together and one of them does it while the other
 * waits (refcnt_node_words()).  Devices that read memory meanwhile are not
 * held.
 *
 * Extended counters take memory only where frames are counted or where a
 * program looked: their pages come one by one, on the node they describe.
 *
 * Left out: more than 64 nodes (a counter for eight).
 * Sources: refcnt(5), thesis 3.2.2, hubmd.h.
 */
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include "refcnt.h"

/* Turns of a waiting processor before it gives up: some 100 us. */
#define PATIENCE	5000
#define TRIES		10

long refcnt_set_of(struct refcnt_node *n, u64 paddr)
{
	u64 off = SN_PA_OFFSET(paddr);
	unsigned int bank = off >> SN_BANK_SHIFT, i;
	u64 set = (off & (SN_BANK_SIZE - 1)) >> SN_MDPAGE_SHIFT;

	if ((off & (SN_BANK_SIZE - 1)) >= n->slot_size[bank])
		return -1;
	for (i = 0; i < bank; i++)
		set += n->slot_size[i] >> SN_MDPAGE_SHIFT;
	return set;
}

u64 refcnt_set_paddr(struct refcnt_node *n, u32 set)
{
	unsigned int bank;

	for (bank = 0; set >= n->slot_size[bank] >> SN_MDPAGE_SHIFT; bank++)
		set -= n->slot_size[bank] >> SN_MDPAGE_SHIFT;
	return SN_PA(0, n->nasid, bank * SN_BANK_SIZE +
		     (u64)set * SN_MDPAGE_SIZE);
}

struct refcnt_frame *refcnt_frame_of(struct refcnt_node *n, u64 paddr)
{
	return &n->frames[refcnt_set_of(n, paddr) / FRAME_SETS];
}

struct page *refcnt_counter_page(struct refcnt_node *n, u32 i, gfp_t gfp)
{
	struct page *new = NULL, *page;
	unsigned long flags;

	if (!READ_ONCE(n->pages[i])) {
		new = alloc_pages_node(n->nasid, gfp | __GFP_ZERO, 0);
		if (!new)
			return NULL;
	}
	spin_lock_irqsave(&n->lock, flags);
	if (!n->pages[i]) {
		n->pages[i] = new;
		new = NULL;
	}
	page = n->pages[i];
	spin_unlock_irqrestore(&n->lock, flags);
	if (new)
		__free_page(new);
	return page;
}

/* The extended counter of @node in set @set; NULL if there is no memory yet. */
static refcnt_t *counter(struct refcnt_node *n, u32 set, int node)
{
	size_t at = set * refcnt_set_bytes() + node * sizeof(refcnt_t);
	struct page *page = n->pages[at >> PAGE_SHIFT];

	return page ? page_address(page) + offset_in_page(at) : NULL;
}

static u64 word_read(struct refcnt_node *n, u64 paddr, int node)
{
	return __raw_readq(hub_backdoor(n->nasid,
					sn_bdprt(SN_PA_OFFSET(paddr), node)));
}

static void word_write(struct refcnt_node *n, u64 paddr, int node, u64 w)
{
	__raw_writeq(w, hub_backdoor(n->nasid,
				     sn_bdprt(SN_PA_OFFSET(paddr), node)));
}

static unsigned int count_of(struct refcnt_node *n, u64 w)
{
	return (w & n->count_mask) >> SN_PROT_REFCNT_SHIFT;
}

unsigned int refcnt_hardware(struct refcnt_node *n, u64 paddr, int node)
{
	return count_of(n, word_read(n, paddr, node));
}

refcnt_t refcnt_extended(struct refcnt_node *n, u64 paddr, int node)
{
	refcnt_t *c = counter(n, refcnt_set_of(n, paddr), node);

	return c ? *c : 0;
}

/* --- collecting --- */

/* One counter to memory; the caller holds the lock. */
static void word_collect(struct refcnt_node *n, u64 paddr, int node, bool keep)
{
	u64 w = word_read(n, paddr, node);
	refcnt_t *c;

	if (!count_of(n, w))
		return;
	word_write(n, paddr, node, w & ~n->count_mask);
	c = keep ? counter(n, refcnt_set_of(n, paddr), node) : NULL;
	if (c)
		*c += count_of(n, w);
}

enum { GATHERING, AT_WORK, GIVEN_UP, DONE };

/* A meeting of a node's processors. */
struct quiet {
	struct refcnt_node *n;	/* whose memory */
	u64 paddr;		/* first of the sets of @which */
	unsigned int which;	/* bit i: the i-th */
	int node;		/* whose counters and processors */
	bool keep;
	int cpus;
	atomic_t arrived, state;
};

static void words_collect(struct quiet *q)
{
	unsigned int i;

	spin_lock(&q->n->lock);
	for (i = 0; i < FRAME_SETS; i++)
		if (q->which & 1 << i)
			word_collect(q->n, q->paddr + i * SN_MDPAGE_SIZE,
				     q->node, q->keep);
	/* The writes have arrived when this has come back. */
	word_read(q->n, q->paddr, q->node);
	spin_unlock(&q->n->lock);
}

/*
 * On each processor of the node, interrupts off.  The last to come does the
 * work; nobody waits for ever, because the others may be kept from coming by
 * someone who waits for this one.
 */
static void meet(void *arg)
{
	struct quiet *q = arg;
	int turns = 0;

	mb();	/* all loads and stores of before are done */
	if (atomic_inc_return(&q->arrived) == q->cpus) {
		if (atomic_cmpxchg(&q->state, GATHERING, AT_WORK) == GATHERING) {
			words_collect(q);
			atomic_set_release(&q->state, DONE);
		}
		return;
	}
	while (atomic_read(&q->state) == GATHERING) {
		if (turns++ == PATIENCE)
			atomic_cmpxchg(&q->state, GATHERING, GIVEN_UP);
		cpu_relax();
	}
	while (atomic_read_acquire(&q->state) == AT_WORK)
		cpu_relax();
}

/* The counters of @node, in the sets of @which, to memory. */
static void refcnt_node_words(struct refcnt_node *n, u64 paddr,
			      unsigned int which, int node, bool keep)
{
	struct quiet q = {
		.n = n, .paddr = paddr, .which = which, .node = node,
		.keep = keep,
	};
	struct refcnt_node *by = refcnt_nodes[node];
	unsigned long flags;
	int tries;

	mutex_lock(&by->meeting);
	cpus_read_lock();
	cpumask_and(&by->mask, cpumask_of_node(node), cpu_online_mask);
	q.cpus = cpumask_weight(&by->mask);
	for (tries = 0; q.cpus && tries < TRIES; tries++) {
		atomic_set(&q.arrived, 0);
		atomic_set(&q.state, GATHERING);
		on_each_cpu_mask(&by->mask, meet, &q, true);
		if (atomic_read(&q.state) == DONE)
			break;
	}
	cpus_read_unlock();
	mutex_unlock(&by->meeting);
	if (q.cpus && atomic_read(&q.state) == DONE)
		return;
	/* No one to disturb, or no way to have them all stand still. */
	if (q.cpus)
		refcnt_stat(n, STAT_UNQUIET, 1);
	local_irq_save(flags);
	words_collect(&q);
	local_irq_restore(flags);
}

void refcnt_frame_collect(struct refcnt_node *n, u64 paddr, unsigned int level)
{
	unsigned int which = 0, nonzero, i;
	bool keep;
	int node;

	paddr &= PAGE_MASK;
	for (i = 0; i < FRAME_SETS; i++)
		for (node = 0; node < refcnt_nnodes; node++)
			if (refcnt_hardware(n, paddr + i * SN_MDPAGE_SIZE,
					    node) >= level)
				which |= 1 << i;
	if (!which)
		return;
	keep = refcnt_frame_of(n, paddr)->kept;
	for (node = 0; node < refcnt_nnodes; node++) {
		for (i = 0, nonzero = 0; i < FRAME_SETS; i++)
			if (which & 1 << i &&
			    refcnt_hardware(n, paddr + i * SN_MDPAGE_SIZE,
					    node))
				nonzero |= 1 << i;
		if (nonzero)
			refcnt_node_words(n, paddr, nonzero, node, keep);
	}
	refcnt_stat(n, STAT_UPDATES, hweight32(which));
}

/* --- modes --- */

/* Memory for the extended counters of a frame. */
static int frame_memory(struct refcnt_node *n, u64 paddr, gfp_t gfp)
{
	size_t at = refcnt_set_of(n, paddr) * refcnt_set_bytes();
	size_t end = at + FRAME_SETS * refcnt_set_bytes();

	for (; at < end; at = round_down(at, PAGE_SIZE) + PAGE_SIZE)
		if (!refcnt_counter_page(n, at >> PAGE_SHIFT, gfp))
			return -ENOMEM;
	return 0;
}

/* The caller holds the lock. */
static void set_mode(struct refcnt_node *n, u64 paddr, unsigned int mode,
		     bool restart, bool keep)
{
	int node;

	for (node = 0; node < refcnt_nnodes; node++) {
		u64 w = word_read(n, paddr, node), new;

		if (keep && mode == SN_MIG_OFF) {
			word_collect(n, paddr, node, true);
			w &= ~n->count_mask;
		}
		new = SN_SET(w, SN_PROT_MIGMD_SHIFT, SN_PROT_MIGMD_WIDTH, mode);
		if (restart)
			new &= ~n->count_mask;
		if (new != w)
			word_write(n, paddr, node, new);
	}
}

int refcnt_frame_apply(struct refcnt_node *n, u64 paddr, gfp_t gfp)
{
	struct refcnt_frame *f = refcnt_frame_of(n, paddr);
	unsigned int mode = SN_MIG_OFF, was, i;
	unsigned long flags;
	bool counts, first;
	int err = 0;

	paddr &= PAGE_MASK;
	counts = refcnt_counts(n, f);
	if (counts)
		err = frame_memory(n, paddr, gfp);
	spin_lock_irqsave(&n->lock, flags);
	counts = counts && !err;
	if (refcnt_migrates(n, f))
		mode = SN_MIG_IREL;
	else if (counts)
		mode = SN_MIG_IABS;
	was = f->mode;
	for (i = 0; i < FRAME_SETS && (mode != was || counts != f->kept); i++)
		set_mode(n, paddr + i * SN_MDPAGE_SIZE, mode,
			 was == SN_MIG_OFF && mode != SN_MIG_OFF, f->kept);
	f->mode = mode;
	f->kept = counts;
	first = mode != SN_MIG_OFF && !n->active;
	n->active += (mode != SN_MIG_OFF) - (was != SN_MIG_OFF);
	spin_unlock_irqrestore(&n->lock, flags);
	if (first)
		refcnt_migr_awake(n);
	if (err)
		refcnt_stat(n, STAT_UNKEPT, 1);
	return err;
}

/* The space gave the frame a policy. */
static void join(struct refcnt_givers *g, u16 space)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(g->space); i++)
		if (g->space[i] == space)
			return;
	for (i = 0; i < ARRAY_SIZE(g->space); i++)
		if (!g->space[i]) {
			g->space[i] = space;
			return;
		}
	g->more = true;
}

/* It takes it back; is there no one else who gave one? */
static bool leave(struct refcnt_givers *g, u16 space)
{
	bool none = !g->more;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(g->space); i++) {
		if (g->space[i] == space)
			g->space[i] = 0;
		none = none && !g->space[i];
	}
	return none;
}

/* The caller holds the lock. */
static void set_policy(struct refcnt_node *n, struct refcnt_frame *f,
		       struct refcnt_policy new, struct refcnt_givers givers)
{
	if (memcmp(&f->policy, &new, sizeof(new)))
		*f = (struct refcnt_frame) {
			.policy = new, .mode = f->mode, .kept = f->kept,
		};
	f->givers = givers;
	if (new.flags & SN0_POLICY_MIGRATE)
		refcnt_migr_policy(n, f);
}

/* NULL where @paddr is no node's memory with counters; @n: whose. */
static struct refcnt_frame *find_frame(u64 paddr, struct refcnt_node **n)
{
	*n = refcnt_node_of(paddr);
	if (!*n || refcnt_set_of(*n, paddr) < 0)
		return NULL;
	return refcnt_frame_of(*n, paddr);
}

int refcnt_frame_policy(u64 paddr, u16 space, const struct refcnt_policy *p,
			gfp_t gfp)
{
	struct refcnt_node *n;
	struct refcnt_frame *f = find_frame(paddr, &n);
	struct refcnt_givers givers;
	unsigned long flags;

	if (!f)
		return 0;
	spin_lock_irqsave(&n->lock, flags);
	givers = f->givers;
	join(&givers, space);
	set_policy(n, f, *p, givers);
	spin_unlock_irqrestore(&n->lock, flags);
	return refcnt_frame_apply(n, paddr, gfp);
}

int refcnt_frame_leave(u64 paddr, u16 space, bool last, gfp_t gfp)
{
	struct refcnt_node *n;
	struct refcnt_frame *f = find_frame(paddr, &n);
	unsigned long flags;

	if (!f)
		return 0;
	spin_lock_irqsave(&n->lock, flags);
	last |= leave(&f->givers, space);
	if (last)
		set_policy(n, f, refcnt_no_policy, (struct refcnt_givers) { });
	spin_unlock_irqrestore(&n->lock, flags);
	return last ? refcnt_frame_apply(n, paddr, gfp) : 0;
}
