// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device of each node: /hw/.../node/refcnt of refcnt(5).
 *
 *   RCB_INFO_GET, RCB_SLOT_GET   the node's counters and memory
 *   RCB_MIGR_GET, RCB_MIGR_SET   its rules; refcnt_migr.c
 *   mmap(2)                      its extended counters; refcnt_mem.c
 *
 *   refcnt_dev_begin()  refcnt_dev_end()
 *
 * Left out: replication.
 * Sources: refcnt(5), thesis 3.2.2, hubmd.h.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "hub.h"
#include "hwgdev.h"
#include "hwgraph.h"
#include "refcnt_dev.h"
#include "refcnt_mem.h"
#include "refcnt_migr.h"

static_assert(offsetof(rcb_info_t, rcb_reserved) == 64);
static_assert(sizeof(rcb_migr_t) == 128);

static void fill_info(struct refcnt_node *n, rcb_info_t *info)
{
	*info = (rcb_info_t){
		.rcb_len = n->sets * refcnt_set_bytes(),
		.rcb_sw_sets = n->sets,
		.rcb_sw_counters_per_set = refcnt_nnodes,
		.rcb_sw_counter_size = sizeof(refcnt_t),
		.rcb_base_pages = n->sets / FRAME_SETS,
		.rcb_base_page_size = PAGE_SIZE,
		.rcb_base_paddr = SN_PA(0, n->nasid, 0),
		.rcb_cnodeid = n->nasid,
		.rcb_granularity = SN_MDPAGE_SIZE,
		.rcb_hw_counter_max = n->rules.count_max,
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
		refcnt_migr_get(n, &m);
		return copy_to_user(arg, &m, sizeof(m)) ? -EFAULT : 0;
	}
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&m, arg, sizeof(m)))
		return -EFAULT;
	return refcnt_migr_set(n, &m);
}

/*
 * The node is looked up once, here, for two reasons.  device_info_get() takes
 * the graph's lock, for which ioctls of all CPUs would queue.  And readdir()
 * holds that lock while it copies names to a program's memory, which may be a
 * mapping of this device: refcnt_page() must not need the lock.
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
	refcnt_view_begin(n);
	return 0;
}

static void refcnt_unmap(struct hwgraph_file *f, int prot)
{
	refcnt_view_end(f->priv);
}

static struct page *refcnt_page(struct hwgraph_file *f, pgoff_t i)
{
	struct refcnt_node *n = f->priv;
	struct page *page;

	if (i >= n->npages)
		return ERR_PTR(-EINVAL);
	page = refcnt_view_page(n, i);
	return page ?: ERR_PTR(-ENOMEM);
}

static const struct hwgraph_driver refcnt_driver = {
	.prefix = "refcnt",
	.owner = THIS_MODULE,
	.open = refcnt_open,
	.ioctl = refcnt_ioctl,
	.map = refcnt_map,
	.unmap = refcnt_unmap,
	.page = refcnt_page,
	.map_prot = PROT_READ,
};

/* --- start and end --- */

int refcnt_dev_begin(struct refcnt_node *n)
{
	char path[sizeof("nodenum/64")];
	vertex_hdl_t v;
	int err;

	snprintf(path, sizeof(path), "nodenum/%d", n->nasid);
	err = hwgraph_traverse(hwgraph_root, path, &v);
	if (err)
		return err;
	return hwgraph_char_device_add(v, "refcnt", 0444, &refcnt_driver, n,
				       &n->dev);
}

void refcnt_dev_end(struct refcnt_node *n)
{
	if (n->dev)
		hwgraph_vertex_destroy(n->dev);
	n->dev = 0;
}
