// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: address spaces.  ioctls on /proc/%05d (<procfs/procfs.h>) read the
 * counters of any range and give a range a policy.
 *
 * An address space with policies has a tree of ranges and an MMU notifier: a
 * page that comes to be mapped gets the range's policy, or the default's where
 * there is no range; one that is unmapped loses it unless another address space
 * gave it one too.  A range ends where its memory is unmapped, all of them with
 * their address space; a child of fork() starts without.
 */
#include <linux/compat.h>
#include <linux/idr.h>
#include <linux/interval_tree.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <procfs/procfs.h>
#include "refcnt.h"

static_assert(sizeof(sn0_refcnt_set_t) == 552);
static_assert(sizeof(sn0_refcnt_buf_t) == 608);
static_assert(sizeof(sn0_refcnt_args_t) == 56);
static_assert(sizeof(sn0_policy_args_t) == 72);
static_assert(sizeof(sn0_migrate_args_t) == 184);

#define POLICY_FLAGS	(SN0_POLICY_COUNT | SN0_POLICY_MIGRATE |	\
			 SN0_POLICY_STAY | SN0_POLICY_THRESHOLD |	\
			 SN0_POLICY_FREEZE | SN0_POLICY_MELT |		\
			 SN0_POLICY_DAMPENING | SN0_POLICY_ENQUEUE |	\
			 SN0_POLICY_DEFAULT)

/* Of a process; it may have as many mappings. */
#define RANGES_MAX	DEFAULT_MAX_MAP_COUNT

struct extent {
	union {
		struct interval_tree_node range;
		struct extent *next;	/* once it is out of the tree */
	};
	struct refcnt_policy policy;
};

struct space {
	struct mmu_notifier mn;
	u16 id;				/* for frames; not 0 */
	struct list_head list;		/* of all spaces, by spaces_lock */
	spinlock_t lock;		/* guards the rest */
	struct rb_root_cached ranges;	/* none overlap */
	unsigned int nranges;
	bool has_default;
	struct refcnt_policy by_default;	/* of what no range covers */
};

static DEFINE_IDA(space_ids);
static DEFINE_SPINLOCK(spaces_lock);
static LIST_HEAD(spaces);

/* --- pages of a process --- */

u64 refcnt_walk(struct mm_struct *mm, unsigned long addr, u64 *page_size,
		unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd, pmdv;
	pte_t pte;

	*next = round_down(addr, PGDIR_SIZE) + PGDIR_SIZE;
	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return 0;
	p4d = p4d_offset(pgd, addr);
	pud = pud_offset(p4d, addr);
	if (pud_none(*pud) || pud_bad(*pud))
		return 0;
	pmd = pmd_offset(pud, addr);
	pmdv = READ_ONCE(*pmd);
	*next = round_down(addr, PMD_SIZE) + PMD_SIZE;
#ifdef CONFIG_MIPS_HUGE_TLB_SUPPORT
	if (pmd_leaf(pmdv)) {
		*page_size = PMD_SIZE;
		return PFN_PHYS(pmd_pfn(pmdv)) | (addr & ~PMD_MASK);
	}
#endif
	if (pmd_none(pmdv) || pmd_bad(pmdv))
		return 0;
	pte = READ_ONCE(*pte_offset_kernel(pmd, addr));
	*next = round_down(addr, PAGE_SIZE) + PAGE_SIZE;
	/*
	 * Registers that a driver mapped are no memory, although their frame
	 * numbers look like some; the zero page is everybody's.
	 */
	if (!pte_present(pte) || pte_special(pte))
		return 0;
	*page_size = PAGE_SIZE;
	return PFN_PHYS(pte_pfn(pte)) | offset_in_page(addr);
}

/* Does no one but one page table map the frame? */
static bool mapped_once(u64 paddr)
{
	struct page *page = pfn_to_online_page(PHYS_PFN(paddr));

	return page && folio_mapcount(page_folio(page)) <= 1;
}

