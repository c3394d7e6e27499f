// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics groups of the modules.  nstat.h has the interface for modules and
 * for nstat_dev.c, which shows the groups at /hw.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "nstat.h"

/* Guards the list, and keeps the counters of listed groups from being freed. */
static DEFINE_MUTEX(nstat_lock);
static LIST_HEAD(nstats);

static void counters_free(struct nstat *s)
{
	int node;

	for_each_online_node(node) {
		if (!s->ctr[node])
			continue;
		statctr_ncleanup(s->ctr[node], s->n);
		kfree(s->ctr[node]);
		s->ctr[node] = NULL;
	}
}

static statctr_t *counters_new(int n)
{
	statctr_t *ctr = kcalloc(n, sizeof(*ctr), GFP_KERNEL);

	if (ctr && statctr_ninit(ctr, n, 0)) {
		kfree(ctr);
		ctr = NULL;
	}
	return ctr;
}

int nstat_add(struct nstat *s)
{
	int node;

	for_each_online_node(node) {
		s->ctr[node] = counters_new(s->n);
		if (!s->ctr[node]) {
			counters_free(s);
			return -ENOMEM;
		}
	}
	mutex_lock(&nstat_lock);
	list_add_tail(&s->list, &nstats);
	mutex_unlock(&nstat_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(nstat_add);

void nstat_remove(struct nstat *s)
{
	mutex_lock(&nstat_lock);
	list_del(&s->list);
	mutex_unlock(&nstat_lock);
	counters_free(s);
}
EXPORT_SYMBOL_GPL(nstat_remove);

/* --- what the devices show --- */

void nstat_show_node(struct seq_file *m, int node)
{
	struct nstat *s;
	int i;

	mutex_lock(&nstat_lock);
	list_for_each_entry(s, &nstats, list)
		for (i = 0; i < s->n && s->ctr[node]; i++)
			seq_printf(m, "%s: %s: %lu\n", s->module, s->names[i],
				   statctr_read(&s->ctr[node][i]));
	mutex_unlock(&nstat_lock);
}

static void show_counter(struct nstat *s, int i, struct seq_file *m)
{
	unsigned long total = 0;
	int node;

	for_each_online_node(node)
		total += statctr_read(&s->ctr[node][i]);
	seq_printf(m, "%s: %s: %lu =", s->module, s->names[i], total);
	for_each_online_node(node)
		seq_printf(m, " %lu", statctr_read(&s->ctr[node][i]));
	seq_putc(m, '\n');
}

void nstat_show_all(struct seq_file *m)
{
	struct nstat *s;
	int i;

	mutex_lock(&nstat_lock);
	list_for_each_entry(s, &nstats, list)
		for (i = 0; i < s->n; i++)
			show_counter(s, i, m);
	mutex_unlock(&nstat_lock);
}
