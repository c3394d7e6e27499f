// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: the memory reference counters of refcnt(5).
 *
 *   /hw/.../node/refcnt   per node: what it has (RCB_INFO_GET, RCB_SLOT_GET),
 *                         mmap of its extended counters
 *   /hw/.../node/stat     per node: interrupts and what else is counted, text
 *   /proc/%05d            per process: PIOCGETSN0REFCNTRS and friends
 *
 * The Hub counts every read request that reaches a 4 KB page, by the node that
 * sent it, in 11 or 19 bits that stop at their maximum.  An extended counter
 * is a 64-bit word in memory for each of them.  On a page that is being kept,
 * a count that reaches the absolute threshold interrupts the page's node; the
 * handler adds the whole set to memory and clears it.
 *
 *   back door, page p:   | prot, mode, count of node 0 | node 1 | ...
 *   memory, set p:       | extended counter of node 0  | node 1 | ...
 *
 * Extended counters take memory only where pages are kept or where a program
 * looked: their pages come one by one, on the node they describe.
 *
 * What the hardware counts between the handler's read of a count and its write
 * of zero, two uncached accesses, is lost.
 *
 * Left out: more than 64 nodes (a counter for eight); replication.
 * Sources: refcnt(5), thesis 3.2.2, hubmd.h.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/pgtable.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <asm/sn/arch.h>
#include <asm/sn/intr.h>
#include <asm/sn/klconfig.h>
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>
#include "hub.h"
#include "hwgraph.h"
#include "regs/md_dir.h"
#include "statctr.h"

#define SETS_PER_CANDIDATE	4	/* the Hub names 16 KB */
#define CANDIDATE_SHIFT		14
/* What the Hub reports relative to, once migration asks for it. */
#define DIFF_THRESHOLD		10

static_assert(sizeof(sn0_refcnt_set_t) == 552);
static_assert(sizeof(sn0_refcnt_buf_t) == 608);
static_assert(sizeof(sn0_refcnt_args_t) == 56);
static_assert(offsetof(rcb_info_t, rcb_reserved) == 64);

/* Counted per node, shown by nstats. */
enum { STAT_INTERRUPTS, STAT_OVERRUNS, STAT_UPDATES, STAT_IOCTLS, NSTATS };

static const char *const stat_names[] = {
	"counter interrupts", "candidates missed", "sets updated", "ioctls",
};

struct refcnt_node {
	int nasid;		/* = cnodeid on this machine */
	vertex_hdl_t dev, stat_dev;
	u32 sets;		/* 4 KB pages, holes of chunked banks included */
	u32 slot_size[SN_BANKS];
	unsigned int count_max;
	u64 count_mask;		/* of a back door word */
	/*
	 * Guards the page table below and the node's back door words against
	 * the interrupt handler.
	 */
	spinlock_t lock;
	struct page **pages;	/* of the extended counters, NULL until used */
	u32 npages;
	statctr_t stat[NSTATS];
};

static struct refcnt_node *nodes[MAX_NUMNODES];
static int nnodes;

static struct refcnt_node *node_of(u64 paddr)
{
	unsigned int nasid = SN_PA_NASID(paddr);

	return nasid < MAX_NUMNODES ? nodes[nasid] : NULL;
}

/* --- sets --- */

/* Number of the set of a page of memory; -1 where there is none. */
static long set_of(struct refcnt_node *n, u64 paddr)
{
	u64 off = SN_PA_OFFSET(paddr);
	unsigned int bank = off >> SN_BANK_SHIFT, i;
	u64 set = (off & (SN_BANK_SIZE - 1)) >> SN_MDPAGE_SHIFT;

	if ((off & (SN_BANK_SIZE - 1)) >= n->slot_size[bank])
		return -1;
	for (i = 0; i < bank; i++)
		set += n->slot_size[i] >> SN_MDPAGE_SHIFT;
	return set;
}