/* The first range with an address from @first to @last. */
static struct extent *range_first(struct space *s, unsigned long first,
				  unsigned long last)
{
	struct interval_tree_node *r;

	r = interval_tree_iter_first(&s->ranges, first, last);
	return r ? container_of(r, struct extent, range) : NULL;
}

static void range_insert(struct space *s, struct extent *r,
			 unsigned long first, unsigned long last)
{
	r->range.start = first;
	r->range.last = last;
	interval_tree_insert(&r->range, &s->ranges);
	s->nranges++;
}

static void range_remove(struct space *s, struct extent *r)
{
	interval_tree_remove(&r->range, &s->ranges);
	s->nranges--;
}

/* What the space has for a page; has it anything? */
static bool policy_at(struct space *s, unsigned long addr,
		      struct refcnt_policy *p)
{
	struct extent *r;
	bool found;

	spin_lock(&s->lock);
	r = range_first(s, addr, addr);
	found = r || s->has_default;
	if (found)
		*p = r ? r->policy : s->by_default;
	spin_unlock(&s->lock);
	return found;
}

/*
 * Give the pages in memory from @start to @end the policies that @s has for
 * them, or take back what it gave where it has none or if they @go.  The caller
 * is in the same state as refcnt_walk()'s; may sleep if @gfp does.
 */
static int frames_policy(struct mm_struct *mm, unsigned long start,
			 unsigned long end, struct space *s, bool go, gfp_t gfp)
{
	struct refcnt_policy policy;
	unsigned long addr, next;
	u64 page_size, paddr;
	bool found;
	int err = 0;

	for (addr = start; addr < end && !err; addr = next) {
		page_size = 0;
		paddr = refcnt_walk(mm, addr, &page_size, &next);
		if (!page_size)
			continue;
		next = round_down(addr, PAGE_SIZE) + PAGE_SIZE;
		found = !go && policy_at(s, addr, &policy);
		if (found)
			err = refcnt_frame_policy(paddr, s->id, &policy, gfp);
		else
			err = refcnt_frame_leave(paddr, s->id,
						 mapped_once(paddr), gfp);
		if (gfpflags_allow_blocking(gfp)) {
			cond_resched();
			if (found && fatal_signal_pending(current))
				err = -EINTR;
		}
	}
	return err;
}

/* --- spaces --- */

static void space_page_mapped(struct mmu_notifier *mn, struct mm_struct *mm,
			      unsigned long addr, struct page *page,
			      unsigned int nr)
{
	struct space *s = container_of(mn, struct space, mn);
	struct refcnt_policy policy;

	for (; nr--; addr += PAGE_SIZE, page++)
		if (policy_at(s, addr, &policy))
			refcnt_frame_policy(page_to_phys(page), s->id, &policy,
					    GFP_NOWAIT | __GFP_NOWARN);
}

/* The first part of [*@from, @end) that may have policies: its end, or 0. */
static unsigned long next_part(struct space *s, unsigned long *from,
			       unsigned long end)
{
	unsigned long to = 0;
	struct extent *r;

	spin_lock(&s->lock);
	r = range_first(s, *from, end - 1);
	if (s->has_default) {
		to = end;
	} else if (r) {
		*from = max(*from, r->range.start);
		to = min(end, r->range.last + 1);
	}
	spin_unlock(&s->lock);
	return to;
}

/* The pages between @start and @end go. */
static void space_drop(struct space *s, struct mm_struct *mm,
		       unsigned long start, unsigned long end)
{
	unsigned long from = start, to;

	do {
		to = next_part(s, &from, end);
		if (to)
			frames_policy(mm, from, to, s, true, GFP_NOWAIT);
		from = to;
	} while (to && to < end);
}

/*
 * Cut [@start, @end) out of the ranges.  One cut in two takes *@spare for the
 * second; without, it stays whole.  What is left of no use goes to *@gone.
 */
static void ranges_cut(struct space *s, unsigned long start, unsigned long end,
		       struct extent **spare, struct extent **gone)
{
	unsigned long at = start, first, last;
	struct extent *r;

