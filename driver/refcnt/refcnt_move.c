// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that a program moves to other nodes: PIOCMIGRATESN0, the ioctl behind
 * migr_range_migrate(3).  It does what Linux's move_pages() call does, and
 * counts by node.
 *
 * A page that is not in memory, cannot move, or may not move for this caller
 * (refcnt_right.c), is skipped.  A node without memory ends the call.
 *
 *   refcnt_move()
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "refcnt_move.h"
#include "refcnt_node.h"
#include "refcnt_right.h"
#include "refcnt_walk.h"

static_assert(sizeof(sn0_migrate_args_t) == 184);

/* 1 if the page moved, 0 if not; -ENOMEM.  Gives the reference back. */
static int move_page(struct folio *folio, int node,
		     const struct refcnt_right *r)
{
	struct refcnt_node *n = refcnt_node_of(PFN_PHYS(folio_pfn(folio)));
	unsigned long pfn;
	int err;

	if (!n || refcnt_set_of(n, PFN_PHYS(folio_pfn(folio))) < 0 ||
	    n->nasid == node) {
		folio_put(folio);
		return 0;
	}
	err = refcnt_right_move(folio, node, r, &pfn);
	if (err) {
		refcnt_stat(n, STAT_USER_STUCK, 1);
		return err == -ENOMEM ? err : 0;
	}
	refcnt_stat(n, STAT_USER_FROM, 1);
	refcnt_stat(refcnt_nodes[node], STAT_USER_TO, 1);
	return 1;
}

/* The pages moved; -EINTR, -ENOMEM. */
static long migrate(struct mm_struct *mm, const sn0_migrate_args_t *a,
		    const struct refcnt_right *r)
{
	unsigned long start = round_down(a->vaddr, PAGE_SIZE), addr;
	unsigned long end = round_up(a->vaddr + a->len, PAGE_SIZE);
	struct refcnt_mapped p;
	struct folio *folio;
	unsigned int i;
	long moved = 0;
	bool found;
	int ret;

	for (addr = start; addr < end; addr = p.addr + PAGE_SIZE) {
		mmap_read_lock(mm);
		found = refcnt_walk(mm, addr, end, &p, &folio);
		mmap_read_unlock(mm);
		if (!found)
			break;
		i = ((p.addr - start) >> PAGE_SHIFT) % a->nodes;
		ret = move_page(folio, a->node[i], r);
		if (ret < 0)
			return ret;
		moved += ret;
	}
	return fatal_signal_pending(current) ? -EINTR : moved;
}

static int check(const sn0_migrate_args_t *a, const struct refcnt_right *r)
{
	unsigned int i;

	if (refcnt_bad_range(a->vaddr, a->len) || !a->nodes ||
	    a->nodes > ARRAY_SIZE(a->node) || a->pad ||
	    memchr_inv(a->reserved, 0, sizeof(a->reserved)))
		return -EINVAL;
	for (i = 0; i < a->nodes; i++)
		if (!refcnt_right_node(r, a->node[i]))
			return -EINVAL;
	return 0;
}

long refcnt_move(struct task_struct *task, struct mm_struct *mm,
		 void __user *arg)
{
	struct refcnt_right r = {
		.shared = capable(CAP_SYS_NICE),
		.task = task,
	};
	sn0_migrate_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	return check(&a, &r) ?: migrate(mm, &a, &r);
}
