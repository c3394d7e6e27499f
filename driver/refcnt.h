/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside refcnt.ko: reference counters, what is counted, what migrates.
 *
 *   refcnt_sets.c    the counters of a page: hardware's, extended, their mode
 *   refcnt_space.c   address spaces: policies of ranges, /proc/%05d
 *   refcnt_migr.c    the interrupt, migration control, periodic work
 *   refcnt_user.c    pages that a program moves
 *   refcnt_dev.c     /hw/.../refcnt, start and end
 *
 * A frame is a page of the kernel's, 16 KB: four sets of counters.  It has a
 * policy if an address space gave it one, and follows its node's if not:
 *
 *	range's policy --.
 *	                  +--> frame --> mode of its sets' counters:
 *	node's rcb_migr --'              off, absolute (count), relative (move)
 */
#ifndef _REFCNT_H
#define _REFCNT_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <sys/SN/hwcntrs.h>
#include "hub.h"
#include "hwgraph.h"
#include "nstat.h"
#include "regs/md_dir.h"

#define FRAME_SETS	((unsigned int)(PAGE_SIZE / SN_MDPAGE_SIZE))

/* Counted per node. */
enum {
	STAT_INTERRUPTS, STAT_OVERRUNS, STAT_UPDATES, STAT_UNQUIET,
	STAT_UNKEPT, STAT_TO, STAT_FROM, STAT_FROZEN, STAT_NEAR, STAT_DAMPENED,
	STAT_NO_MEMORY, STAT_STUCK, STAT_QUEUED, STAT_LATE, STAT_UNPEGGED,
	STAT_USER_TO, STAT_USER_FROM, STAT_USER_STUCK, STAT_IOCTLS, NSTATS
};

extern struct nstat refcnt_stats;

/* What a range asks for a page; POLICY_NODES: that is the node's to say. */
struct refcnt_policy {
	u8 flags;			/* SN0_POLICY_* */
	u8 threshold, freeze, melt, dampening;	/* percent */
};

#define POLICY_NODES	0xff

#define refcnt_no_policy ((struct refcnt_policy) {			\
	.threshold = POLICY_NODES, .freeze = POLICY_NODES,		\
	.melt = POLICY_NODES, .dampening = POLICY_NODES,		\
})

/* The address spaces that gave a frame a policy, which is the last one's. */
struct refcnt_givers {
	u16 space[2];			/* 0: none */
	bool more;			/* and others, until no one maps it */
};

struct refcnt_frame {
	struct refcnt_policy policy;
	struct refcnt_givers givers;
	u8 mode;			/* of its sets' counters, SN_MIG_OFF ... */
	bool kept;			/* its extended counters have memory */
	bool frozen;
	bool stuck;			/* cannot move: not asked for a while */
	bool queued;			/* to asker, when it can */
	u8 asker;			/* node of the last request */
	u8 asked;			/* its requests, for dampening */
	u8 moves;			/* in this interval */
	u8 quiet;			/* intervals since the last request */
	u32 difference;			/* asker's lead over home, so far */
	u32 page;			/* whose history that is: who_is() */
};

struct refcnt_node {
	int nasid;			/* = cnodeid on this machine */
	vertex_hdl_t dev;
	u32 sets;			/* 4 KB pages, holes of chunked banks included */
	u32 slot_size[SN_BANKS];
	unsigned int count_max;
	u64 count_mask;			/* of a back door word */
	/*
	 * Guards frames, pages, and the back door words of this node, except
	 * that refcnt_node_words() writes what no one else does.
	 */
	spinlock_t lock;
	struct refcnt_frame *frames;	/* by set / FRAME_SETS */
	u32 active;			/* of them, with a mode that interrupts */
	struct page **pages;		/* of the extended counters, NULL until used */
	u32 npages;
	struct mutex meeting;		/* one of its processors' at a time */
	cpumask_t mask;			/* those processors */
	/* how it treats its memory; written under both locks, ctl first */
	struct mutex ctl;
	rcb_migr_t migr;
	/* refcnt_migr.c */
	struct task_struct *thread;
	bool candidate;			/* for the thread to look at */
	bool alone;			/* no processor takes its interrupt */
	unsigned int least;		/* difference that any policy asked for */
	struct delayed_work interval_work, unpeg_work;
};