	while (at < end && (r = range_first(s, at, end - 1))) {
		first = r->range.start;
		last = r->range.last;
		at = last + 1;
		if (first < start && last >= end && !*spare)
			break;
		range_remove(s, r);
		if (first < start && last >= end) {
			(*spare)->policy = r->policy;
			range_insert(s, *spare, end, last);
			*spare = NULL;
			range_insert(s, r, first, start - 1);
		} else if (first < start) {
			range_insert(s, r, first, start - 1);
		} else if (last >= end) {
			range_insert(s, r, end, last);
		} else {
			r->next = *gone;
			*gone = r;
		}
	}
}

/*
 * How many ranges more there are, at most, when [@start, @end) has been cut
 * out of them and @add are added.
 */
static int ranges_more(struct space *s, unsigned long start, unsigned long end,
		       int add)
{
	struct extent *r = range_first(s, start, end - 1);

	if (r && r->range.start < start) {
		if (r->range.last >= end)
			return add + 1;
		r = range_first(s, r->range.last + 1, end - 1);
	}
	return r && r->range.last < end ? add - 1 : add;
}

static void ranges_free(struct extent *gone)
{
	struct extent *r;

	while ((r = gone)) {
		gone = r->next;
		kfree(r);
	}
}

/* Memory that is unmapped is in no range any more. */
static void space_forget(struct space *s, unsigned long start,
			 unsigned long end)
{
	struct extent *spare, *none = NULL, *gone = NULL;

	spare = kmalloc(sizeof(*spare), GFP_NOWAIT | __GFP_NOWARN);
	spin_lock(&s->lock);
	ranges_cut(s, start, end, s->nranges < RANGES_MAX ? &spare : &none,
		   &gone);
	spin_unlock(&s->lock);
	ranges_free(gone);
	kfree(spare);
}

static int space_invalidate(struct mmu_notifier *mn,
			    const struct mmu_notifier_range *range)
{
	struct space *s = container_of(mn, struct space, mn);

	if (range->event == MMU_NOTIFY_UNMAP || range->event == MMU_NOTIFY_CLEAR)
		space_drop(s, range->mm, range->start, range->end);
	if (range->event == MMU_NOTIFY_UNMAP)
		space_forget(s, range->start, range->end);
	return 0;
}

/* Whoever takes the space off the list gives its notifier back. */
static bool space_unlist(struct space *s)
{
	bool listed;

	spin_lock(&spaces_lock);
	listed = !list_empty(&s->list);
	list_del_init(&s->list);
	spin_unlock(&spaces_lock);
	return listed;
}

static void space_release(struct mmu_notifier *mn, struct mm_struct *mm)
{
	struct space *s = container_of(mn, struct space, mn);

	space_drop(s, mm, 0, mm->task_size);
	if (space_unlist(s))
		mmu_notifier_put(mn);
}

static struct mmu_notifier *space_alloc(struct mm_struct *mm)
{
	struct space *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int id = s ? ida_alloc_range(&space_ids, 1, U16_MAX, GFP_KERNEL) : 0;

	if (id <= 0) {
		kfree(s);
		return ERR_PTR(-ENOMEM);
	}
	s->id = id;
	spin_lock_init(&s->lock);
	s->ranges = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&s->list);
	return &s->mn;
}

static void space_free(struct mmu_notifier *mn)
{
	struct space *s = container_of(mn, struct space, mn);
	struct extent *none = NULL, *gone = NULL;

	ranges_cut(s, 0, ULONG_MAX, &none, &gone);
	ranges_free(gone);
	ida_free(&space_ids, s->id);
	kfree(s);
}

static const struct mmu_notifier_ops space_ops = {
	.release = space_release,
	.page_mapped = space_page_mapped,
	.invalidate_range_start = space_invalidate,
	.alloc_notifier = space_alloc,
	.free_notifier = space_free,
};

/*
 * The space of @mm, made if need be.  The list holds one reference; proc's
 * ioctls keep the address space while they run.
 */
