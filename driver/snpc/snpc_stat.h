/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What snpc.ko counts, at the node where it happens: /hw/nodenum/N/stat.
 */
#ifndef _SNPC_STAT_H
#define _SNPC_STAT_H

enum {
	SNPC_STAT_VECTOR,
	SNPC_STAT_NO_ANSWER,
	SNPC_STAT_READINGS,
	SNPC_STAT_OWNERS,
	SNPC_STAT_BUSY,
	SNPC_NSTATS
};

/* -ENOMEM */
int snpc_stat_init(void);
void snpc_stat_exit(void);

/* Any context. */
void snpc_count(int stat);

#endif
