// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ioctls on /proc/%05d (<procfs/procfs.h>).  They read the counters of a range
 * of the process, give a range a policy, and move pages.
 *
 *   PIOCGETSN0REFCNTRS, PIOCGETSN0EXTREFCNTRS   get_counters()
 *   PIOCSETSN0POLICY, PIOCGETSN0POLICY          refcnt_space.c
 *   PIOCMIGRATESN0                              refcnt_move.c
 *
 * The kernel has checked that the caller may read the process's memory
 * (kernel/patches/0003), and holds the process, its address space and this
 * module during the call.
 *
 *   refcnt_proc_init()  refcnt_proc_exit()
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <procfs/procfs.h>
#include "refcnt_move.h"
#include "refcnt_proc.h"
#include "refcnt_sets.h"
#include "refcnt_space.h"
#include "refcnt_walk.h"

static_assert(sizeof(sn0_refcnt_set_t) == 552);
static_assert(sizeof(sn0_refcnt_buf_t) == 608);
static_assert(sizeof(sn0_refcnt_args_t) == 56);
static_assert(sizeof(sn0_policy_args_t) == 72);

#define POLICY_FLAGS                                                  \
	(SN0_POLICY_COUNT | SN0_POLICY_MIGRATE | SN0_POLICY_STAY |    \
	 SN0_POLICY_THRESHOLD | SN0_POLICY_FREEZE | SN0_POLICY_MELT | \
	 SN0_POLICY_DAMPENING | SN0_POLICY_ENQUEUE | SN0_POLICY_DEFAULT)

/* --- policies --- */

static bool bad_policy(const sn0_policy_args_t *a)
{
	return refcnt_bad_range(a->vaddr, a->len) || a->flags & ~POLICY_FLAGS ||
	       (a->flags & SN0_POLICY_DEFAULT && (a->vaddr || a->len)) ||
	       (a->flags & SN0_POLICY_MIGRATE && a->flags & SN0_POLICY_STAY) ||
	       a->threshold > 100 || a->freeze_threshold > 100 ||
	       a->melt_threshold > 100 || a->dampening_factor > 100 || a->pad ||
	       memchr_inv(a->reserved, 0, sizeof(a->reserved));
}

/* A percentage that the program gave, if @flag says that it did. */
static u8 percent(const sn0_policy_args_t *a, unsigned int flag, u8 value)
{
	return a->flags & flag ? value : 0;
}

static int set_policy(struct task_struct *task, struct mm_struct *mm,
		      void __user *arg)
{
	struct refcnt_policy p;
	sn0_policy_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (bad_policy(&a))
		return -EINVAL;
	if (!a.len && !(a.flags & SN0_POLICY_DEFAULT))
		return 0;
	p = (struct refcnt_policy){
		.flags = a.flags & ~SN0_POLICY_DEFAULT,
		.threshold = percent(&a, SN0_POLICY_THRESHOLD, a.threshold),
		.freeze = percent(&a, SN0_POLICY_FREEZE, a.freeze_threshold),
		.melt = percent(&a, SN0_POLICY_MELT, a.melt_threshold),
		.dampening =
			percent(&a, SN0_POLICY_DAMPENING, a.dampening_factor),
		.shared = capable(CAP_SYS_NICE),
	};
	if (a.flags & SN0_POLICY_DEFAULT)
		return refcnt_space_default(task, mm, p.flags ? &p : NULL);
	return refcnt_space_policy(task, mm, round_down(a.vaddr, PAGE_SIZE),
				   round_up(a.vaddr + a.len, PAGE_SIZE),
				   p.flags ? &p : NULL);
}

static int get_policy(struct mm_struct *mm, void __user *arg)
{
	sn0_policy_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	refcnt_space_show(mm, a.vaddr, &a);
	return copy_to_user(arg, &a, sizeof(a)) ? -EFAULT : 0;
}

/* --- counters --- */

