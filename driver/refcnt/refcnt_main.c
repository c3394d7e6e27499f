// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: the memory reference counters of refcnt(5), and pages that move by
 * them.  This file starts and ends the parts.  From below:
 *
 *   refcnt_policy.c  pure: who is counted, who migrates, the state of a frame
 *   refcnt_node.c    nodes and the layout of their memory
 *   refcnt_hub.c     the Hub's registers for migration
 *   refcnt_mem.c     memory of extended counters
 *   refcnt_sets.c    the counters of a frame: the hardware's and extended ones
 *   refcnt_frame.c   frames follow policies
 *   refcnt_right.c   who may move which page where
 *   refcnt_migr.c    migration control, timers, a node's rules
 *   refcnt_irq.c     the interrupt and the nodes' threads
 *   refcnt_walk.c    the physical memory of a process
 *   refcnt_space.c   policies of address spaces
 *   refcnt_move.c    pages that a program moves
 *   refcnt_proc.c    ioctls on /proc/%05d
 *   refcnt_dev.c     /hw/.../node/refcnt
 *
 * A file calls only those above it in this list.
 *
 * Locks: node.ctl and node.meeting are taken before node.lock, spaces_lock before
 * space.lock.  A space's lock and a node's, or two nodes' locks, are never held
 * together.  The two are taken with mmap_lock or a page table's lock held.
 */
#include <linux/module.h>
#include <linux/nodemask.h>
#include "refcnt_dev.h"
#include "refcnt_irq.h"
#include "refcnt_mem.h"
#include "refcnt_migr.h"
#include "refcnt_node.h"
#include "refcnt_proc.h"
#include "refcnt_space.h"

static int node_begin(int nasid)
{
	struct refcnt_node *n = refcnt_node_new(nasid);

	if (!n)
		return -ENOMEM;
	refcnt_mem_begin(n);
	refcnt_migr_begin(n);
	return refcnt_irq_begin(n) ?: refcnt_dev_begin(n);
}

static void all_nodes(void (*do_it)(struct refcnt_node *n))
{
	int i;

	for (i = 0; i < MAX_NUMNODES; i++)
		if (refcnt_nodes[i])
			do_it(refcnt_nodes[i]);
}

/*
 * A node's thread and timers move pages to other nodes and collect counters
 * with their processors.  So all of them stop before the first node is freed.
 */
static void end_all(void)
{
	all_nodes(refcnt_dev_end);
	all_nodes(refcnt_irq_end);
	all_nodes(refcnt_migr_stop);
	all_nodes(refcnt_mem_stop);
	all_nodes(refcnt_migr_end);
	all_nodes(refcnt_mem_free);
	all_nodes(refcnt_node_free);
	nstat_remove(&refcnt_stats);
}

static int __init refcnt_init(void)
{
	int nasid, err;

	refcnt_nnodes = num_online_nodes();
	err = nstat_add(&refcnt_stats);
	if (err)
		return err;
	for_each_online_node(nasid)
		err = err ?: node_begin(nasid);
	if (err)
		goto no_nodes;
	err = refcnt_irq_init();
	if (err)
		goto no_nodes;
	err = refcnt_proc_init();
	if (!err)
		return 0;
	refcnt_irq_exit();
no_nodes:
	end_all();
	return err;
}

static void __exit refcnt_exit(void)
{
	refcnt_proc_exit();
	refcnt_space_exit();
	refcnt_irq_exit();
	end_all();
}

module_init(refcnt_init);
module_exit(refcnt_exit);
MODULE_DESCRIPTION("Memory reference counters and page migration");
MODULE_LICENSE("GPL");
