// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policies of address spaces.  refcnt_space.h has the interface.
 *
 *   ioctl  --> refcnt_space_policy() --> tree of ranges
 *                    |                        |
 *                    v                        v policy_at()
 *              frames_policy() ------> refcnt_frame_policy(), _leave()
 *                    ^                        ^
 *   munmap() --> space_invalidate()           |
 *   fault    --> space_page_mapped() ---------+
 *
 * An address space with policies has a tree of ranges and an MMU notifier.  A
 * page that becomes mapped gets the policy of its range, or the default policy
 * where there is no range.  A page that is unmapped loses the policy, unless
 * another address space gave it one too.  A range ends where its memory is
 * unmapped, and all of them end with their address space.
 *
 * Left out: fork().  A child starts without policies.
 */
#include <linux/interval_tree.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "refcnt_frame.h"
#include "refcnt_right.h"
#include "refcnt_space.h"
#include "refcnt_walk.h"

/* Ranges of a process.  Linux allows it as many mappings. */
#define RANGES_MAX DEFAULT_MAX_MAP_COUNT

/*
 * A range of an address space.  space.lock guards it while it is in the tree.
 * Whoever takes it out frees it, without the lock, by the list that next makes.
 */
struct extent {
	union {
		struct interval_tree_node range; /* [start, last] */
		struct extent *next;
	};
	struct refcnt_policy policy;
};

/*
 * An address space with policies.  It lives as long as its notifier, whose
 * reference the list holds.  space_free() frees it.
 */
struct space {
	struct mmu_notifier mn;
	u16 id;			      /* its number as a giver */
	struct list_head list;	      /* in spaces; spaces_lock guards it */
	spinlock_t lock;	      /* guards the rest */
	struct rb_root_cached ranges; /* extents; they do not overlap */
	unsigned int nranges;	      /* extents in the tree */
	bool has_default;
	bool held; /* policies ended, perhaps of pages that hold counts */
	struct refcnt_policy by_default; /* for memory that no range covers */
};

/* Taken before a space's lock. */
static DEFINE_SPINLOCK(spaces_lock);
static LIST_HEAD(spaces);

/* --- ranges --- */

/* At most one page table maps the frame. */
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

static void range_insert(struct space *s, struct extent *r, unsigned long first,
			 unsigned long last)
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

/* The policy of @s for the page at @addr.  False: it has none. */
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

/* What becomes of the pages of a part of an address space. */
enum frames_op {
	FRAMES_GIVE, /* they get the policies that the space has for them */
	FRAMES_AWAY, /* they are unmapped, perhaps to be mapped again */
	FRAMES_GONE, /* their ranges are unmapped */
};

/*
 * Let the pages in memory from @start to @end have the policies that @s has for
 * them, or none where it has none or @op says so.  Lets others run.
 * FRAMES_GIVE needs mmap_lock and may fail; the others are for MMU notifiers.
 */
static int frames_policy(struct mm_struct *mm, unsigned long start,
			 unsigned long end, struct space *s, enum frames_op op)
{
	static const enum refcnt_end why[] = {
		[FRAMES_GIVE] = REFCNT_END_HELD,
		[FRAMES_AWAY] = REFCNT_END_AWAY,
		[FRAMES_GONE] = REFCNT_END_GONE,
	};
	gfp_t gfp = op == FRAMES_GIVE ? GFP_KERNEL : GFP_NOWAIT;
	struct refcnt_policy policy;
	struct refcnt_mapped p;
	unsigned long addr;
	int err = 0;

	for (addr = start; addr < end && !err; addr = p.addr + PAGE_SIZE) {
		cond_resched();
		if (op == FRAMES_GIVE ? !refcnt_walk(mm, addr, end, &p, NULL) :
					!refcnt_walk_leaving(mm, addr, end, &p))
			break;
		if (op == FRAMES_GIVE && policy_at(s, p.addr, &policy)) {
			err = refcnt_frame_policy(p.paddr, s->id, &policy,
						  GFP_KERNEL_ACCOUNT);
			if (fatal_signal_pending(current))
				err = -EINTR;
		} else {
			refcnt_frame_leave(p.paddr, s->id, mapped_once(p.paddr),
					   why[op], gfp);
		}
	}
	return err;
}

