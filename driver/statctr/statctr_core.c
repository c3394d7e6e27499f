// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scalable statistics counters on per-CPU counters.  statctr.h has the interface
 * and what it promises; pcpu_ctr.c has the per-CPU counters.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include "pcpu_ctr.h"

/* Versions are updated as local_t (statctr_add). */
static_assert(sizeof(local_t) == sizeof(unsigned long));

int statctr_init(statctr_t *stctr, unsigned long value)
{
	stctr->ctr = pcpu_ctr_alloc((__force int)GFP_KERNEL);
	stctr->origin = value;
	return stctr->ctr ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_GPL(statctr_init);

int statctr_ninit(statctr_t *stctr, int count, unsigned long value)
{
	int i, err;

	for (i = 0; i < count; i++) {
		err = statctr_init(&stctr[i], value);
		if (err) {
			statctr_ncleanup(stctr, i);
			return err;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(statctr_ninit);

void statctr_cleanup(statctr_t *stctr)
{
	stctr->ctr = pcpu_ctr_free(stctr->ctr);
}
EXPORT_SYMBOL_GPL(statctr_cleanup);

void statctr_ncleanup(statctr_t *stctr, int count)
{
	while (count-- > 0)
		statctr_cleanup(&stctr[count]);
}
EXPORT_SYMBOL_GPL(statctr_ncleanup);

/* The sum of all CPUs' versions, also of CPUs that are offline now. */
static unsigned long statctr_sum(statctr_t *stctr)
{
	unsigned long sum = 0, *version;
	int cpu;

	for_each_possible_cpu(cpu) {
		version = PCPU_CTR(stctr->ctr, cpu);
		if (version)
			sum += READ_ONCE(*version);
	}
	return sum;
}

unsigned long statctr_read(statctr_t *stctr)
{
	return READ_ONCE(stctr->origin) + statctr_sum(stctr);
}
EXPORT_SYMBOL_GPL(statctr_read);

void statctr_set(statctr_t *stctr, unsigned long i)
{
	WRITE_ONCE(stctr->origin, i - statctr_sum(stctr));
}
EXPORT_SYMBOL_GPL(statctr_set);
