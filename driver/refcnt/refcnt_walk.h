/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which physical memory a process has at its addresses.
 *
 *   refcnt_walk()  refcnt_walk_leaving()  refcnt_bad_range()
 */
#ifndef _REFCNT_WALK_H
#define _REFCNT_WALK_H

#include <linux/types.h>

struct folio;
struct mm_struct;

/* A page of the kernel's that a process maps. */
struct refcnt_mapped {
	unsigned long addr; /* where it is mapped */
	u64 paddr;	    /* where it is */
	u64 size; /* bytes of the page that maps it, which may be huge */
};

/*
 * The first page of [@start, @end) that @mm has in memory; both begin a page.
 * The zero page and registers that a driver mapped count as no page.  If @folio
 * is given, the page's folio comes in it with a reference.  The caller holds
 * mmap_lock.  May sleep.  False: there is none, or the caller is being killed.
 */
bool refcnt_walk(struct mm_struct *mm, unsigned long start, unsigned long end,
		 struct refcnt_mapped *p, struct folio **folio);

/*
 * The same for MMU notifiers: of pages that are about to be unmapped, in a range
 * that the notifier got, or of all when the address space ends.  There
 * refcnt_walk() would find nothing, because munmap() has taken away the areas.
 * Their page tables however stay until the notifiers have been called.  Lets
 * others run.
 */
bool refcnt_walk_leaving(struct mm_struct *mm, unsigned long start,
			 unsigned long end, struct refcnt_mapped *p);

/* The range is not in the address space of a program. */
bool refcnt_bad_range(u64 vaddr, u64 len);

#endif
