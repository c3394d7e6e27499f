/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two allocators of per-CPU counters (statctr.h) share with the core
 * and with statctr_test.ko.
 */
#ifndef _PCPU_CTR_H
#define _PCPU_CTR_H

#include <linux/gfp_types.h>
#include "statctr.h"

/* Counters of a block: as many as fit a line. */
#define PCPU_CTR_SLOTS	(SMP_CACHE_BYTES / sizeof(unsigned long))

/* What an allocator holds at the moment. */
struct pcpu_ctr_usage {
	unsigned int counters;	/* handed out */
	unsigned int blocks;
	unsigned int lines;	/* cache lines in those blocks */
};

struct pcpu_ctr_ops {
	const char *name;
	int (*start)(void);
	void (*stop)(void);	/* every counter has been freed */
	pcpu_ctr_t *(*alloc)(gfp_t gfp);
	void (*free)(pcpu_ctr_t *ctr);
	void (*usage)(struct pcpu_ctr_usage *usage);
};

extern const struct pcpu_ctr_ops pcpu_ctr_fixed_ops, pcpu_ctr_flex_ops;

/* True when a test asked for this allocation to fail. */
bool pcpu_ctr_must_fail(void);

/*
 * For statctr_test.ko, exported to its namespace STATCTR_TEST only.
 *
 * pcpu_ctr_fail_nth(): the nth allocation from now fails, 0 takes that back;
 * returns what was left of the previous request.
 */
const char *pcpu_ctr_get_usage(struct pcpu_ctr_usage *usage);
unsigned int pcpu_ctr_fail_nth(unsigned int n);

#endif