static struct space *space_get(struct mm_struct *mm)
{
	struct mmu_notifier *mn = mmu_notifier_get(&space_ops, mm);
	struct space *s;
	bool known;

	if (IS_ERR(mn))
		return ERR_CAST(mn);
	s = container_of(mn, struct space, mn);
	spin_lock(&spaces_lock);
	known = !list_empty(&s->list);
	if (!known)
		list_add(&s->list, &spaces);
	spin_unlock(&spaces_lock);
	if (known)
		mmu_notifier_put(mn);
	return s;
}

static int space_policy(struct mm_struct *mm, unsigned long start,
			unsigned long end, const struct refcnt_policy *p)
{
	struct extent *new = NULL, *spare, *gone = NULL;
	struct space *s;
	int err = 0;

	s = space_get(mm);
	if (IS_ERR(s))
		return PTR_ERR(s);
	spare = kzalloc(sizeof(*spare), GFP_KERNEL);
	if (p)
		new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!spare || (p && !new)) {
		kfree(spare);
		kfree(new);
		return -ENOMEM;
	}
	mmap_read_lock(mm);
	spin_lock(&s->lock);
	if ((int)s->nranges + ranges_more(s, start, end, p ? 1 : 0) >
	    RANGES_MAX) {
		err = -ENOMEM;
	} else {
		ranges_cut(s, start, end, &spare, &gone);
		if (new) {
			new->policy = *p;
			range_insert(s, new, start, end - 1);
			new = NULL;
		}
	}
	spin_unlock(&s->lock);
	err = err ?: frames_policy(mm, start, end, s, false, GFP_KERNEL);
	mmap_read_unlock(mm);
	ranges_free(gone);
	kfree(spare);
	kfree(new);
	return err;
}

static int space_default(struct mm_struct *mm, const struct refcnt_policy *p)
{
	struct space *s = space_get(mm);
	int err;

	if (IS_ERR(s))
		return PTR_ERR(s);
	mmap_read_lock(mm);
	spin_lock(&s->lock);
	s->has_default = p;
	if (p)
		s->by_default = *p;
	spin_unlock(&s->lock);
	err = frames_policy(mm, 0, mm->task_size, s, false, GFP_KERNEL);
	mmap_read_unlock(mm);
	return err;
}

static unsigned int shown(u8 percent)
{
	return percent == POLICY_NODES ? 0 : percent;
}

/*
 * The first range of @mm that does not end before @addr; len 0: there is none,
 * and the policy is the default's.
 */
static void space_show(struct mm_struct *mm, unsigned long addr,
		       sn0_policy_args_t *a)
{
	const struct refcnt_policy *p = NULL;
	struct space *s;
	struct extent *r;

	*a = (sn0_policy_args_t) { .vaddr = addr };
	spin_lock(&spaces_lock);
	list_for_each_entry(s, &spaces, list)
		if (s->mn.mm == mm)
			break;
	if (list_entry_is_head(s, &spaces, list)) {
		spin_unlock(&spaces_lock);
		return;
	}
	spin_lock(&s->lock);
	r = range_first(s, addr, ULONG_MAX);
	if (r) {
		a->vaddr = r->range.start;
		a->len = r->range.last - r->range.start + 1;
		p = &r->policy;
	} else if (s->has_default) {
		a->flags = SN0_POLICY_DEFAULT;
		p = &s->by_default;
	}
	if (p) {
		a->flags |= p->flags;
		a->threshold = shown(p->threshold);
		a->freeze_threshold = shown(p->freeze);
		a->melt_threshold = shown(p->melt);
		a->dampening_factor = shown(p->dampening);
	}
	spin_unlock(&s->lock);
	spin_unlock(&spaces_lock);
}

/* --- ioctls --- */

bool refcnt_bad_range(u64 vaddr, u64 len)
{
	return vaddr + len < vaddr || vaddr + len > TASK_SIZE;
}

