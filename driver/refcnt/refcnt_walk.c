// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which physical memory a process has at its addresses.  refcnt_walk.h has the
 * interface.
 *
 * munmap() frees page tables while it holds mmap_lock for reading only.  Whoever
 * walks them with that lock must stay in areas that the process still has, which
 * is what the kernel's own walk does (kernel/patches/0021).
 *
 * Left out: pages that are not in memory.
 */
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/pagewalk.h>
#include <linux/pgtable.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "refcnt_walk.h"

/*
 * Special: registers that a driver mapped, whose frame numbers look like those
 * of memory, and the zero page, which all processes share.
 */
static bool is_page(pte_t pte)
{
	return pte_present(pte) && !pte_special(pte);
}

/* --- areas that the process has --- */

struct look {
	struct refcnt_mapped *p;
	struct folio **folio;
	bool found;
};

/* The page table is locked, so the page stays mapped. */
static void found(struct look *l, unsigned long addr, pte_t pte, u64 size)
{
	unsigned long pfn = pte_pfn(pte) + PHYS_PFN(addr & (size - 1));
	struct page *page = pfn_to_online_page(pfn);

	*l->p = (struct refcnt_mapped){ addr, PFN_PHYS(pfn), size };
	l->found = page;
	if (page && l->folio) {
		*l->folio = page_folio(page);
		folio_get(*l->folio);
	}
}

/* No lock is held here but mmap_lock. */
static int look_table(pmd_t *pmd, unsigned long addr, unsigned long next,
		      struct mm_walk *walk)
{
	cond_resched();
	return fatal_signal_pending(current);
}

static int look_pte(pte_t *pte, unsigned long addr, unsigned long next,
		    struct mm_walk *walk)
{
	struct look *l = walk->private;
	pte_t entry = ptep_get(pte);

	if (is_page(entry))
		found(l, addr, entry, PAGE_SIZE);
	return l->found;
}

static int look_huge(pte_t *pte, unsigned long hmask, unsigned long addr,
		     unsigned long next, struct mm_walk *walk)
{
	struct hstate *h = hstate_vma(walk->vma);
	struct look *l = walk->private;
	spinlock_t *lock = huge_pte_lock(h, walk->mm, pte);
	pte_t entry = huge_ptep_get(walk->mm, addr, pte);

	if (!huge_pte_none(entry) && is_page(entry))
		found(l, addr, entry, huge_page_size(h));
	spin_unlock(lock);
	return l->found;
}

bool refcnt_walk(struct mm_struct *mm, unsigned long start, unsigned long end,
		 struct refcnt_mapped *p, struct folio **folio)
{
	static const struct mm_walk_ops ops = {
		.pmd_entry = look_table,
		.pte_entry = look_pte,
		.hugetlb_entry = look_huge,
		.walk_lock = PGWALK_RDLOCK,
	};
	struct look l = { .p = p, .folio = folio };

	walk_page_range(mm, start, end, &ops, &l);
	return l.found;
}

/* --- areas that are about to go --- */

/* The page at @addr.  There is none between @addr and *@next if it is false. */
static bool look_at(struct mm_struct *mm, unsigned long addr,
		    unsigned long *next, struct refcnt_mapped *p)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd, pmdv;
	pte_t pte;

	*next = round_down(addr, PGDIR_SIZE) + PGDIR_SIZE;
	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return false;
	p4d = p4d_offset(pgd, addr);
	pud = pud_offset(p4d, addr);
	if (pud_none(*pud) || pud_bad(*pud))
		return false;
	pmd = pmd_offset(pud, addr);
	pmdv = READ_ONCE(*pmd);
	*next = round_down(addr, PMD_SIZE) + PMD_SIZE;
	p->addr = addr;
#ifdef CONFIG_MIPS_HUGE_TLB_SUPPORT
	if (pmd_leaf(pmdv)) {
		p->size = PMD_SIZE;
		p->paddr = PFN_PHYS(pmd_pfn(pmdv)) | (addr & ~PMD_MASK);
		return true;
	}
#endif
	if (pmd_none(pmdv) || pmd_bad(pmdv))
		return false;
	pte = READ_ONCE(*pte_offset_kernel(&pmdv, addr));
	*next = addr + PAGE_SIZE;
	if (!is_page(pte))
		return false;
	p->size = PAGE_SIZE;
	p->paddr = PFN_PHYS(pte_pfn(pte));
	return true;
}

bool refcnt_walk_leaving(struct mm_struct *mm, unsigned long start,
			 unsigned long end, struct refcnt_mapped *p)
{
	unsigned long addr, next;

	for (addr = start; addr < end; addr = next) {
		if (look_at(mm, addr, &next, p))
			return true;
		cond_resched();
	}
	return false;
}

bool refcnt_bad_range(u64 vaddr, u64 len)
{
	return vaddr + len < vaddr || vaddr + len > TASK_SIZE;
}
