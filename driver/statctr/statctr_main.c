// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statctr.ko: scalable statistics counters.  This file starts and ends the
 * parts.  From below:
 *
 *   pcpu_ctr_fail.c                     allocations that fail, for tests
 *   pcpu_ctr_fixed.c, pcpu_ctr_flex.c   memory of per-CPU counters, two ways
 *   pcpu_ctr.c                          per-CPU counters by one of them
 *   statctr_core.c                      statistics counters (statctr.h)
 *
 * Parameter: allocator=fixed (default) or allocator=flexible.
 */
#include <linux/module.h>
#include "pcpu_ctr.h"

static char *allocator;
module_param(allocator, charp, 0444);
MODULE_PARM_DESC(allocator, "memory of the counters: fixed or flexible");

static int __init statctr_module_init(void)
{
	int err = pcpu_ctr_start(allocator);

	if (err == -EINVAL)
		pr_err("statctr: there is no allocator \"%s\" in this build\n",
		       allocator);
	return err;
}

static void __exit statctr_module_exit(void)
{
	pcpu_ctr_stop();
}

module_init(statctr_module_init);
module_exit(statctr_module_exit);
MODULE_DESCRIPTION("Scalable statistics counters");
MODULE_LICENSE("GPL");
