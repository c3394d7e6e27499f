// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may move which page where.  refcnt_right.h has the interface and the
 * rules.
 *
 * Left out: who may use a process's memory at all, which kernel/patches/0003
 * checks.
 */
#include <linux/cpuset.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/task.h>
#include <linux/xarray.h>
#include "refcnt_right.h"

/*
 * The processes that gave policies, by number, each with a reference.  Its lock
 * is taken before a task's.
 */
static DEFINE_XARRAY_ALLOC1(givers);

static bool may_have(struct task_struct *task, int node)
{
	bool may;

	task_lock(task);
	may = node_isset(node, task->mems_allowed);
	task_unlock(task);
	return may;
}

static bool giver_node(u16 giver, int node)
{
	struct task_struct *task;
	bool may;

	if (!giver)
		return true;
	xa_lock(&givers);
	task = xa_load(&givers, giver);
	may = !task || may_have(task, node);
	xa_unlock(&givers);
	return may;
}

bool refcnt_right_node(const struct refcnt_right *r, int node)
{
	if (node < 0 || node >= MAX_NUMNODES || !node_state(node, N_MEMORY) ||
	    !node_isset(node, cpuset_current_mems_allowed))
		return false;
	return (!r->task || may_have(r->task, node)) &&
	       giver_node(r->givers.space[0], node) &&
	       giver_node(r->givers.space[1], node);
}

int refcnt_right_move(struct folio *folio, int node,
		      const struct refcnt_right *r, unsigned long *pfn)
{
	*pfn = folio_pfn(folio);
	if (refcnt_right_node(r, node) &&
	    (r->shared || folio_mapcount(folio) <= 1))
		return migrate_folio_to_node(folio, node, pfn);
	folio_put(folio);
	return -EPERM;
}

int refcnt_giver_new(void)
{
	u32 giver;
	int err;

	err = xa_alloc(&givers, &giver, NULL, XA_LIMIT(1, U16_MAX), GFP_KERNEL);
	return err ?: (int)giver;
}

void refcnt_giver_is(u16 giver, struct task_struct *task)
{
	/* refcnt_giver_new() took the memory that this needs. */
	xa_store(&givers, giver, get_task_struct(task), GFP_NOWAIT);
}

void refcnt_giver_free(u16 giver)
{
	struct task_struct *task = xa_erase(&givers, giver);

	if (task)
		put_task_struct(task);
}
