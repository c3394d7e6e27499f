// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which physical memory a process has at an address.  refcnt_walk.h has the
 * interface.
 *
 * Left out: pages that are not in memory.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/uaccess.h>
#include "refcnt_walk.h"

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
	 * Special: registers that a driver mapped, whose frame numbers look
	 * like those of memory, and the zero page, which all processes share.
	 */
	if (!pte_present(pte) || pte_special(pte))
		return 0;
	*page_size = PAGE_SIZE;
	return PFN_PHYS(pte_pfn(pte)) | offset_in_page(addr);
}

bool refcnt_bad_range(u64 vaddr, u64 len)
{
	return vaddr + len < vaddr || vaddr + len > TASK_SIZE;
}
