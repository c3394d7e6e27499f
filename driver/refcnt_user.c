// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: pages that a program moves to other nodes (PIOCMIGRATESN0), for
 * migr_range_migrate(3).  What move_pages() does, counted by node.
 *
 * A page that is not in memory, or cannot move, is passed over; a node without
 * memory ends it.  A page that other processes map too is theirs as well: only
 * who may disturb them moves it, as with move_pages().
 */
#include <linux/capability.h>
#include <linux/cpuset.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "refcnt.h"

/* The folio behind @addr with a reference, or NULL. */
static struct folio *folio_at(struct mm_struct *mm, unsigned long addr,
			      unsigned long *next)
{
	struct folio *folio = NULL;
	u64 page_size = 0, paddr;
	unsigned long unused;
	struct page *page;

	mmap_read_lock(mm);
	paddr = refcnt_walk(mm, addr, &page_size, next);
	if (page_size)
		*next = round_down(addr, PAGE_SIZE) + PAGE_SIZE;
	page = page_size ? pfn_to_online_page(PHYS_PFN(paddr)) : NULL;
	if (page) {
		folio = page_folio(page);
		if (!folio_try_get(folio))
			folio = NULL;
	}
	/* While it had no reference it may have become someone else's. */
	if (folio && (refcnt_walk(mm, addr, &page_size, &unused) != paddr ||
		      page_folio(page) != folio)) {
		folio_put(folio);
		folio = NULL;
	}
	mmap_read_unlock(mm);
	return folio;
}

/* 1 if the page moved, 0 if not; -ENOMEM. */
static int move_page(struct folio *folio, int node)
{
	struct refcnt_node *n = refcnt_node_of(PFN_PHYS(folio_pfn(folio)));
	unsigned long pfn;
	int err;

	if (!n || refcnt_set_of(n, PFN_PHYS(folio_pfn(folio))) < 0 ||
	    n->nasid == node) {
		folio_put(folio);
		return 0;
	}
	if (folio_mapcount(folio) > 1 && !capable(CAP_SYS_NICE)) {
		folio_put(folio);
		err = -EBUSY;
	} else {
		err = migrate_folio_to_node(folio, node, &pfn);
	}
	if (err) {
		refcnt_stat(n, STAT_USER_STUCK, 1);
		return err == -ENOMEM ? err : 0;
	}
	refcnt_stat(n, STAT_USER_FROM, 1);
	refcnt_stat(refcnt_nodes[node], STAT_USER_TO, 1);
	return 1;
}

static long migrate(struct mm_struct *mm, const sn0_migrate_args_t *a)
{
	unsigned long start = round_down(a->vaddr, PAGE_SIZE), addr, next;
	unsigned long end = round_up(a->vaddr + a->len, PAGE_SIZE);
	struct folio *folio;
	long moved = 0;
	int ret;

	for (addr = start; addr < end; addr = next) {
		folio = folio_at(mm, addr, &next);
		if (folio) {
			ret = move_page(folio, a->node[((addr - start) >>
							PAGE_SHIFT) % a->nodes]);
			if (ret < 0)
				return ret;
			moved += ret;
		}
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return moved;
}

static bool bad_node(int node)
{
	return node < 0 || node >= MAX_NUMNODES || !refcnt_nodes[node] ||
	       !node_state(node, N_MEMORY) ||
	       !node_isset(node, cpuset_current_mems_allowed);
}

static int check(const sn0_migrate_args_t *a)
{
	unsigned int i;

	if (refcnt_bad_range(a->vaddr, a->len) || !a->nodes ||
	    a->nodes > ARRAY_SIZE(a->node) || a->pad ||
	    memchr_inv(a->reserved, 0, sizeof(a->reserved)))
		return -EINVAL;
	for (i = 0; i < a->nodes; i++)
		if (bad_node(a->node[i]))
			return -EINVAL;
	return 0;
}

long refcnt_user_migrate(struct mm_struct *mm, void __user *arg)
{
	sn0_migrate_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	return check(&a) ?: migrate(mm, &a);
}