static int set_policy(struct mm_struct *mm, void __user *arg)
{
	struct refcnt_policy p;
	sn0_policy_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (refcnt_bad_range(a.vaddr, a.len) || a.flags & ~POLICY_FLAGS ||
	    (a.flags & SN0_POLICY_DEFAULT && (a.vaddr || a.len)) ||
	    (a.flags & SN0_POLICY_MIGRATE && a.flags & SN0_POLICY_STAY) ||
	    a.threshold > 100 || a.freeze_threshold > 100 ||
	    a.melt_threshold > 100 || a.dampening_factor > 100 || a.pad ||
	    memchr_inv(a.reserved, 0, sizeof(a.reserved)))
		return -EINVAL;
	if (!a.len && !(a.flags & SN0_POLICY_DEFAULT))
		return 0;
	p = (struct refcnt_policy) {
		.flags = a.flags & ~SN0_POLICY_DEFAULT,
		.threshold = a.flags & SN0_POLICY_THRESHOLD ? a.threshold :
							      POLICY_NODES,
		.freeze = a.flags & SN0_POLICY_FREEZE ? a.freeze_threshold :
							POLICY_NODES,
		.melt = a.flags & SN0_POLICY_MELT ? a.melt_threshold :
						    POLICY_NODES,
		.dampening = a.flags & SN0_POLICY_DAMPENING ?
			     a.dampening_factor : POLICY_NODES,
	};
	if (a.flags & SN0_POLICY_DEFAULT)
		return space_default(mm, p.flags ? &p : NULL);
	return space_policy(mm, round_down(a.vaddr, PAGE_SIZE),
			    round_up(a.vaddr + a.len, PAGE_SIZE),
			    p.flags ? &p : NULL);
}

static int get_policy(struct mm_struct *mm, void __user *arg)
{
	sn0_policy_args_t a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	space_show(mm, a.vaddr, &a);
	return copy_to_user(arg, &a, sizeof(a)) ? -EFAULT : 0;
}

static void fill_buf(struct mm_struct *mm, unsigned long addr, bool extended,
		     sn0_refcnt_buf_t *buf)
{
	struct refcnt_node *n;
	unsigned long flags, next;
	u64 page_size = 0, paddr;
	int node;

	memset(buf, 0, sizeof(*buf));
	buf->cnodeid = CNODEID_NONE;
	paddr = refcnt_walk(mm, addr, &page_size, &next);
	n = page_size ? refcnt_node_of(paddr) : NULL;
	if (!n || refcnt_set_of(n, paddr) < 0)
		return;
	buf->paddr = paddr;
	buf->page_size = page_size;
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

		/* The pointer's four bytes come first of its eight. */
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

static long refcnt_proc_ioctl(struct mm_struct *mm, unsigned int cmd,
			      void __user *arg, bool compat)
{
	nstat_count(&refcnt_stats, numa_node_id(), STAT_IOCTLS, 1);
	switch (cmd) {
	case PIOCSETSN0POLICY:
		return set_policy(mm, arg);
	case PIOCGETSN0POLICY:
		return get_policy(mm, arg);
	case PIOCMIGRATESN0:
		return refcnt_user_migrate(mm, arg);
	case PIOCGETSN0REFCNTRS:
		return get_counters(mm, arg, false, compat);
	case PIOCGETSN0EXTREFCNTRS:
		return get_counters(mm, arg, true, compat);
	}
	return -ENOTTY;
}

static const struct proc_pid_ioctl refcnt_proc = {
	.type = _IOC_TYPE(PIOC),
	.ioctl = refcnt_proc_ioctl,
};

int refcnt_space_init(void)
{
	return proc_pid_ioctl_register(&refcnt_proc);
}

void refcnt_space_exit(void)
{
	struct space *s;

	proc_pid_ioctl_unregister(&refcnt_proc);
	for (;;) {
		spin_lock(&spaces_lock);
		s = list_first_entry_or_null(&spaces, struct space, list);
		if (s)
			list_del_init(&s->list);
		spin_unlock(&spaces_lock);
		if (!s)
			break;
		mmu_notifier_put(&s->mn);
	}
	mmu_notifier_synchronize();
}