static size_t set_bytes(void)
{
	return nnodes * sizeof(refcnt_t);
}

/* Page @i of the extended counters, made if need be; may sleep. */
static struct page *counter_page(struct refcnt_node *n, u32 i)
{
	struct page *new = NULL, *page;
	unsigned long flags;

	if (!READ_ONCE(n->pages[i])) {
		new = alloc_pages_node(n->nasid, GFP_KERNEL | __GFP_ZERO, 0);
		if (!new)
			return NULL;
	}
	spin_lock_irqsave(&n->lock, flags);
	if (!n->pages[i]) {
		n->pages[i] = new;
		new = NULL;
	}
	page = n->pages[i];
	spin_unlock_irqrestore(&n->lock, flags);
	if (new)
		__free_page(new);
	return page;
}

/* The extended counter of @node in set @set; NULL if there is no memory yet. */
static refcnt_t *counter(struct refcnt_node *n, u32 set, int node)
{
	size_t at = set * set_bytes() + node * sizeof(refcnt_t);
	struct page *page = n->pages[at >> PAGE_SHIFT];

	return page ? page_address(page) + offset_in_page(at) : NULL;
}

static u64 word_read(struct refcnt_node *n, u64 paddr, int node)
{
	return __raw_readq(hub_backdoor(n->nasid,
					sn_bdprt(SN_PA_OFFSET(paddr), node)));
}

static void word_write(struct refcnt_node *n, u64 paddr, int node, u64 w)
{
	__raw_writeq(w, hub_backdoor(n->nasid,
				     sn_bdprt(SN_PA_OFFSET(paddr), node)));
}

static unsigned int count_of(struct refcnt_node *n, u64 w)
{
	return (w & n->count_mask) >> SN_PROT_REFCNT_SHIFT;
}

static unsigned int mode_of(u64 w)
{
	return SN_GET(w, SN_PROT_MIGMD_SHIFT, SN_PROT_MIGMD_WIDTH);
}

/* Move a set's counts to memory; the caller holds the lock. */
static void set_update(struct refcnt_node *n, u64 paddr)
{
	long set = set_of(n, paddr);
	int node;

	for (node = 0; node < nnodes; node++) {
		refcnt_t *c = counter(n, set, node);
		u64 w = word_read(n, paddr, node);

		if (!c || !count_of(n, w))
			continue;
		word_write(n, paddr, node, w & ~n->count_mask);
		*c += count_of(n, w);
	}
	statctr_inc(&n->stat[STAT_UPDATES]);
}

/* Keep extended counters of one 4 KB page from now on, or stop. */
static int set_keep(struct refcnt_node *n, u64 paddr, bool on)
{
	long set = set_of(n, paddr);
	unsigned long flags;
	size_t at;
	int node;

	if (set < 0)
		return -EINVAL;
	for (at = set * set_bytes(); on && at < (set + 1) * set_bytes();
	     at += sizeof(refcnt_t))
		if (!counter_page(n, at >> PAGE_SHIFT))
			return -ENOMEM;
	spin_lock_irqsave(&n->lock, flags);
	/* What was counted before belongs to no one; what was kept stays. */
	if (!on)
		set_update(n, paddr);
	for (node = 0; node < nnodes; node++) {
		u64 w = word_read(n, paddr, node);

		if (mode_of(w) == (on ? SN_MIG_IABS : SN_MIG_OFF))
			continue;
		w = SN_SET(w, SN_PROT_MIGMD_SHIFT, SN_PROT_MIGMD_WIDTH,
			   on ? SN_MIG_IABS : SN_MIG_OFF);
		word_write(n, paddr, node, on ? w & ~n->count_mask : w);
	}
	spin_unlock_irqrestore(&n->lock, flags);
	return 0;
}

/* --- the interrupt --- */

