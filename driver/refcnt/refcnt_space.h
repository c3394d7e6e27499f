/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policies of address spaces: of ranges, and for all memory that no range
 * covers.  They may sleep.  The caller holds process @task and its @mm (mmget)
 * and not mmap_lock.
 *
 *   refcnt_space_policy()  refcnt_space_default()  refcnt_space_show()
 *   refcnt_space_exit()
 */
#ifndef _REFCNT_SPACE_H
#define _REFCNT_SPACE_H

#include "refcnt_policy.h"

struct mm_struct;
struct task_struct;

/*
 * Policy @p for [@start, @end) of @mm, which begins and ends with a page; NULL
 * ends policies there.  -ENOMEM: no memory, or too many ranges; -EINTR.
 */
int refcnt_space_policy(struct task_struct *task, struct mm_struct *mm,
			unsigned long start, unsigned long end,
			const struct refcnt_policy *p);

/* The policy of all memory that no range covers; NULL: none.  Likewise. */
int refcnt_space_default(struct task_struct *task, struct mm_struct *mm,
			 const struct refcnt_policy *p);

/*
 * The first range of @mm that does not end before @addr.  If there is none, len
 * is 0 and the policy is the default.
 */
void refcnt_space_show(struct mm_struct *mm, unsigned long addr,
		       sn0_policy_args_t *a);

/* All policies of all address spaces end.  No ioctl runs any more. */
void refcnt_space_exit(void);

#endif
