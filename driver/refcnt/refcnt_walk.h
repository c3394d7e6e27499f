/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which physical memory a process has at an address.
 *
 *   refcnt_walk()  refcnt_bad_range()
 */
#ifndef _REFCNT_WALK_H
#define _REFCNT_WALK_H

#include <linux/types.h>

struct mm_struct;

/*
 * The physical address behind @addr of @mm, and in *@page_size the bytes of the
 * page that maps it.  *@page_size stays as it is, and 0 is returned, if there is
 * no page; there is none either between @addr and *@next then.  The zero page
 * and registers that a driver mapped count as no page.  The caller holds
 * mmap_lock, or one of the locks under which MMU notifiers are called.
 */
u64 refcnt_walk(struct mm_struct *mm, unsigned long addr, u64 *page_size,
		unsigned long *next);

/* The range is not in the address space of a program. */
bool refcnt_bad_range(u64 vaddr, u64 len);

#endif
