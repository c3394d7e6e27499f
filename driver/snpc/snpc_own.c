// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ownership of counter sets.  snpc_own.h has the interface.
 *
 *   snpc_acquire()              idle: gen + 1, owner set
 *   snpc_disown()               owner cleared: gen + 1, idle
 *
 * The generation number counts owners that come and go.  A program that only
 * reads sees by it that there was an owner in between.
 */
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <snpc.h>
#include "snpc_own.h"
#include "snpc_stat.h"

void snpc_set_init(struct snpc_set *set, void (*idle)(struct snpc_set *set))
{
	mutex_init(&set->lock);
	set->idle = idle;
}

int snpc_acquire(struct snpc_set *set, struct hwgraph_file *f)
{
	if (!snpc_writable(f))
		return -EBADF;
	if (set->owner == f)
		return 0;
	if (set->owner) {
		snpc_count(SNPC_STAT_BUSY);
		return -EBUSY;
	}
	set->owner = f;
	set->pid = get_pid(task_tgid(current));
	set->gen++;
	snpc_count(SNPC_STAT_OWNERS);
	return 0;
}

void snpc_disown(struct snpc_set *set)
{
	set->idle(set);
	set->owner = NULL;
	put_pid(set->pid);
	set->pid = NULL;
	set->gen++;
}

int snpc_own_ioctl(struct snpc_set *set, struct hwgraph_file *f,
		   unsigned int cmd, void __user *arg)
{
	unsigned int gen;
	int err = 0;

	mutex_lock(&set->lock);
	if (cmd == SNPC_ACQUIRE)
		err = snpc_acquire(set, f);
	else if (set->owner != f)
		err = -EPERM;
	else if (set->writers)
		err = -EBUSY;
	else
		snpc_disown(set);
	gen = set->gen;
	mutex_unlock(&set->lock);
	if (!err && cmd == SNPC_ACQUIRE &&
	    put_user(gen, (unsigned int __user *)arg))
		err = -EFAULT;
	return err;
}

void snpc_own_close(struct snpc_set *set, struct hwgraph_file *f)
{
	mutex_lock(&set->lock);
	if (set->owner == f)
		snpc_disown(set);
	mutex_unlock(&set->lock);
}
