// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all devices of snpc.ko have in common.  snpc_dev.h has the interface.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "hwgraph.h"
#include "snpc_dev.h"
#include "snpc_route.h"

static_assert(sizeof(snpc_query_t) == 176);

/* Changed only while the module starts and ends. */
static LIST_HEAD(devs);

/*
 * The device is looked up once, here: device_info_get() takes the graph's lock,
 * for which ioctls of all CPUs would queue.
 */
int snpc_dev_open(struct hwgraph_file *f)
{
	f->priv = device_info_get(f->dev);
	return 0;
}

static bool process_lives(struct pid *pid)
{
	bool lives;

	rcu_read_lock();
	lives = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return lives;
}

int snpc_dev_query(struct hwgraph_file *f, void __user *arg)
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

int snpc_dev_add(vertex_hdl_t from, const char *path, umode_t mode,
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

void snpc_dev_remove_all(void)
{
	struct snpc_dev *d, *next;

	list_for_each_entry_safe(d, next, &devs, list) {
		hwgraph_vertex_destroy(d->v);
		kfree(d);
	}
}
