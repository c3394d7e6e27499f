// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt.ko: the memory reference counters of refcnt(5), and pages that move
 * by them.
 *
 *   /hw/.../node/refcnt   per node: what it has (RCB_INFO_GET, RCB_SLOT_GET),
 *                         how it treats its memory (RCB_MIGR_GET, _SET), mmap
 *                         of its extended counters
 *   /proc/%05d            per process: refcnt_space.c
 *
 * Left out: replication.
 * Sources: refcnt(5), migration(5), thesis 3.2.2, hubmd.h.
 */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/sn/arch.h>
#include <asm/sn/intr.h>
#include <asm/sn/klconfig.h>
#include "refcnt.h"

static_assert(offsetof(rcb_info_t, rcb_reserved) == 64);
static_assert(sizeof(rcb_migr_t) == 128);

struct refcnt_node *refcnt_nodes[MAX_NUMNODES];
int refcnt_nnodes;

static const char *const stat_names[NSTATS] = {
	[STAT_INTERRUPTS] = "counter interrupts",
	[STAT_OVERRUNS] = "candidates missed",
	[STAT_UPDATES] = "sets updated",
	[STAT_UNQUIET] = "sets updated while counting",
	[STAT_UNKEPT] = "pages without memory for counters",
	[STAT_TO] = "auto migrations to node",
	[STAT_FROM] = "auto migrations from node",
	[STAT_FROZEN] = "skips: frozen",
	[STAT_NEAR] = "skips: near",
	[STAT_DAMPENED] = "skips: dampened",
	[STAT_NO_MEMORY] = "skips: no memory",
	[STAT_STUCK] = "skips: not migratable",
	[STAT_QUEUED] = "requests queued",
	[STAT_LATE] = "queued requests honoured",
	[STAT_UNPEGGED] = "pages unpegged",
	[STAT_USER_TO] = "user migrations to node",
	[STAT_USER_FROM] = "user migrations from node",
	[STAT_USER_STUCK] = "user migration skips",
	[STAT_IOCTLS] = "ioctls",
};

struct nstat refcnt_stats = {
	.module = "refcnt",
	.names = stat_names,
	.n = NSTATS,
};

static void fill_info(struct refcnt_node *n, rcb_info_t *info)
{
	*info = (rcb_info_t) {
		.rcb_len = n->sets * refcnt_set_bytes(),
		.rcb_sw_sets = n->sets,
		.rcb_sw_counters_per_set = refcnt_nnodes,
		.rcb_sw_counter_size = sizeof(refcnt_t),
		.rcb_base_pages = n->sets / FRAME_SETS,
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

static int migr_ioctl(struct refcnt_node *n, unsigned int cmd, void __user *arg)
{
	rcb_migr_t m;

	if (cmd == RCB_MIGR_GET) {
		mutex_lock(&n->ctl);
		m = n->migr;
		mutex_unlock(&n->ctl);
		return copy_to_user(arg, &m, sizeof(m)) ? -EFAULT : 0;
	}
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&m, arg, sizeof(m)))
		return -EFAULT;
	return refcnt_migr_set(n, &m);
}

/*
 * Found once: the graph's lock would have all ioctls wait in one line, and is
 * held where the kernel copies names to a program's memory, which may be this
 * device's.
 */
static int refcnt_open(struct hwgraph_file *f)
{
	f->priv = device_info_get(f->dev);
	return f->priv ? 0 : -ENODEV;
}

static int refcnt_ioctl(struct hwgraph_file *f, unsigned int cmd,
			void __user *arg, int *rval)
{
	struct refcnt_node *n = f->priv;
	int err;

	refcnt_stat(n, STAT_IOCTLS, 1);
	switch (cmd) {
	case RCB_INFO_GET:
		return copy_info(n, arg);
	case RCB_SLOT_GET:
		err = copy_slots(n, arg);
		*rval = err ? 0 : SN_BANKS;
		return err;
	case RCB_MIGR_GET:
	case RCB_MIGR_SET:
		return migr_ioctl(n, cmd, arg);
	}
	return -EINVAL;
}

static int refcnt_map(struct hwgraph_file *f, vhandl_t *vt, loff_t off,
		      size_t len, int prot)
{
	struct refcnt_node *n = f->priv;

	if (!len)
		return -ENXIO;
	if (off + len > PAGE_ALIGN(n->sets * refcnt_set_bytes()))
		return -EPERM;
	return 0;
}