/*
 * What is allocated for an address space is charged to the control group of its
 * process, whoever asks for it: from charge_begin() to charge_end(), which gets
 * what charge_begin() returned.
 */
struct charge {
	struct mem_cgroup *memcg, *was;
};

static struct charge charge_begin(struct mm_struct *mm)
{
	struct charge c = { .memcg = get_mem_cgroup_from_mm(mm) };

	c.was = set_active_memcg(c.memcg);
	return c;
}

static void charge_end(struct charge c)
{
	set_active_memcg(c.was);
	mem_cgroup_put(c.memcg);
}

/* --- spaces --- */

static void space_page_mapped(struct mmu_notifier *mn, struct mm_struct *mm,
			      unsigned long addr, struct page *page,
			      unsigned int nr)
{
	struct space *s = container_of(mn, struct space, mn);
	struct refcnt_policy policy;
	struct charge charge = charge_begin(mm);

	for (; nr--; addr += PAGE_SIZE, page++)
		if (policy_at(s, addr, &policy))
			refcnt_frame_policy(page_to_phys(page), s->id, &policy,
					    GFP_NOWAIT | __GFP_NOWARN |
						    __GFP_ACCOUNT);
	charge_end(charge);
}

/*
 * Set *@from to the start of the first part of [*@from, @end) that may have
 * policies, or had some, and return its end; 0: no part has.
 */
static unsigned long next_part(struct space *s, unsigned long *from,
			       unsigned long end)
{
	unsigned long to = 0;
	struct extent *r;

	spin_lock(&s->lock);
	r = range_first(s, *from, end - 1);
	if (s->has_default || s->held) {
		to = end;
	} else if (r) {
		*from = max(*from, r->range.start);
		to = min(end, r->range.last + 1);
	}
	spin_unlock(&s->lock);
	return to;
}

/* The pages between @start and @end are about to be unmapped.  May sleep. */
static void space_drop(struct space *s, struct mm_struct *mm,
		       unsigned long start, unsigned long end,
		       enum frames_op op)
{
	unsigned long from = start, to;

	do {
		to = next_part(s, &from, end);
		if (to)
			frames_policy(mm, from, to, s, op);
		from = to;
	} while (to && to < end);
}

/*
 * Cut [@start, @end) out of the ranges.  A range that is cut in two takes
 * *@spare for its second part; if *@spare is NULL the range stays whole.
 * Extents that are no longer used go to the list *@gone.
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
 * By how much the number of ranges grows, at most, if [@start, @end) is cut out
 * of them and @add are added.
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

/*
 * The memory between @start and @end is unmapped: its ranges end.
 *
 * A range that is cut in two needs memory, and this cannot wait for it, because
 * the caller may be what makes memory free.  Without memory the range stays
 * whole, as it does if there are too many.  That is safe: pages that are mapped
 * in the hole later get the range's policy by space_page_mapped(), and lose it
 * by space_drop(), which finds them because the range covers them.  All ranges
 * end with the address space.  The spare is not charged, for at its limit a
 * control group refuses what cannot wait; the mapping that munmap() splits
 * at the same time is charged.
 */
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
	unsigned long from = range->start;

	if (range->event != MMU_NOTIFY_UNMAP &&
	    range->event != MMU_NOTIFY_CLEAR)
		return 0;
	/*
	 * The one caller that cannot wait takes memory from a process that was
	 * killed for want of it.  It leaves such pages to the process's end.
	 */
	if (!mmu_notifier_range_blockable(range))
		return next_part(s, &from, range->end) ? -EAGAIN : 0;
	if (range->event == MMU_NOTIFY_UNMAP) {
		space_drop(s, range->mm, from, range->end, FRAMES_GONE);
		space_forget(s, from, range->end);
	} else {
		space_drop(s, range->mm, from, range->end, FRAMES_AWAY);
	}
	return 0;
}

/* True: the caller took the space off the list and puts its notifier. */
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

	space_drop(s, mm, 0, mm->task_size, FRAMES_GONE);
	if (space_unlist(s))
		mmu_notifier_put(mn);
}

static struct mmu_notifier *space_alloc(struct mm_struct *mm)
{
	struct space *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int id = s ? refcnt_giver_new() : -ENOMEM;

