/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of the guest modules: statctrs (statctr.h), grouped by node and
 * module, that anyone can read.
 *
 *   /hw/nodenum/N/stat   "MODULE: NAME: VALUE", a line a counter
 *   /hw/stat             "MODULE: NAME: TOTAL = NODE0 NODE1 ..."
 *
 *   nstat_add()  nstat_remove()  nstat_count()
 *
 * A module has one group a node, all with the same names.  Both calls may
 * sleep; nstat_count() is for any context.
 */
#ifndef _NSTAT_H
#define _NSTAT_H

#include <linux/list.h>
#include <linux/numa.h>
#include "statctr.h"

struct nstat {
	const char *module;
	const char *const *names;	/* what each counter counts */
	int n;
	statctr_t *ctr[MAX_NUMNODES];	/* n of them; NULL: no such node */
	struct list_head list;		/* nstat.c's */
};

/* Prepare @s->n counters for every node, all 0, and show them.  -ENOMEM */
int nstat_add(struct nstat *s);

/* Take them away; no one counts any more. */
void nstat_remove(struct nstat *s);

static inline void nstat_count(struct nstat *s, int node, int i,
			       unsigned long n)
{
	statctr_add(&s->ctr[node][i], n);
}

#endif
