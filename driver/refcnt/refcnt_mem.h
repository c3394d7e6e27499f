/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the extended counters.
 *
 *   refcnt_counter()                              a counter
 *   refcnt_memory()  refcnt_has_memory()          memory for a frame's counters
 *   refcnt_need()  refcnt_need_no_more()          a frame needs its counters
 *   refcnt_view_begin()  refcnt_view_end()  refcnt_view_page()   mmap(2)
 *   refcnt_mem_begin()  refcnt_mem_stop()  refcnt_mem_free()
 *
 * @paddr is an address in a page of @n that has a set.
 */
#ifndef _REFCNT_MEM_H
#define _REFCNT_MEM_H

#include "refcnt_node.h"

/* Bytes of a set of extended counters. */
static inline size_t refcnt_set_bytes(void)
{
	return refcnt_nnodes * sizeof(refcnt_t);
}

/*
 * The extended counter of @node in set @set; NULL if there is no memory.  The
 * caller holds n->lock.
 */
refcnt_t *refcnt_counter(const struct refcnt_node *n, u32 set, int node);

/*
 * Memory for all extended counters of a frame.  May sleep if @gfp does.  It may
 * go again until refcnt_need().  -ENOMEM
 */
int refcnt_memory(struct refcnt_node *n, u64 paddr, gfp_t gfp);
/* There is memory; the caller holds n->lock. */
bool refcnt_has_memory(const struct refcnt_node *n, u64 paddr);

/* Why the counters of a frame count no more. */
enum refcnt_end {
	/* Somebody said so: programs can read what they counted until then. */
	REFCNT_END_HELD,
	/*
	 * The process does not map the frame now.  It may be about to map it
	 * again, if the frame cannot migrate, so the counts stay for TRIM_MS.
	 */
	REFCNT_END_AWAY,
	/* The range that was counted is unmapped: the counts end with it. */
	REFCNT_END_GONE,
};

/*
 * A frame needs its counters: they count, or hold what they counted.  Or it
 * needs them no more, because they ended as @why says.  There is memory; the
 * caller holds n->lock.  Pages that nobody needs go to the list @gone.
 */
void refcnt_need(struct refcnt_node *n, u64 paddr);
void refcnt_need_no_more(struct refcnt_node *n, u64 paddr, enum refcnt_end why,
			 struct list_head *gone);
/* Free the pages of @gone, without the lock. */
void refcnt_pages_free(struct list_head *gone);

/*
 * A program maps the node's counters, or has unmapped them.  Page @i of them,
 * which is below n->npages, with a reference; NULL: no memory.  May sleep.
 */
void refcnt_view_begin(struct refcnt_node *n);
void refcnt_view_end(struct refcnt_node *n);
struct page *refcnt_view_page(struct refcnt_node *n, u32 i);

void refcnt_mem_begin(struct refcnt_node *n);
/*
 * No timer runs when this returns.  Nobody maps the device any more, and ranges,
 * threads and timers of all nodes have ended: only rules end after this.
 */
void refcnt_mem_stop(struct refcnt_node *n);
void refcnt_mem_free(struct refcnt_node *n);

#endif
