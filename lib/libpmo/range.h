/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: ranges of the address space and the policy modules attached to them.
 */
#ifndef LIBPMO_RANGE_H
#define LIBPMO_RANGE_H

#include <sys/pmo.h>

/* The policy module that a page is attached to, or -1.  The caller holds pmo_lock. */
pmo_handle_t pmo_range_pm(unsigned long addr);

/* The memory is unmapped and has no policy module any more.  Takes pmo_lock. */
void pmo_forget(unsigned long start, unsigned long end);

/*
 * Policies that refcnt.ko has for this process: keep them before fork(), and give them to the
 * child, whose address space starts without.  The caller holds pmo_lock.
 */
void pmo_ranges_keep(void);
void pmo_ranges_inherit(void);

#endif
