/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of the guest modules: statctrs (statctr.h), grouped by module and
 * node.  Anyone can read them:
 *
 *   /hw/nodenum/N/stat   "MODULE: NAME: VALUE", one line for each counter
 *   /hw/stat             "MODULE: NAME: TOTAL = NODE0 NODE1 ..."
 *
 *   nstat_add()  nstat_remove()         may sleep
 *   nstat_count()                       any context
 *   nstat_show_node()  nstat_show_all() for the two devices; may sleep
 */
#ifndef _NSTAT_H
#define _NSTAT_H

#include <linux/list.h>
#include <linux/numa.h>
#include "statctr.h"

struct seq_file;

/*
 * The counters of one module: for each node an array with the same names.  The
 * module owns the struct; nstat_add() allocates the arrays and nstat_remove()
 * frees them.  Nothing but the counters changes in between.
 */
struct nstat {
	const char *module;
	const char *const *names;     /* what each counter counts */
	int n;			      /* counters of a node */
	statctr_t *ctr[MAX_NUMNODES]; /* n of them; NULL: no such node */
	struct list_head list;	      /* nstat.c's, guarded by its lock */
};

/* Allocate @s->n counters for every node, all 0, and show them.  -ENOMEM */
int nstat_add(struct nstat *s);

/* Free them.  The module counts no more. */
void nstat_remove(struct nstat *s);

/* Write the text of a device; @node is online. */
void nstat_show_node(struct seq_file *m, int node);
void nstat_show_all(struct seq_file *m);

static inline void nstat_count(struct nstat *s, int node, int i,
			       unsigned long n)
{
	statctr_add(&s->ctr[node][i], n);
}

#endif