extern struct refcnt_node *refcnt_nodes[MAX_NUMNODES];
extern int refcnt_nnodes;

static inline void refcnt_stat(struct refcnt_node *n, int what, unsigned long k)
{
	nstat_count(&refcnt_stats, n->nasid, what, k);
}

static inline struct refcnt_node *refcnt_node_of(u64 paddr)
{
	unsigned int nasid = SN_PA_NASID(paddr);

	return nasid < MAX_NUMNODES ? refcnt_nodes[nasid] : NULL;
}

/* --- refcnt_sets.c --- */

static inline size_t refcnt_set_bytes(void)
{
	return refcnt_nnodes * sizeof(refcnt_t);
}

/* Number of the set of a page of memory; -1 where there is none. */
long refcnt_set_of(struct refcnt_node *n, u64 paddr);
/* The other way; @set is below n->sets. */
u64 refcnt_set_paddr(struct refcnt_node *n, u32 set);

struct refcnt_frame *refcnt_frame_of(struct refcnt_node *n, u64 paddr);

/* Page @i of the extended counters, made if need be, or NULL. */
struct page *refcnt_counter_page(struct refcnt_node *n, u32 i, gfp_t gfp);

/* A counter's value, hardware's or extended; the caller holds the lock. */
unsigned int refcnt_hardware(struct refcnt_node *n, u64 paddr, int node);
refcnt_t refcnt_extended(struct refcnt_node *n, u64 paddr, int node);

/*
 * Give the frame at @paddr the mode that its policy and its node's say, with
 * memory for its extended counters by @gfp.  A frame that was not counted
 * starts at 0.  -ENOMEM, 0.  Any context that @gfp allows.
 */
int refcnt_frame_apply(struct refcnt_node *n, u64 paddr, gfp_t gfp);

/*
 * As a range's policy says from now on, in address space @space.  The same one
 * again lets the frame's history be.
 */
int refcnt_frame_policy(u64 paddr, u16 space, const struct refcnt_policy *p,
			gfp_t gfp);
/*
 * The space has no policy for the frame, or does not map it any more.  What no
 * other one gave ends; @last: no other one maps it.
 */
int refcnt_frame_leave(u64 paddr, u16 space, bool last, gfp_t gfp);

/*
 * Move the counts of a frame's sets from hardware to memory, if it has memory
 * for them, and clear them.  Only sets with a count of at least @level.  No
 * count is lost: each node's processors stand still while its counter is read
 * and cleared.  May sleep.
 */
void refcnt_frame_collect(struct refcnt_node *n, u64 paddr, unsigned int level);

/* --- refcnt_space.c --- */

/*
 * The process's physical page behind @addr and the bytes of the page that maps
 * it; 0 where there is none, and then *@next is the address up to which there is
 * none either.  The caller holds mmap_lock or one of the locks under which
 * notifiers are called.
 */
u64 refcnt_walk(struct mm_struct *mm, unsigned long addr, u64 *page_size,
		unsigned long *next);

/* Not in an address space of a program. */
bool refcnt_bad_range(u64 vaddr, u64 len);

int refcnt_space_init(void);
void refcnt_space_exit(void);

/* --- refcnt_migr.c --- */

/* Does the frame migrate; is it counted?  The caller holds the lock. */
bool refcnt_migrates(const struct refcnt_node *n, const struct refcnt_frame *f);
bool refcnt_counts(const struct refcnt_node *n, const struct refcnt_frame *f);

/* The node's new rules.  -EINVAL, -EINTR, -ENOMEM; may sleep. */
int refcnt_migr_set(struct refcnt_node *n, const rcb_migr_t *m);
/* A frame may migrate from now on; the caller holds the lock. */
void refcnt_migr_policy(struct refcnt_node *n, const struct refcnt_frame *f);

/* A frame became the first that is active. */
void refcnt_migr_awake(struct refcnt_node *n);

int refcnt_migr_init(void);
void refcnt_migr_exit(void);
int refcnt_migr_begin(struct refcnt_node *n);
void refcnt_migr_end(struct refcnt_node *n);
void refcnt_interrupt(int nasid);

/* --- refcnt_user.c --- */

/* PIOCMIGRATESN0: how many pages moved, or -EFAULT, -EINVAL, -ENOMEM, -EINTR. */
long refcnt_user_migrate(struct mm_struct *mm, void __user *arg);

#endif