static void refcnt_interrupt(int nasid)
{
	struct refcnt_node *n = nodes[nasid];
	u64 cand, paddr;
	int i, node;

	if (!n)
		return;
	cand = hub_read(nasid, R_MD_MIG_CANDIDATE_CLR);
	if (!SN_FIELD_GET(cand, MD_MIG_CANDIDATE, VALID))
		return;
	statctr_inc(&n->stat[STAT_INTERRUPTS]);
	/* What was missed crosses again with its next reference. */
	statctr_add(&n->stat[STAT_OVERRUNS],
		    SN_FIELD_GET(cand, MD_MIG_CANDIDATE, OVERRUN));
	paddr = SN_PA(0, nasid, SN_FIELD_GET(cand, MD_MIG_CANDIDATE, ADDR) <<
		      CANDIDATE_SHIFT);
	node = SN_FIELD_GET(cand, MD_MIG_CANDIDATE, NODEID);
	spin_lock(&n->lock);
	for (i = 0; i < SETS_PER_CANDIDATE; i++, paddr += SN_MDPAGE_SIZE) {
		u64 w = word_read(n, paddr, node);

		if (mode_of(w) == SN_MIG_IABS &&
		    count_of(n, w) >= (n->count_max + 1) / 2 - 1)
			set_update(n, paddr);
	}
	spin_unlock(&n->lock);
}

/* --- the device --- */

static void fill_info(struct refcnt_node *n, rcb_info_t *info)
{
	*info = (rcb_info_t) {
		.rcb_len = n->sets * set_bytes(),
		.rcb_sw_sets = n->sets,
		.rcb_sw_counters_per_set = nnodes,
		.rcb_sw_counter_size = sizeof(refcnt_t),
		.rcb_base_pages = n->sets >> (PAGE_SHIFT - SN_MDPAGE_SHIFT),
		.rcb_base_page_size = PAGE_SIZE,
		.rcb_base_paddr = SN_PA(0, n->nasid, 0),
		.rcb_cnodeid = n->nasid,
		.rcb_granularity = SN_MDPAGE_SIZE,
		.rcb_hw_counter_max = n->count_max,
		.rcb_diff_threshold =
			SN_FIELD_GET(hub_read(n->nasid, R_MD_MIG_DIFF_THRESH),
				     MD_MIG_DIFF_THRESH, VALUE),
		.rcb_abs_threshold =
			SN_FIELD_GET(hub_read(n->nasid, R_MD_MIG_VALUE_THRESH),
				     MD_MIG_VALUE_THRESH, VALUE),
		.rcb_num_slots = SN_BANKS,
	};
}

static int copy_info(struct refcnt_node *n, void __user *arg)
{
	rcb_info_t *info = kmalloc(sizeof(*info), GFP_KERNEL);
	int err;

	if (!info)
		return -ENOMEM;
	fill_info(n, info);
	err = copy_to_user(arg, info, sizeof(*info)) ? -EFAULT : 0;
	kfree(info);
	return err;
}

static int copy_slots(struct refcnt_node *n, void __user *arg)
{
	rcb_slot_t slot[SN_BANKS];
	int i;

	for (i = 0; i < SN_BANKS; i++) {
		slot[i].base = SN_PA(0, n->nasid, i * SN_BANK_SIZE);
		slot[i].size = n->slot_size[i];
	}
	return copy_to_user(arg, slot, sizeof(slot)) ? -EFAULT : 0;
}

/* All pages of a node: many uncached accesses, so let others run and be killed. */
static int keep_node(struct refcnt_node *n, bool on)
{
	u64 off;
	int bank, err = 0;

	for (bank = 0; bank < SN_BANKS; bank++)
		for (off = 0; off < n->slot_size[bank] && !err;
		     off += SN_MDPAGE_SIZE) {
			err = set_keep(n, SN_PA(0, n->nasid,
						bank * SN_BANK_SIZE + off), on);
			cond_resched();
			if (fatal_signal_pending(current))
				err = -EINTR;
		}
	return err;
}

