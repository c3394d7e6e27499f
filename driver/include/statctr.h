/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics counters that cost the same on 1 and on 128 CPUs.
 *
 * A statctr_t counts events whose total is read rarely: packets, interrupts,
 * ioctls.  Each CPU adds to a version of its own in a cache line of its own,
 * so no line moves between CPUs; statctr_read() sums.  On a uniprocessor
 * kernel a statctr_t is an unsigned long and every call is one plain
 * operation or nothing.
 *
 *   statctr_init()  statctr_ninit()         prepare one counter, an array
 *   statctr_cleanup()  statctr_ncleanup()   give them back
 *   statctr_inc() _dec() _add() _sub()      update, any context
 *   statctr_read()  statctr_set()           total, new value
 *
 * The versions of different counters share the lines of a block:
 *
 *                CPU 0           CPU 1             CPU n-1
 *            +-----------+   +-----------+       +-----------+
 *            | counter 0 |   | counter 0 |       | counter 0 |   one line
 *            | counter 1 |   | counter 1 |  ...  | counter 1 |   of 128
 *            |    ...    |   |    ...    |       |    ...    |   bytes each
 *            | counter 15|   | counter 15|       | counter 15|
 *            +-----------+   +-----------+       +-----------+
 *
 * Two allocators provide blocks (pcpu_ctr_alloc(), pcpu_ctr_free(),
 * PCPU_CTR()):
 *   fixed     one stretch of memory with a line for each CPU that is possible
 *             when the counter is made, all on one node.  The address of a
 *             CPU's version is computed.
 *   flexible  a line for each CPU that has been online, on the CPU's node.
 *             The counter has an array of pointers to the versions.  CPUs may
 *             come and go, and their numbers may have gaps.
 * The choice is statctr.ko's parameter "allocator", or is made at build time
 * by STATCTR_FIXED or STATCTR_FLEXIBLE for the module and all its users.
 *
 * Concurrency.  Updates take no lock and touch only the running CPU's line.
 * They use the CPU's load-linked/store-conditional pair, so that an interrupt
 * handler may update a counter whose update it interrupts.  A preemptible
 * kernel keeps the task on its CPU meanwhile (get_cpu(), nothing without
 * CONFIG_PREEMPTION).  The __ forms are a plain load, add and store, for
 * counters that only one context of a CPU ever updates; the caller keeps
 * preemption off.  statctr_read() sums while others count: the sum contains
 * every update that was complete when it began, and perhaps some later ones.
 * statctr_set() never writes to another CPU's version but moves the origin of
 * the sum, so it cannot lose an update; the caller must serialise setters.
 *
 * Source: D. Sarma, R. G. Thirumalai, P. E. McKenney, "Scalable Statistics
 * Counters"; the origin in statctr_t and the two forms of update are ours.
 */
#ifndef _STATCTR_H
#define _STATCTR_H

#include <linux/types.h>

#ifdef CONFIG_SMP

#include <linux/cache.h>
#include <linux/jump_label.h>
#include <linux/smp.h>
#include <asm/local.h>

/* One per-CPU counter.  It points to data of the allocator. */
struct pcpu_ctr;
typedef struct pcpu_ctr pcpu_ctr_t;

typedef struct statctr {
	pcpu_ctr_t *ctr;
	unsigned long origin; /* added to the sum of the versions */
} statctr_t;

/*
 * A flexible counter: the addresses of the versions, NULL for CPUs that have
 * never been online.  The addresses begin in the second line.  The first line,
 * at the start of a page, falls into the same set of the two-way primary cache
 * as thread_info and the version itself, and every update needs all three.
 */
struct pcpu_ctr_flex {
	struct pcpu_ctr_block *blkp;
	void *arr[] ____cacheline_aligned;
};

DECLARE_STATIC_KEY_FALSE(pcpu_ctr_flexible);