static struct page *refcnt_page(struct hwgraph_file *f, pgoff_t i)
{
	struct refcnt_node *n = f->priv;
	struct page *page;

	if (i >= n->npages)
		return ERR_PTR(-EINVAL);
	page = refcnt_counter_page(n, i, GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);
	get_page(page);
	return page;
}

static const struct hwgraph_driver refcnt_driver = {
	.prefix = "refcnt",
	.owner = THIS_MODULE,
	.open = refcnt_open,
	.ioctl = refcnt_ioctl,
	.map = refcnt_map,
	.page = refcnt_page,
	.map_prot = PROT_READ,
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

static void node_end(struct refcnt_node *n)
{
	u32 i;

	refcnt_migr_end(n);
	if (n->dev)
		hwgraph_vertex_destroy(n->dev);
	for (i = 0; n->pages && i < n->npages; i++)
		if (n->pages[i])
			__free_page(n->pages[i]);
	kvfree(n->pages);
	kvfree(n->frames);
	refcnt_nodes[n->nasid] = NULL;
	kfree(n);
}

static int node_begin(int nasid)
{
	struct refcnt_node *n = kzalloc_node(sizeof(*n), GFP_KERNEL, nasid);
	char path[sizeof("nodenum/64")];
	vertex_hdl_t v;
	u64 config;
	int err;
	u32 i;

	if (!n)
		return -ENOMEM;
	n->nasid = nasid;
	spin_lock_init(&n->lock);
	mutex_init(&n->ctl);
	mutex_init(&n->meeting);
	config = hub_read(nasid, R_MD_MEMORY_CONFIG);
	n->count_max = SN_ONES(SN_FIELD_GET(config, MD_MEMORY_CONFIG,
					    DIR_PREMIUM) ?
			       SN_PPROT_REFCNT_WIDTH : SN_SPROT_REFCNT_WIDTH);
	n->count_mask = (u64)n->count_max << SN_PROT_REFCNT_SHIFT;
	node_memory(n);
	n->npages = DIV_ROUND_UP(n->sets * refcnt_set_bytes(), PAGE_SIZE);
	n->pages = kvcalloc(n->npages, sizeof(*n->pages), GFP_KERNEL);
	n->frames = kvmalloc_array(n->sets / FRAME_SETS, sizeof(*n->frames),
				   GFP_KERNEL);
	if (!n->pages || !n->frames) {
		kvfree(n->pages);
		kvfree(n->frames);
		kfree(n);
		return -ENOMEM;
	}
	for (i = 0; i < n->sets / FRAME_SETS; i++)
		n->frames[i] = (struct refcnt_frame) {
			.policy = refcnt_no_policy,
		};
	refcnt_nodes[nasid] = n;
	err = refcnt_migr_begin(n);
	snprintf(path, sizeof(path), "nodenum/%d", nasid);
	err = err ?: hwgraph_traverse(hwgraph_root, path, &v);
	return err ?: hwgraph_char_device_add(v, "refcnt", 0444, &refcnt_driver,
					      n, &n->dev);
}

static void end_all(void)
{
	int i;

	for (i = 0; i < MAX_NUMNODES; i++)
		if (refcnt_nodes[i])
			node_end(refcnt_nodes[i]);
	nstat_remove(&refcnt_stats);
}

static int __init refcnt_init(void)
{
	int nasid, err;

	refcnt_nnodes = num_online_nodes();
	err = nstat_add(&refcnt_stats);
	if (err)
		return err;
	for_each_online_node(nasid) {
		err = err ?: node_begin(nasid);
	}
	if (err)
		goto no_nodes;
	err = refcnt_migr_init();
	if (err)
		goto no_nodes;
	err = ip27_request_pg_mig(refcnt_interrupt);
	if (err)
		goto no_interrupt;
	err = refcnt_space_init();
	if (!err)
		return 0;
	ip27_free_pg_mig();
no_interrupt:
	refcnt_migr_exit();
no_nodes:
	end_all();
	return err;
}

static void __exit refcnt_exit(void)
{
	refcnt_space_exit();
	ip27_free_pg_mig();
	refcnt_migr_exit();
	end_all();
}

module_init(refcnt_init);
module_exit(refcnt_exit);
MODULE_DESCRIPTION("Memory reference counters and page migration");
MODULE_LICENSE("GPL");