static int refcnt_ioctl(vertex_hdl_t dev, unsigned int cmd, void __user *arg,
			int flag, int *rval)
{
	struct refcnt_node *n = device_info_get(dev);
	int on, err;

	if (!n)
		return -ENODEV;
	statctr_inc(&n->stat[STAT_IOCTLS]);
	switch (cmd) {
	case RCB_INFO_GET:
		return copy_info(n, arg);
	case RCB_SLOT_GET:
		err = copy_slots(n, arg);
		*rval = err ? 0 : SN_BANKS;
		return err;
	case RCB_COUNT_SET:
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		if (get_user(on, (int __user *)arg))
			return -EFAULT;
		if (on & ~1)
			return -EINVAL;
		return keep_node(n, on);
	}
	return -EINVAL;
}

static int refcnt_map(vertex_hdl_t dev, vhandl_t *vt, loff_t off, size_t len,
		      int prot)
{
	struct refcnt_node *n = device_info_get(dev);

	if (!n)
		return -ENODEV;
	if (!len)
		return -ENXIO;
	if (off + len > PAGE_ALIGN(n->sets * set_bytes()))
		return -EPERM;
	return 0;
}

static struct page *refcnt_page(vertex_hdl_t dev, pgoff_t i)
{
	struct refcnt_node *n = device_info_get(dev);
	struct page *page;

	if (!n || i >= n->npages)
		return ERR_PTR(-EINVAL);
	page = counter_page(n, i);
	if (!page)
		return ERR_PTR(-ENOMEM);
	get_page(page);
	return page;
}

static const struct hwgraph_driver refcnt_driver = {
	.prefix = "refcnt",
	.owner = THIS_MODULE,
	.ioctl = refcnt_ioctl,
	.map = refcnt_map,
	.page = refcnt_page,
	.map_prot = PROT_READ,
};

static int stat_show(vertex_hdl_t dev, struct seq_file *m)
{
	struct refcnt_node *n = device_info_get(dev);
	int i;

	if (!n)
		return -ENODEV;
	for (i = 0; i < NSTATS; i++)
		seq_printf(m, "%s: %lu\n", stat_names[i],
			   statctr_read(&n->stat[i]));
	return 0;
}

static const struct hwgraph_driver stat_driver = {
	.prefix = "stat",
	.owner = THIS_MODULE,
	.show = stat_show,
};

/* --- /proc --- */

/*
 * The physical page behind @addr and the bytes of the page that maps it; 0
 * where there is none.  The caller holds mmap_lock.
 */
static u64 walk(struct mm_struct *mm, unsigned long addr, u64 *page_size)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd, pmdv;
	pte_t pte;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return 0;
	p4d = p4d_offset(pgd, addr);
	pud = pud_offset(p4d, addr);
	if (pud_none(*pud) || pud_bad(*pud))
		return 0;
	pmd = pmd_offset(pud, addr);
	pmdv = READ_ONCE(*pmd);
#ifdef CONFIG_MIPS_HUGE_TLB_SUPPORT
	if (pmd_leaf(pmdv)) {
		*page_size = PMD_SIZE;
		return PFN_PHYS(pmd_pfn(pmdv)) | (addr & ~PMD_MASK);
	}
#endif
	if (pmd_none(pmdv) || pmd_bad(pmdv))
		return 0;
	pte = READ_ONCE(*pte_offset_kernel(pmd, addr));
	if (!pte_present(pte))
		return 0;
	*page_size = PAGE_SIZE;
	return PFN_PHYS(pte_pfn(pte)) | offset_in_page(addr);
}

