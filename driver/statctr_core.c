// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statctr.ko: scalable statistics counters.  See statctr.h for the interface
 * and what it promises; pcpu_ctr_fixed.c and pcpu_ctr_flex.c for the memory.
 *
 * Parameter: allocator=fixed (default) or allocator=flexible.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/string.h>
#include "pcpu_ctr.h"

/* Versions are updated as local_t (statctr_add). */
static_assert(sizeof(local_t) == sizeof(unsigned long));

/* The allocators of this build; the first is the default. */
static const struct pcpu_ctr_ops *const choices[] = {
#ifndef STATCTR_FLEXIBLE
	&pcpu_ctr_fixed_ops,
#endif
#ifndef STATCTR_FIXED
	&pcpu_ctr_flex_ops,
#endif
};

static const struct pcpu_ctr_ops *ops;

static char *allocator;
module_param(allocator, charp, 0444);
MODULE_PARM_DESC(allocator, "memory of the counters: fixed or flexible");

DEFINE_STATIC_KEY_FALSE(pcpu_ctr_flexible);
EXPORT_SYMBOL_GPL(pcpu_ctr_flexible);

pcpu_ctr_t *pcpu_ctr_alloc(int flag)
{
	return ops->alloc((__force gfp_t)flag);
}
EXPORT_SYMBOL_GPL(pcpu_ctr_alloc);

pcpu_ctr_t *pcpu_ctr_free(pcpu_ctr_t *ctr)
{
	if (ctr)
		ops->free(ctr);
	return NULL;
}
EXPORT_SYMBOL_GPL(pcpu_ctr_free);

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

/* Sum of the versions of all CPUs, those that are offline now included. */
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

/* --- for tests --- */

const char *pcpu_ctr_get_usage(struct pcpu_ctr_usage *usage)
{
	ops->usage(usage);
	return ops->name;
}
EXPORT_SYMBOL_NS_GPL(pcpu_ctr_get_usage, STATCTR_TEST);

static atomic_t fail_countdown;

bool pcpu_ctr_must_fail(void)
{
	return atomic_read(&fail_countdown) > 0 &&
	       atomic_dec_and_test(&fail_countdown);
}

unsigned int pcpu_ctr_fail_nth(unsigned int n)
{
	int left = atomic_xchg(&fail_countdown, n);

	return left > 0 ? left : 0;
}
EXPORT_SYMBOL_NS_GPL(pcpu_ctr_fail_nth, STATCTR_TEST);

static int __init statctr_module_init(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(choices) && !ops; i++)
		if (!allocator || !strcmp(allocator, choices[i]->name))
			ops = choices[i];
	if (!ops) {
		pr_err("statctr: there is no allocator \"%s\" in this build\n",
		       allocator);
		return -EINVAL;
	}
	err = ops->start();
	if (!err && ops == &pcpu_ctr_flex_ops)
		static_branch_enable(&pcpu_ctr_flexible);
	return err;
}

static void __exit statctr_module_exit(void)
{
	struct pcpu_ctr_usage usage;

	ops->usage(&usage);
	WARN_ON(usage.counters || usage.blocks || usage.lines);
	ops->stop();
}

module_init(statctr_module_init);
module_exit(statctr_module_exit);
MODULE_DESCRIPTION("Scalable statistics counters");
MODULE_LICENSE("GPL");