/* The counters of the 4 KB page at @addr; the caller holds mmap_lock. */
static void fill_buf(struct mm_struct *mm, unsigned long addr, bool extended,
		     sn0_refcnt_buf_t *buf)
{
	unsigned long flags, start = round_down(addr, PAGE_SIZE);
	struct refcnt_node *n;
	struct refcnt_mapped p;
	u64 paddr;
	int node;

	memset(buf, 0, sizeof(*buf));
	buf->cnodeid = CNODEID_NONE;
	if (!refcnt_walk(mm, start, start + PAGE_SIZE, &p, NULL))
		return;
	paddr = p.paddr + addr - start;
	n = refcnt_node_of(paddr);
	if (!n || refcnt_set_of(n, paddr) < 0)
		return;
	buf->paddr = paddr;
	buf->page_size = p.size;
	buf->cnodeid = n->nasid;
	spin_lock_irqsave(&n->lock, flags);
	for (node = 0; node < refcnt_nnodes; node++)
		buf->refcnt_set.refcnt[node] =
			extended ? refcnt_extended(n, paddr, node) :
				   refcnt_hardware(n, paddr, node);
	spin_unlock_irqrestore(&n->lock, flags);
}

static int get_args(sn0_refcnt_args_t *args, void __user *arg, bool compat)
{
	if (copy_from_user(args, arg, sizeof(*args)))
		return -EFAULT;
#ifdef CONFIG_COMPAT
	if (compat) {
		compat_uptr_t buf;

		/* The four bytes of the pointer are the first of the eight. */
		memcpy(&buf, &args->buf, sizeof(buf));
		args->buf = (__force sn0_refcnt_buf_t *)compat_ptr(buf);
	}
#endif
	return refcnt_bad_range(args->vaddr, args->len) ? -EINVAL : 0;
}

static int get_counters(struct mm_struct *mm, void __user *arg, bool extended,
			bool compat)
{
	sn0_refcnt_buf_t __user *to;
	sn0_refcnt_args_t args;
	sn0_refcnt_buf_t *buf;
	unsigned long addr, end;
	int err;

	err = get_args(&args, arg, compat);
	if (err)
		return err;
	buf = kmalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	to = (sn0_refcnt_buf_t __user *)args.buf;
	addr = round_down(args.vaddr, SN_MDPAGE_SIZE);
	end = round_up(args.vaddr + args.len, SN_MDPAGE_SIZE);
	for (; addr < end && !err; addr += SN_MDPAGE_SIZE) {
		mmap_read_lock(mm);
		fill_buf(mm, addr, extended, buf);
		mmap_read_unlock(mm);
		if (copy_to_user(to++, buf, sizeof(*buf)))
			err = -EFAULT;
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	kfree(buf);
	return err;
}

/* --- registration --- */

static long refcnt_proc_ioctl(struct task_struct *task, struct mm_struct *mm,
			      unsigned int cmd, void __user *arg, bool compat)
{
	nstat_count(&refcnt_stats, numa_node_id(), STAT_IOCTLS, 1);
	switch (cmd) {
	case PIOCSETSN0POLICY:
		return set_policy(task, mm, arg);
	case PIOCGETSN0POLICY:
		return get_policy(mm, arg);
	case PIOCMIGRATESN0:
		return refcnt_move(task, mm, arg);
	case PIOCGETSN0REFCNTRS:
		return get_counters(mm, arg, false, compat);
	case PIOCGETSN0EXTREFCNTRS:
		return get_counters(mm, arg, true, compat);
	}
	return -ENOTTY;
}

static const struct proc_pid_ioctl refcnt_proc = {
	.owner = THIS_MODULE,
	.type = _IOC_TYPE(PIOC),
	.ioctl = refcnt_proc_ioctl,
};

int refcnt_proc_init(void)
{
	return proc_pid_ioctl_register(&refcnt_proc);
}

void refcnt_proc_exit(void)
{
	proc_pid_ioctl_unregister(&refcnt_proc);
}
