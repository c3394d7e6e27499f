// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What snpc.ko counts.  snpc_stat.h has the interface.
 */
#include <linux/topology.h>
#include "nstat.h"
#include "snpc_stat.h"

static const char *const stat_names[SNPC_NSTATS] = {
	[SNPC_STAT_VECTOR] = "vector operations",
	[SNPC_STAT_NO_ANSWER] = "vector operations without answer",
	[SNPC_STAT_READINGS] = "histogram readings",
	[SNPC_STAT_OWNERS] = "owners",
	[SNPC_STAT_BUSY] = "refused: in use",
};

static struct nstat stats = {
	.module = "snpc",
	.names = stat_names,
	.n = SNPC_NSTATS,
};

void snpc_count(int stat)
{
	nstat_count(&stats, numa_node_id(), stat, 1);
}

int snpc_stat_init(void)
{
	return nstat_add(&stats);
}

void snpc_stat_exit(void)
{
	nstat_remove(&stats);
}
