/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside statctr.ko: per-CPU counters (statctr.h has what users call), and what
 * statctr_test.ko looks at.
 *
 *   pcpu_ctr_start()  pcpu_ctr_stop()            for statctr_main.c
 *   struct pcpu_ctr_ops                          an allocator
 *   pcpu_ctr_must_fail()                         for allocators
 *   pcpu_ctr_get_usage()  pcpu_ctr_fail_nth()    for tests
 */
#ifndef _PCPU_CTR_H
#define _PCPU_CTR_H

#include <linux/gfp_types.h>
#include "statctr.h"

/* Counters of a block: as many as fit into a line. */
#define PCPU_CTR_SLOTS (SMP_CACHE_BYTES / sizeof(unsigned long))

/* What an allocator holds at the moment. */
struct pcpu_ctr_usage {
	unsigned int counters; /* handed out */
	unsigned int blocks;
	unsigned int lines; /* cache lines in those blocks */
};

/* An allocator.  alloc and free are called in any context that @gfp allows. */
struct pcpu_ctr_ops {
	const char *name;
	int (*start)(void);		 /* -ENOMEM */
	void (*stop)(void);		 /* every counter has been freed */
	pcpu_ctr_t *(*alloc)(gfp_t gfp); /* all versions 0; NULL: no memory */
	void (*free)(pcpu_ctr_t *ctr);
	void (*usage)(struct pcpu_ctr_usage *usage);
};

extern const struct pcpu_ctr_ops pcpu_ctr_fixed_ops, pcpu_ctr_flex_ops;

/* With this allocator, NULL: the default.  -EINVAL: there is none; -ENOMEM */
int pcpu_ctr_start(const char *allocator);
void pcpu_ctr_stop(void);

/* A test wants this allocation to fail. */
bool pcpu_ctr_must_fail(void);

/*
 * For statctr_test.ko, exported to its namespace STATCTR_TEST only.
 *
 * pcpu_ctr_get_usage() returns the allocator's name.  pcpu_ctr_fail_nth(): the
 * nth allocation from now fails; 0 takes that back.  It returns how much of the
 * previous request was left.
 */
const char *pcpu_ctr_get_usage(struct pcpu_ctr_usage *usage);
unsigned int pcpu_ctr_fail_nth(unsigned int n);

#endif