/*
 * A counter whose versions are all 0, or NULL.  @flag: GFP flags; GFP_ATOMIC
 * works in any context.  pcpu_ctr_free() accepts NULL, and returns NULL.
 */
pcpu_ctr_t *pcpu_ctr_alloc(int flag);
pcpu_ctr_t *pcpu_ctr_free(pcpu_ctr_t *ctr);

static inline unsigned long *pcpu_ctr_fixed_ptr(pcpu_ctr_t *ctr, int cpu)
{
	return (void *)ctr + (size_t)cpu * SMP_CACHE_BYTES;
}

static inline unsigned long *pcpu_ctr_flex_ptr(pcpu_ctr_t *ctr, int cpu)
{
	return ((struct pcpu_ctr_flex *)ctr)->arr[cpu];
}

/* @cpu's own version; NULL if a flexible counter has none for it. */
static inline unsigned long *PCPU_CTR(pcpu_ctr_t *ctr, int cpu)
{
#if defined(STATCTR_FIXED)
	return pcpu_ctr_fixed_ptr(ctr, cpu);
#elif defined(STATCTR_FLEXIBLE)
	return pcpu_ctr_flex_ptr(ctr, cpu);
#else
	if (static_branch_unlikely(&pcpu_ctr_flexible))
		return pcpu_ctr_flex_ptr(ctr, cpu);
	return pcpu_ctr_fixed_ptr(ctr, cpu);
#endif
}

/*
 * Prepare a counter, or @count of them, with @value.  May sleep.  Returns 0 or
 * -ENOMEM; after an error nothing needs to be cleaned up.
 */
int statctr_init(statctr_t *stctr, unsigned long value);
int statctr_ninit(statctr_t *stctr, int count, unsigned long value);

/* No one may update or read the counters any more. */
void statctr_cleanup(statctr_t *stctr);
void statctr_ncleanup(statctr_t *stctr, int count);

unsigned long statctr_read(statctr_t *stctr);
void statctr_set(statctr_t *stctr, unsigned long i);

static inline void statctr_add(statctr_t *stctr, unsigned long addend)
{
	local_add(addend, (local_t *)PCPU_CTR(stctr->ctr, get_cpu()));
	put_cpu();
}

static inline void statctr_sub(statctr_t *stctr, unsigned long subtrahend)
{
	statctr_add(stctr, -subtrahend);
}

static inline void __statctr_add(statctr_t *stctr, unsigned long addend)
{
	*PCPU_CTR(stctr->ctr, smp_processor_id()) += addend;
}

#else /* !CONFIG_SMP */

typedef unsigned long statctr_t;

static inline int statctr_init(statctr_t *stctr, unsigned long value)
{
	*stctr = value;
	return 0;
}

static inline int statctr_ninit(statctr_t *stctr, int count,
				unsigned long value)
{
	int i;

	for (i = 0; i < count; i++)
		stctr[i] = value;
	return 0;
}

static inline void statctr_cleanup(statctr_t *stctr)
{
}

static inline void statctr_ncleanup(statctr_t *stctr, int count)
{
}

static inline unsigned long statctr_read(statctr_t *stctr)
{
	return *stctr;
}

static inline void statctr_set(statctr_t *stctr, unsigned long i)
{
	*stctr = i;
}

static inline void statctr_add(statctr_t *stctr, unsigned long addend)
{
	*stctr += addend;
}

static inline void statctr_sub(statctr_t *stctr, unsigned long subtrahend)
{
	*stctr -= subtrahend;
}

static inline void __statctr_add(statctr_t *stctr, unsigned long addend)
{
	*stctr += addend;
}

#endif /* CONFIG_SMP */

static inline void statctr_inc(statctr_t *stctr)
{
	statctr_add(stctr, 1);
}

static inline void statctr_dec(statctr_t *stctr)
{
	statctr_sub(stctr, 1);
}

static inline void __statctr_inc(statctr_t *stctr)
{
	__statctr_add(stctr, 1);
}

#endif /* _STATCTR_H */
