/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ownership of counter sets: at most one open file may change a set.  <snpc.h>
 * has the rules for programs.
 *
 *   snpc_set_init()
 *   snpc_acquire()  snpc_disown()          with set->lock held
 *   snpc_own_ioctl()  snpc_own_close()     take it; may sleep
 */
#ifndef _SNPC_OWN_H
#define _SNPC_OWN_H

#include <linux/fcntl.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include "hwgdev.h"

/*
 * A set of counters: a Hub's md, its io, or a router port.  It lies in the
 * struct of the node or router, which frees it.
 */
struct snpc_set {
	struct mutex lock;	    /* guards what the comment above says */
	struct hwgraph_file *owner; /* or NULL; its close ends the ownership */
	struct pid *pid;	    /* the owner's process, with a reference */
	unsigned int writers;	    /* writable mappings of the owner */
	unsigned int gen; /* changes of owner: odd while there is one */

	/* The owner has gone: back to the mode of a set without one. */
	void (*idle)(struct snpc_set *set);
};

static inline bool snpc_writable(const struct hwgraph_file *f)
{
	return (f->flag & O_ACCMODE) != O_RDONLY;
}

void snpc_set_init(struct snpc_set *set, void (*idle)(struct snpc_set *set));

/*
 * Make @f the owner; nothing changes if it is.  -EBADF: it is not open for
 * writing.  -EBUSY: another file is the owner.
 */
int snpc_acquire(struct snpc_set *set, struct hwgraph_file *f);
/* The set, which has an owner, has none any more. */
void snpc_disown(struct snpc_set *set);

/* SNPC_ACQUIRE, SNPC_RELEASE, and close(2) of @f.  Errors as in <snpc.h>. */
int snpc_own_ioctl(struct snpc_set *set, struct hwgraph_file *f,
		   unsigned int cmd, void __user *arg);
void snpc_own_close(struct snpc_set *set, struct hwgraph_file *f);

#endif
