// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of the extended counters.  refcnt_mem.h has the interface.
 *
 * The counters of a node are an array of sets in the order of refcnt_set_of(),
 * on the node that they describe.  The array has a page only where somebody
 * needs one:
 *
 *   frames   so many frames with counters in the page need them
 *   seen     a program has the page in a mapping of the device, or had
 *
 *   none -----> page        refcnt_memory(), refcnt_view_page()
 *   none <----- page        the last frame needs it no more, and it is not seen
 *
 * A page that is seen stays until the last mapping of the device is gone, for a
 * program would not notice that another page took its place.
 *
 * Whoever makes a range count is charged for the pages, and whoever touches a
 * page that does not exist.  Root makes rules and is not charged.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "refcnt_mem.h"

/* How long a page stays that nobody needs, unless its last range ended. */
#define TRIM_MS 1000

static struct page *make_page(struct refcnt_node *n, gfp_t gfp)
{
	return alloc_pages_node(n->nasid, gfp | __GFP_ZERO, 0);
}

/* Page @i, made if it does not exist: 0 or -ENOMEM. */
static int add_page(struct refcnt_node *n, u32 i, gfp_t gfp)
{
	struct page *new = NULL;
	unsigned long flags;

	if (READ_ONCE(n->pages[i].page))
		return 0;
	new = make_page(n, gfp);
	if (!new)
		return -ENOMEM;
	spin_lock_irqsave(&n->lock, flags);
	if (!n->pages[i].page) {
		n->pages[i].page = new;
		new = NULL;
	}
	spin_unlock_irqrestore(&n->lock, flags);
	if (new)
		__free_page(new);
	else
		refcnt_stat(n, STAT_ALLOCATED, 1);
	return 0;
}

/* If nobody needs page @i take it out; the caller holds the lock. */
static void drop_page(struct refcnt_node *n, u32 i, struct list_head *gone)
{
	struct refcnt_page *p = &n->pages[i];

	if (!p->page || p->frames || p->seen)
		return;
	list_add(&p->page->lru, gone);
	p->page = NULL;
	refcnt_stat(n, STAT_FREED, 1);
}

void refcnt_pages_free(struct list_head *gone)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, gone, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

/* Free pages that nobody needs, soon.  Any context. */
static void trim_soon(struct refcnt_node *n)
{
	queue_delayed_work(system_wq, &n->trim_work, msecs_to_jiffies(TRIM_MS));
}

/* --- a frame's counters --- */

refcnt_t *refcnt_counter(const struct refcnt_node *n, u32 set, int node)
{
	size_t at = set * refcnt_set_bytes() + node * sizeof(refcnt_t);
	struct page *page = n->pages[at >> PAGE_SHIFT].page;

	return page ? page_address(page) + offset_in_page(at) : NULL;
}

/* The pages of the extended counters of a frame: [*first, *end). */
static void counter_pages(const struct refcnt_node *n, u64 paddr, u32 *first,
			  u32 *end)
{
	size_t at = refcnt_set_of(n, paddr) * refcnt_set_bytes();

	*first = at >> PAGE_SHIFT;
	*end = DIV_ROUND_UP(at + FRAME_SETS * refcnt_set_bytes(), PAGE_SIZE);
}

int refcnt_memory(struct refcnt_node *n, u64 paddr, gfp_t gfp)
{
	u32 i, end;

	for (counter_pages(n, paddr, &i, &end); i < end; i++)
		if (add_page(n, i, gfp)) {
			trim_soon(n);
			return -ENOMEM;
		}
	return 0;
}

bool refcnt_has_memory(const struct refcnt_node *n, u64 paddr)
{
	u32 i, end;

	for (counter_pages(n, paddr, &i, &end); i < end; i++)
		if (!n->pages[i].page)
			return false;
	return true;
}

void refcnt_need(struct refcnt_node *n, u64 paddr)
{
	u32 i, end;

	for (counter_pages(n, paddr, &i, &end); i < end; i++)
		n->pages[i].frames++;
}

/* What a frame counted is 0 from now on; the caller holds the lock. */
static void clear_counters(struct refcnt_node *n, u64 paddr)
{
	u32 set = refcnt_set_of(n, paddr), end = set + FRAME_SETS;
	refcnt_t *c;
	int node;

	for (; set < end; set++)
		for (node = 0; node < refcnt_nnodes; node++) {
			c = refcnt_counter(n, set, node);
			if (c)
				*c = 0;
		}
}

void refcnt_need_no_more(struct refcnt_node *n, u64 paddr, enum refcnt_end why,
			 struct list_head *gone)
{
	u32 i, end;

	if (why == REFCNT_END_GONE)
		clear_counters(n, paddr);
	for (counter_pages(n, paddr, &i, &end); i < end; i++) {
		n->pages[i].frames--;
		if (why == REFCNT_END_GONE)
			drop_page(n, i, gone);
	}
	if (why == REFCNT_END_AWAY)
		trim_soon(n);
}

/* --- programs that map the counters --- */

void refcnt_view_begin(struct refcnt_node *n)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	n->views++;
	spin_unlock_irqrestore(&n->lock, flags);
}

void refcnt_view_end(struct refcnt_node *n)
{
	unsigned long flags;

	spin_lock_irqsave(&n->lock, flags);
	n->views--;
	spin_unlock_irqrestore(&n->lock, flags);
	trim_soon(n);
}

struct page *refcnt_view_page(struct refcnt_node *n, u32 i)
{
	struct page *page = NULL;
	unsigned long flags;

	while (!page && !add_page(n, i, GFP_KERNEL_ACCOUNT)) {
		spin_lock_irqsave(&n->lock, flags);
		page = n->pages[i].page;
		if (page) {
			n->pages[i].seen = true;
			get_page(page);
		}
		spin_unlock_irqrestore(&n->lock, flags);
	}
	return page;
}

/* --- by timer --- */

static void trim(struct work_struct *work)
{
	struct refcnt_node *n = container_of(to_delayed_work(work),
					     struct refcnt_node, trim_work);
	unsigned long flags;
	LIST_HEAD(gone);
	u32 i;

	for (i = 0; i < n->npages; i++) {
		if (!READ_ONCE(n->pages[i].page))
			continue;
		spin_lock_irqsave(&n->lock, flags);
		if (!n->views)
			n->pages[i].seen = false;
		drop_page(n, i, &gone);
		spin_unlock_irqrestore(&n->lock, flags);
		refcnt_pages_free(&gone);
		cond_resched();
	}
}

/* --- start and end --- */

void refcnt_mem_begin(struct refcnt_node *n)
{
	INIT_DELAYED_WORK(&n->trim_work, trim);
}

void refcnt_mem_stop(struct refcnt_node *n)
{
	cancel_delayed_work_sync(&n->trim_work);
}

void refcnt_mem_free(struct refcnt_node *n)
{
	u32 i;

	for (i = 0; i < n->npages; i++)
		if (n->pages[i].page)
			__free_page(n->pages[i].page);
}