static void fill_buf(struct mm_struct *mm, unsigned long addr, bool extended,
		     sn0_refcnt_buf_t *buf)
{
	struct refcnt_node *n;
	unsigned long flags;
	u64 page_size = 0, paddr;
	int node;
	long set;

	memset(buf, 0, sizeof(*buf));
	buf->cnodeid = CNODEID_NONE;
	paddr = walk(mm, addr, &page_size);
	n = page_size ? node_of(paddr) : NULL;
	set = n ? set_of(n, paddr) : -1;
	if (set < 0)
		return;
	buf->paddr = paddr;
	buf->page_size = page_size;
	buf->cnodeid = n->nasid;
	spin_lock_irqsave(&n->lock, flags);
	for (node = 0; node < nnodes; node++) {
		refcnt_t *c = counter(n, set, node);

		if (!extended)
			buf->refcnt_set.refcnt[node] =
				count_of(n, word_read(n, paddr, node));
		else if (c)
			buf->refcnt_set.refcnt[node] = *c;
	}
	spin_unlock_irqrestore(&n->lock, flags);
}

/* A page that has the extended counters kept from now on. */
static int keep_page(struct mm_struct *mm, unsigned long addr)
{
	u64 page_size = 0, paddr;
	struct refcnt_node *n;

	mmap_read_lock(mm);
	paddr = walk(mm, addr, &page_size);
	mmap_read_unlock(mm);
	n = page_size ? node_of(paddr) : NULL;
	if (!n || set_of(n, paddr) < 0)
		return 0;
	return set_keep(n, paddr, true);
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
	if (args->vaddr + args->len < args->vaddr ||
	    args->vaddr + args->len > TASK_SIZE)
		return -EINVAL;
	return 0;
}

static long refcnt_proc_ioctl(struct mm_struct *mm, unsigned int cmd,
			      void __user *arg, bool compat)
{
	sn0_refcnt_buf_t __user *to;
	sn0_refcnt_args_t args;
	sn0_refcnt_buf_t *buf;
	unsigned long addr, end;
	int err;

	if (cmd != PIOCGETSN0REFCNTRS && cmd != PIOCGETSN0EXTREFCNTRS &&
	    cmd != PIOCSETSN0REFCNTRS)
		return -ENOTTY;
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
		if (cmd == PIOCSETSN0REFCNTRS) {
			err = keep_page(mm, addr);
		} else {
			mmap_read_lock(mm);
			fill_buf(mm, addr, cmd == PIOCGETSN0EXTREFCNTRS, buf);
			mmap_read_unlock(mm);
			if (copy_to_user(to++, buf, sizeof(*buf)))
				err = -EFAULT;
		}
		cond_resched();
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	kfree(buf);
	return err;
}

static const struct proc_pid_ioctl refcnt_proc = {
	.type = _IOC_TYPE(PIOC),
	.ioctl = refcnt_proc_ioctl,
};

/* --- start and end --- */

/* Bytes that bank @mb of memory spans; a chunked bank has holes in them. */
static u32 bank_span(int mb)
{
	u64 size = (u64)mb << 20;

	if (size <= SN_BANK_CHUNK || size == SN_BANK_SIZE)
		return size;
	return 3 * SN_BANK_CHUNK + size / 4;
}

/* The memory that firmware's table has for a node. */
static void node_memory(struct refcnt_node *n)
{
	lboard_t *brd;
	int i, bank;

	for (brd = KL_CONFIG_INFO(n->nasid); brd; brd = KLCF_NEXT(brd)) {
		if (KLCF_CLASS(brd) != KLCLASS_NODE)
			continue;
		for (i = 0; i < KLCF_NUM_COMPS(brd); i++) {
			klmembnk_t *mem = (klmembnk_t *)KLCF_COMP(brd, i);

			if (mem->membnk_info.struct_type != KLSTRUCT_MEMBNK)
				continue;
			for (bank = 0; bank < SN_BANKS; bank++)
				n->slot_size[bank] =
					bank_span(mem->membnk_bnksz[bank]);
		}
	}
	for (bank = 0; bank < SN_BANKS; bank++)
		n->sets += n->slot_size[bank] >> SN_MDPAGE_SHIFT;
}

