/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes: their memory as sets and frames, and what refcnt.ko counts of itself.
 * All files of the module use this header.
 *
 *   refcnt_nodes[]  refcnt_nnodes            the nodes, by nasid
 *   refcnt_node_new()  refcnt_node_free()    for refcnt_main.c
 *   refcnt_node_of()                         address -> node
 *   refcnt_set_of()  refcnt_set_paddr()      address <-> set
 *   refcnt_frame_of()                        address -> frame, if it was needed
 *   refcnt_frame_at()                        number -> frame, the same
 *   refcnt_frame_make()                      from now on it is there
 *   refcnt_wake()                            the node's thread
 *   refcnt_stat()                            count
 */
#ifndef _REFCNT_NODE_H
#define _REFCNT_NODE_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <asm/sn/types.h> /* vertex_hdl_t */
#include "nstat.h"
#include "refcnt_policy.h"
#include "regs/addr.h"
#include "regs/md_dir.h"

#define FRAME_SETS ((unsigned int)(PAGE_SIZE / SN_MDPAGE_SIZE))

/* Frames that are made together: 8 MB of memory, 16 KB of frames. */
#define FRAME_BLOCK 512u

/* What a node counts; refcnt_node.c has the names. */
enum {
	STAT_INTERRUPTS,
	STAT_OVERRUNS,
	STAT_UPDATES,
	STAT_UNQUIET,
	STAT_UNKEPT,
	STAT_ALLOCATED,
	STAT_FREED,
	STAT_TO,
	STAT_FROM,
	STAT_FROZEN,
	STAT_NEAR,
	STAT_DAMPENED,
	STAT_NO_MEMORY,
	STAT_STUCK,
	STAT_QUEUED,
	STAT_LATE,
	STAT_UNPEGGED,
	STAT_USER_TO,
	STAT_USER_FROM,
	STAT_USER_STUCK,
	STAT_IOCTLS,
	NSTATS
};

extern struct nstat refcnt_stats;

/* A page of extended counters; refcnt_mem.c says what it is needed for. */
struct refcnt_page {
	struct page *page; /* NULL: there is none */
	u16 frames;	   /* that need it */
	bool seen;
};

/* refcnt_main.c makes it when the module starts and frees it at its end. */
struct refcnt_node {
	/* These never change. */
	int nasid;		      /* = cnodeid on this machine */
	u32 sets;		      /* with the holes of chunked banks */
	u32 slot_size[SN_BANKS];      /* bytes that a bank spans */
	u64 count_mask;		      /* of a back door word */
	u32 npages;		      /* entries of pages[] */
	struct refcnt_frame **frames; /* by frame / FRAME_BLOCK; below */
	struct refcnt_page *pages;    /* of the extended counters */

	/*
	 * Guards what frames[] and pages[] hold, rules, ending, active, least,
	 * views, and the node's back door words.  Taken in any context.  Two
	 * nodes' locks are never held together.
	 */
	spinlock_t lock;
	struct refcnt_rules rules; /* changed with ctl held, too */
	bool ending;		   /* no timer begins any more */
	u32 active;		   /* frames whose mode interrupts */
	unsigned int least;	   /* lead that any policy asked for */
	unsigned int views;	   /* mappings of the device */

	/*
	 * Held by whoever changes the rules, until all frames follow them.
	 * Taken before lock.
	 */
	struct mutex ctl;

	/* refcnt_sets.c: held for a meeting of the node's processors. */
	struct mutex meeting;
	cpumask_t mask; /* those that meet */

	/* refcnt_irq.c: written by single stores, read by READ_ONCE(). */
	struct task_struct *thread; /* NULL before begin and after end */
	bool candidate;		    /* the thread is to look at the Hub */
	bool alone;		    /* no processor takes the interrupt */

	/* refcnt_migr.c: run by system_wq; queued with lock held. */
	struct delayed_work interval_work, unpeg_work;
	/* refcnt_mem.c: likewise. */
	struct delayed_work trim_work;

	vertex_hdl_t dev; /* refcnt_dev.c: 0 before begin and after end */
};

/* By nasid; NULL where there is no node.  Set when the module starts. */
extern struct refcnt_node *refcnt_nodes[MAX_NUMNODES];
extern int refcnt_nnodes;

/* A node with its tables, in refcnt_nodes[] already; NULL: -ENOMEM. */
struct refcnt_node *refcnt_node_new(int nasid);
void refcnt_node_free(struct refcnt_node *n);

static inline void refcnt_stat(struct refcnt_node *n, int what, unsigned long k)
{
	nstat_count(&refcnt_stats, n->nasid, what, k);
}

static inline struct refcnt_node *refcnt_node_of(u64 paddr)
{
	unsigned int nasid = SN_PA_NASID(paddr);

	return nasid < MAX_NUMNODES ? refcnt_nodes[nasid] : NULL;
}

/* Number of the set of a page of memory; -1: there is no memory. */
long refcnt_set_of(const struct refcnt_node *n, u64 paddr);
/* The address of set @set, which is below n->sets. */
u64 refcnt_set_paddr(const struct refcnt_node *n, u32 set);

/*
 * The @i-th frame of the node; i = set / FRAME_SETS.  NULL: no frame of its block
 * was needed yet, so it has no policy, its counters are off and nothing happened
 * to it.  It stays where it is until the module ends.  Any context.
 */
struct refcnt_frame *refcnt_frame_at(const struct refcnt_node *n, u32 i);

/* The frame of an address that has a set; or NULL. */
struct refcnt_frame *refcnt_frame_of(const struct refcnt_node *n, u64 paddr);

/* The same; it is made if it is not there.  NULL: no memory.  Not with a lock held. */
struct refcnt_frame *refcnt_frame_make(struct refcnt_node *n, u64 paddr,
				       gfp_t gfp);

/*
 * Wake the thread of a node without processors, which then looks by time.  Any
 * context.
 */
void refcnt_wake(struct refcnt_node *n);

#endif
