// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Per-CPU counters: which allocator has them.  pcpu_ctr.h has the interface.
 *
 * Left out: the memory, which is in pcpu_ctr_fixed.c and pcpu_ctr_flex.c.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/string.h>
#include "pcpu_ctr.h"

/* The allocators of this build; the first is the default. */
static const struct pcpu_ctr_ops *const choices[] = {
#ifndef STATCTR_FLEXIBLE
	&pcpu_ctr_fixed_ops,
#endif
#ifndef STATCTR_FIXED
	&pcpu_ctr_flex_ops,
#endif
};

/* The chosen one; set when the module starts. */
static const struct pcpu_ctr_ops *ops;

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

/* --- start and end --- */

int pcpu_ctr_start(const char *allocator)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(choices) && !ops; i++)
		if (!allocator || !strcmp(allocator, choices[i]->name))
			ops = choices[i];
	if (!ops)
		return -EINVAL;
	err = ops->start();
	if (!err && ops == &pcpu_ctr_flex_ops)
		static_branch_enable(&pcpu_ctr_flexible);
	return err;
}

void pcpu_ctr_stop(void)
{
	struct pcpu_ctr_usage usage;

	ops->usage(&usage);
	WARN_ON(usage.counters || usage.blocks || usage.lines);
	ops->stop();
}

/* --- for tests --- */

const char *pcpu_ctr_get_usage(struct pcpu_ctr_usage *usage)
{
	ops->usage(usage);
	return ops->name;
}
EXPORT_SYMBOL_NS_GPL(pcpu_ctr_get_usage, STATCTR_TEST);