/* Absolute threshold: half of what a counter holds; it is always on. */
static void node_thresholds(struct refcnt_node *n, bool on)
{
	hub_write(n->nasid, R_MD_MIG_DIFF_THRESH, DIFF_THRESHOLD);
	hub_write(n->nasid, R_MD_MIG_VALUE_THRESH,
		  (on ? R_MD_MIG_VALUE_THRESH_VALID_MASK : 0) |
		  ((n->count_max + 1) / 2 - 1));
	hub_read(n->nasid, R_MD_MIG_CANDIDATE_CLR);
}

static void node_end(struct refcnt_node *n)
{
	u32 i;

	if (n->dev)
		hwgraph_vertex_destroy(n->dev);
	if (n->stat_dev)
		hwgraph_vertex_destroy(n->stat_dev);
	if (n->pages) {
		node_thresholds(n, false);
		for (i = 0; i < n->npages; i++)
			if (n->pages[i])
				__free_page(n->pages[i]);
		kvfree(n->pages);
	}
	statctr_ncleanup(n->stat, NSTATS);
	nodes[n->nasid] = NULL;
	kfree(n);
}

static int node_begin(int nasid)
{
	struct refcnt_node *n = kzalloc_node(sizeof(*n), GFP_KERNEL, nasid);
	char path[sizeof("nodenum/64")];
	vertex_hdl_t v;
	u64 config;
	int err;

	if (!n)
		return -ENOMEM;
	n->nasid = nasid;
	nodes[nasid] = n;
	spin_lock_init(&n->lock);
	err = statctr_ninit(n->stat, NSTATS, 0);
	if (err)
		return err;
	config = hub_read(nasid, R_MD_MEMORY_CONFIG);
	n->count_max = SN_ONES(SN_FIELD_GET(config, MD_MEMORY_CONFIG,
					    DIR_PREMIUM) ?
			       SN_PPROT_REFCNT_WIDTH : SN_SPROT_REFCNT_WIDTH);
	n->count_mask = (u64)n->count_max << SN_PROT_REFCNT_SHIFT;
	node_memory(n);
	n->npages = DIV_ROUND_UP(n->sets * set_bytes(), PAGE_SIZE);
	n->pages = kvcalloc(n->npages, sizeof(*n->pages), GFP_KERNEL);
	if (!n->pages)
		return -ENOMEM;
	node_thresholds(n, true);
	snprintf(path, sizeof(path), "nodenum/%d", nasid);
	err = hwgraph_traverse(hwgraph_root, path, &v);
	err = err ?: hwgraph_char_device_add(v, "refcnt", 0444, &refcnt_driver,
					     n, &n->dev);
	return err ?: hwgraph_char_device_add(v, "stat", 0444, &stat_driver, n,
					      &n->stat_dev);
}

static void end_all(void)
{
	int i;

	for (i = 0; i < MAX_NUMNODES; i++)
		if (nodes[i])
			node_end(nodes[i]);
}

static int __init refcnt_init(void)
{
	int nasid, err = 0;

	nnodes = num_online_nodes();
	for_each_online_node(nasid) {
		err = err ?: node_begin(nasid);
	}
	if (err)
		goto no_nodes;
	err = ip27_request_pg_mig(refcnt_interrupt);
	if (err)
		goto no_nodes;
	err = proc_pid_ioctl_register(&refcnt_proc);
	if (!err)
		return 0;
	ip27_free_pg_mig();
no_nodes:
	end_all();
	return err;
}

static void __exit refcnt_exit(void)
{
	proc_pid_ioctl_unregister(&refcnt_proc);
	ip27_free_pg_mig();
	end_all();
}

module_init(refcnt_init);
module_exit(refcnt_exit);
MODULE_DESCRIPTION("Memory reference counters");
MODULE_LICENSE("GPL");
