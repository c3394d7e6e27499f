/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that a program moves to other nodes.
 */
#ifndef _REFCNT_MOVE_H
#define _REFCNT_MOVE_H

#include <linux/compiler_types.h>

struct mm_struct;
struct task_struct;

/*
 * PIOCMIGRATESN0 on process @task with address space @mm; @arg is the caller's
 * sn0_migrate_args_t.  How many pages moved; -EFAULT, -EINVAL, -ENOMEM, -EINTR.
 */
long refcnt_move(struct task_struct *task, struct mm_struct *mm,
		 void __user *arg);

#endif
