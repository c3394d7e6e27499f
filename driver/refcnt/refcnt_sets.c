// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counters of a frame.  refcnt_sets.h has the interface.
 *
 * The Hub counts every read request that reaches a 4 KB page, by the node that
 * sent it, in 11 or 19 bits.  A counter stops at its maximum.  For each of them
 * there is an extended counter, a 64-bit word in memory:
 *
 *   back door, page p:   | prot, mode, count of node 0 | node 1 | ...
 *   memory, set p:       | extended counter of node 0  | node 1 | ...
 *
 * The hardware cannot read a count and clear it in one operation, and a count
 * that arrives in between would be lost.  Only processors of the counter's node
 * add to the counter.  So refcnt_node_words() calls them together, and one of
 * them reads and clears the counter while the others wait.  Devices that read
 * memory meanwhile are not stopped.
 *
 * refcnt_mem.c has the memory.
 *
 * Left out: more than 64 nodes, where the hardware has a counter for eight.
 * Sources: refcnt(5), thesis 3.2.2, hubmd.h.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include "hub.h"
#include "refcnt_mem.h"
#include "refcnt_sets.h"

/* A processor that waits for the others gives up after so many turns, 100 us. */
#define PATIENCE 5000
/* Meetings that are tried before the counter is read without one. */
#define TRIES 10

/* The back door word with the count of @node. */
static void __iomem *word(const struct refcnt_node *n, u64 paddr, int node)
{
	return hub_backdoor(n->nasid, sn_bdprt(SN_PA_OFFSET(paddr), node));
}

static u64 word_read(const struct refcnt_node *n, u64 paddr, int node)
{
	return __raw_readq(word(n, paddr, node));
}

static void word_write(struct refcnt_node *n, u64 paddr, int node, u64 w)
{
	__raw_writeq(w, word(n, paddr, node));
}

static unsigned int count_of(const struct refcnt_node *n, u64 w)
{
	return (w & n->count_mask) >> SN_PROT_REFCNT_SHIFT;
}

unsigned int refcnt_hardware(const struct refcnt_node *n, u64 paddr, int node)
{
	return count_of(n, word_read(n, paddr, node));
}

refcnt_t refcnt_extended(const struct refcnt_node *n, u64 paddr, int node)
{
	refcnt_t *c = refcnt_counter(n, refcnt_set_of(n, paddr), node);

	return c ? *c : 0;
}

/* --- collecting --- */

/* Move one counter to memory and clear it; the caller holds the lock. */
static void word_collect(struct refcnt_node *n, u64 paddr, int node, bool keep)
{
	u64 w = word_read(n, paddr, node);
	refcnt_t *c;

	if (!count_of(n, w))
		return;
	word_write(n, paddr, node, w & ~n->count_mask);
	c = keep ? refcnt_counter(n, refcnt_set_of(n, paddr), node) : NULL;
	if (c)
		*c += count_of(n, w);
}

/*
 * A meeting of a node's processors:
 *
 *   GATHERING --the last one comes--> AT_WORK --counters collected--> DONE
 *       |
 *       +-----one waited too long---> GIVEN_UP
 */
enum { GATHERING, AT_WORK, GIVEN_UP, DONE };

/* It lives on the stack of the caller, who waits for all processors to leave. */
struct quiet {
	struct refcnt_node *n; /* whose memory */
	u64 paddr;	       /* of the frame */
	unsigned int which;    /* bit i: its i-th set */
	int node;	       /* whose counters and processors */
	int cpus;	       /* processors that meet */
	atomic_t arrived, state;
};

/* Interrupts are off. */
static void words_collect(struct quiet *q)
{
	struct refcnt_frame *f = refcnt_frame_of(q->n, q->paddr);
	unsigned int i;
	bool keep;

	spin_lock(&q->n->lock);
	keep = f && f->kept;
	for (i = 0; i < FRAME_SETS; i++)
		if (q->which & 1 << i)
			word_collect(q->n, q->paddr + i * SN_MDPAGE_SIZE,
				     q->node, keep);
	/* This read returns after the writes have arrived. */
	word_read(q->n, q->paddr, q->node);
	spin_unlock(&q->n->lock);
}

/*
 * Runs on each processor of the node, interrupts off.  The last one to come
 * does the work.  The wait has a limit, because what keeps another processor
 * from coming may itself be waiting for this one.
 */
static void meet(void *arg)
{
	struct quiet *q = arg;
	int turns = 0;

	mb(); /* this processor's earlier loads and stores are done */
	if (atomic_inc_return(&q->arrived) == q->cpus) {
		if (atomic_cmpxchg(&q->state, GATHERING, AT_WORK) ==
		    GATHERING) {
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

/* Move the counters of @node in the sets of @which to memory. */
static void refcnt_node_words(struct refcnt_node *n, u64 paddr,
			      unsigned int which, int node)
{
	struct quiet q = {
		.n = n,
		.paddr = paddr,
		.which = which,
		.node = node,
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
	/* The node has no processor, or they could not all be stopped. */
	if (q.cpus)
		refcnt_stat(n, STAT_UNQUIET, 1);
	local_irq_save(flags);
	words_collect(&q);
	local_irq_restore(flags);
}

/* Which sets of the frame have a count of @node of at least @level: bits. */
static unsigned int sets_with(struct refcnt_node *n, u64 paddr, int node,
			      unsigned int level)
{
	unsigned int which = 0, i;

	for (i = 0; i < FRAME_SETS; i++, paddr += SN_MDPAGE_SIZE)
		if (refcnt_hardware(n, paddr, node) >= level)
			which |= 1 << i;
	return which;
}

void refcnt_collect(struct refcnt_node *n, u64 paddr, unsigned int level)
{
	unsigned int which = 0, nonzero;
	int node;

	paddr &= PAGE_MASK;
	for (node = 0; node < refcnt_nnodes; node++)
		which |= sets_with(n, paddr, node, level);
	if (!which)
		return;
	for (node = 0; node < refcnt_nnodes; node++) {
		nonzero = which & sets_with(n, paddr, node, 1);
		if (nonzero)
			refcnt_node_words(n, paddr, nonzero, node);
	}
	refcnt_stat(n, STAT_UPDATES, hweight32(which));
}

/* --- modes --- */

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

void refcnt_set_mode(struct refcnt_node *n, u64 paddr, unsigned int mode,
		     bool restart, bool keep)
{
	unsigned int i;

	for (i = 0; i < FRAME_SETS; i++)
		set_mode(n, paddr + i * SN_MDPAGE_SIZE, mode, restart, keep);
}
