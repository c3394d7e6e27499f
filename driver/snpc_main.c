// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snpc.ko: event counters of Hub and Router for programs, after the loadable
 * kernel module of thesis 5.3.1.  <snpc.h> tells what programs see.
 *
 *   /hw/.../node/hub/md  io  rtc     registers to map    snpc_map.c
 *   /hw/.../node/hub/ni              counters of a link  snpc_link.c
 *   /hw/.../router/stat/1 .. 6
 *   /hw/.../node/hub/mon             errors of links     snpc_mon.c
 *   /hw/.../router/mon
 *
 * With extended=1 also, for root, every register of Hubs and Routers:
 *
 *   /hw/.../node/hub/hubreg  ialias                      snpc_map.c
 *   /hw/.../router/rreg                                  snpc_link.c
 *
 * Sampling, multiplexing and counters of 64 bits are the programs' business.
 * Left out: nodes that are joined without a router have no ni.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include "snpc_ko.h"

static bool extended;
module_param(extended, bool, 0444);
MODULE_PARM_DESC(extended, "devices for all registers of Hubs and Routers: unsafe");

struct snpc_node *snpc_nodes[SNPC_MAXNODES];
int snpc_nnodes;

static struct snpc_node *node_of_nasid[MAX_NUMNODES];
static LIST_HEAD(devs);

static const char *const stat_names[SNPC_NSTATS] = {
	"vector operations", "vector operations without answer",
	"histogram readings", "owners", "refused: in use",
};

static struct nstat stats = {
	.module = "snpc",
	.names = stat_names,
	.n = SNPC_NSTATS,
};

static_assert(sizeof(snpc_query_t) == 176);
static_assert(sizeof(link_hist_t) == 24);
static_assert(sizeof(snpc_mon_t) == 16 + 32 * (SNPC_PORTS + 1));
static_assert(sizeof(snpc_vectbl_t) == 8 + 8 * SNPC_MAXNODES);

/* The node where the caller runs; he may be elsewhere the next moment. */
struct snpc_node *snpc_this_node(void)
{
	return node_of_nasid[numa_node_id()];
}

void snpc_count(int stat)
{
	nstat_count(&stats, numa_node_id(), stat, 1);
}

static bool process_lives(struct pid *pid)
{
	bool lives;

	rcu_read_lock();
	lives = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return lives;
}

/*
 * Open a device, for those who ask no more than that: it is noted in the file,
 * since the graph's lock, which device_info_get() takes, would have every ioctl
 * of every CPU wait in line.
 */
int snpc_dev_open(struct hwgraph_file *f)
{
	f->priv = device_info_get(f->dev);
	return 0;
}

int snpc_query(struct hwgraph_file *f, void __user *arg)
{
	struct snpc_dev *d = f->priv;
	snpc_query_t q = {
		.snpc_id = d->id,
		.snpc_flags = d->flags,
		.snpc_base = d->base,
		.snpc_size = d->size,
		.snpc_port = d->port ? d->port->port : -1,
		.snpc_cnode = d->node ? d->node->cnode : -1,
	};
	int err;

	if (d->router)
		q.snpc_route = d->router->route[snpc_this_node()->cnode];
	if (d->set) {
		mutex_lock(&d->set->lock);
		q.snpc_gen = d->set->gen;
		if (process_lives(d->set->pid))
			q.snpc_owner = pid_vnr(d->set->pid);
		if (d->set->owner)
			q.snpc_flags |= SNPC_OWNED;
		if (d->set->owner == f)
			q.snpc_flags |= SNPC_MINE;
		mutex_unlock(&d->set->lock);
	}
	err = vertex_to_name(d->master, q.snpc_master, sizeof(q.snpc_master));
	if (err)
		return err;
	return copy_to_user(arg, &q, sizeof(q)) ? -EFAULT : 0;
}

/* A device like @d at @path from @from. */
int snpc_add(vertex_hdl_t from, const char *path, umode_t mode,
	     const struct hwgraph_driver *driver, const struct snpc_dev *d)
{
	struct snpc_dev *new = kmemdup(d, sizeof(*d), GFP_KERNEL);
	int err;

	if (!new)
		return -ENOMEM;
	err = hwgraph_char_device_add(from, path, mode, driver, new, &new->v);
	if (err)
		kfree(new);
	else
		list_add(&new->list, &devs);
	return err;
}

static int add_node(int cnode)
{
	struct snpc_node *n;
	char path[sizeof("nodenum/64")];
	vertex_hdl_t v;
	void *nasid;
	int err;

	snprintf(path, sizeof(path), "nodenum/%d", cnode);
	err = hwgraph_traverse(hwgraph_root, path, &v);
	err = err ?: hwgraph_info_get_LBL(v, "_nasid", &nasid);
	if (err)
		return err;
	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
	n->cnode = cnode;
	n->nasid = (long)nasid;
	n->v = v;
	spin_lock_init(&n->vec_lock);
	snpc_nodes[cnode] = n;
	node_of_nasid[n->nasid] = n;
	snpc_nnodes++;
	return 0;
}

static void end_all(void)
{
	struct snpc_dev *d, *next;
	struct snpc_router *r;
	vertex_hdl_t v;
	int i;

	list_for_each_entry_safe(d, next, &devs, list) {
		hwgraph_vertex_destroy(d->v);
		kfree(d);
	}
	list_for_each_entry(r, &snpc_routers, list)
		if (!hwgraph_traverse(r->v, SNPC_EDGE_STAT, &v))
			hwgraph_vertex_destroy(v);
	snpc_route_exit();
	for (i = 0; i < snpc_nnodes; i++)
		kfree(snpc_nodes[i]);
	nstat_remove(&stats);
}

static int __init snpc_init(void)
{
	struct snpc_router *r;
	int i, err;

	err = nstat_add(&stats);
	if (err)
		return err;
	do
		err = add_node(snpc_nnodes);
	while (!err && snpc_nnodes < SNPC_MAXNODES);
	if (err == -ENOENT && snpc_nnodes)
		err = 0;
	err = err ?: snpc_route_init();
	for (i = 0; i < snpc_nnodes && !err; i++)
		err = snpc_map_add(snpc_nodes[i], extended);
	list_for_each_entry(r, &snpc_routers, list) {
		err = err ?: snpc_link_add(r, extended);
		err = err ?: snpc_mon_add(r->v, NULL, r);
	}
	if (err)
		end_all();
	return err;
}

static void __exit snpc_exit(void)
{
	end_all();
}

module_init(snpc_init);
module_exit(snpc_exit);
MODULE_DESCRIPTION("Event counters of Hub and Router");
MODULE_LICENSE("GPL");
