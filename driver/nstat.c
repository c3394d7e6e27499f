// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwgfs.ko: the modules' statistics under /hw.  See nstat.h.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "hwg.h"
#include "nstat.h"

/* Guards the list and, against removal, the counters of those on it. */
static DEFINE_MUTEX(nstat_lock);
static LIST_HEAD(nstats);

static vertex_hdl_t node_dev[MAX_NUMNODES], all_dev;

static int node_show(vertex_hdl_t dev, struct seq_file *m)
{
	int node = (long)device_info_get(dev) - 1, i;
	struct nstat *s;

	if (node < 0)
		return -ENODEV;
	mutex_lock(&nstat_lock);
	list_for_each_entry(s, &nstats, list)
		for (i = 0; i < s->n && s->ctr[node]; i++)
			seq_printf(m, "%s: %s: %lu\n", s->module, s->names[i],
				   statctr_read(&s->ctr[node][i]));
	mutex_unlock(&nstat_lock);
	return 0;
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

static int all_show(vertex_hdl_t dev, struct seq_file *m)
{
	struct nstat *s;
	int i;

	mutex_lock(&nstat_lock);
	list_for_each_entry(s, &nstats, list)
		for (i = 0; i < s->n; i++)
			show_counter(s, i, m);
	mutex_unlock(&nstat_lock);
	return 0;
}

static const struct hwgraph_driver node_driver = {
	.prefix = "nstat",
	.owner = THIS_MODULE,
	.show = node_show,
};

static const struct hwgraph_driver all_driver = {
	.prefix = "nstat",
	.owner = THIS_MODULE,
	.show = all_show,
};

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

/* The devices; hwgfs's exit takes the whole graph away. */
int hwg_nstat_init(void)
{
	char path[sizeof("nodenum/64/stat")];
	vertex_hdl_t v;
	int node, err;

	err = hwgraph_char_device_add(hwgraph_root, "stat", 0444, &all_driver,
				      NULL, &all_dev);
	for_each_online_node(node) {
		snprintf(path, sizeof(path), "nodenum/%d", node);
		err = err ?: hwgraph_traverse(hwgraph_root, path, &v);
		err = err ?: hwgraph_char_device_add(v, "stat", 0444,
						     &node_driver,
						     (void *)(node + 1L),
						     &node_dev[node]);
	}
	return err;
}
