/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled into refcnt.ko for safety.c: whenever the module itself goes from a page table to an entry in it, time passes, so that another
 * processor can free the table meanwhile.
 */
#include <linux/delay.h>
#include <linux/pgtable.h>

static inline pte_t *slow_entry(pte_t *entry)
{
    mdelay(1);
    return entry;
}

static inline pte_t *fast_entry(pmd_t *pmd, unsigned long addr)
{
    return pte_offset_kernel(pmd, addr);
}

#undef pte_offset_kernel
#define pte_offset_kernel(pmd, addr) slow_entry(fast_entry(pmd, addr))