	if (id < 0) {
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
	refcnt_giver_free(s->id);
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
 * The space of @task's @mm.  It is made if it does not exist.  The list holds the
 * reference; the ioctl that calls us holds @mm, so that it does not end.
 */
static struct space *space_get(struct task_struct *task, struct mm_struct *mm)
{
	struct mmu_notifier *mn = mmu_notifier_get(&space_ops, mm);
	struct space *s;
	bool known;

	if (IS_ERR(mn))
		return ERR_CAST(mn);
	s = container_of(mn, struct space, mn);
	spin_lock(&spaces_lock);
	known = !list_empty(&s->list);
	if (!known) {
		refcnt_giver_is(s->id, task);
		list_add(&s->list, &spaces);
	}
	spin_unlock(&spaces_lock);
	if (known)
		mmu_notifier_put(mn);
	return s;
}

/*
 * Cut [@start, @end) out of the ranges, and make it one of policy *@new if @new
 * is not NULL, which the tree then owns.  -ENOMEM: there are too many ranges.
 */
static int ranges_set(struct space *s, unsigned long start, unsigned long end,
		      struct extent *new, struct extent **spare,
		      struct extent **gone)
{
	int err = 0;

	spin_lock(&s->lock);
	if ((int)s->nranges + ranges_more(s, start, end, new ? 1 : 0) >
	    RANGES_MAX) {
		err = -ENOMEM;
	} else {
		ranges_cut(s, start, end, spare, gone);
		if (new)
			range_insert(s, new, start, end - 1);
		else
			s->held = true;
	}
	spin_unlock(&s->lock);
	return err;
}

/* refcnt_space_policy(), while the process is charged. */
static int set_range(struct task_struct *task, struct mm_struct *mm,
		     unsigned long start, unsigned long end,
		     const struct refcnt_policy *p)
{
	struct extent *new = NULL, *spare, *gone = NULL;
	struct space *s;
	int err;

	s = space_get(task, mm);
	if (IS_ERR(s))
		return PTR_ERR(s);
	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (p)
		new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!spare || (p && !new)) {
		kfree(spare);
		kfree(new);
		return -ENOMEM;
	}
	if (new)
		new->policy = *p;
	mmap_read_lock(mm);
	err = ranges_set(s, start, end, new, &spare, &gone);
	if (err)
		kfree(new);
	else
		err = frames_policy(mm, start, end, s, FRAMES_GIVE);
	mmap_read_unlock(mm);
	ranges_free(gone);
	kfree(spare);
	return err;
}

int refcnt_space_policy(struct task_struct *task, struct mm_struct *mm,
			unsigned long start, unsigned long end,
			const struct refcnt_policy *p)
{
	struct charge charge = charge_begin(mm);
	int err = set_range(task, mm, start, end, p);

	charge_end(charge);
	return err;
}

/* refcnt_space_default(), while the process is charged. */
static int set_default(struct task_struct *task, struct mm_struct *mm,
		       const struct refcnt_policy *p)
{
	struct space *s = space_get(task, mm);
	int err;

	if (IS_ERR(s))
		return PTR_ERR(s);
	mmap_read_lock(mm);
	spin_lock(&s->lock);
	s->has_default = p;
	if (p)
		s->by_default = *p;
	else
		s->held = true;
	spin_unlock(&s->lock);
	err = frames_policy(mm, 0, mm->task_size, s, FRAMES_GIVE);
	mmap_read_unlock(mm);
	return err;
}

int refcnt_space_default(struct task_struct *task, struct mm_struct *mm,
			 const struct refcnt_policy *p)
{
	struct charge charge = charge_begin(mm);
	int err = set_default(task, mm, p);

	charge_end(charge);
	return err;
}

void refcnt_space_show(struct mm_struct *mm, unsigned long addr,
		       sn0_policy_args_t *a)
{
	const struct refcnt_policy *p = NULL;
	struct space *s;
	struct extent *r;

	*a = (sn0_policy_args_t){ .vaddr = addr };
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
		a->threshold = p->threshold;
		a->freeze_threshold = p->freeze;
		a->melt_threshold = p->melt;
		a->dampening_factor = p->dampening;
	}
	spin_unlock(&s->lock);
	spin_unlock(&spaces_lock);
}

/* --- end --- */

void refcnt_space_exit(void)
{
	struct space *s;

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
