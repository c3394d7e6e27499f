// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Map devices: registers of a Hub in a program's address space.  snpc_map.h has
 * the interface.
 *
 *   md, io    the event counters, each of which has a page of 16 KB of its own
 *             (thesis 5.2.2); a writable mapping makes its file their owner
 *   rtc       the real-time counter, which has its own page too; read only
 *   hubreg    all registers of the node's Hub; with extended=1, for root
 *   ialias    all registers of the Hub of whoever accesses them; likewise
 *
 * Stores through hubreg and ialias can stop the machine.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include "hub.h"
#include "hwgraph.h"
#include "snpc_dev.h"
#include "snpc_map.h"

/* The kernel's pages are as large as the Hub expects, and the layouts agree. */
static_assert(PAGE_SIZE == 0x4000);
static_assert(R_MD_PERF_CNT - R_MD_PERF_SEL == offsetof(hubmd_regs_t, count));
static_assert(R_IIO_IPPR - R_IIO_IPCR == offsetof(hubio_regs_t, count));

static void md_idle(struct snpc_set *set)
{
	struct snpc_node *n = container_of(set, struct snpc_node, md);

	hub_write(n->nasid, R_MD_PERF_SEL, 0);
}

static void io_idle(struct snpc_set *set)
{
	struct snpc_node *n = container_of(set, struct snpc_node, io);

	hub_write(n->nasid, R_IIO_IPCR, 0);
}

static void map_close(struct hwgraph_file *f)
{
	struct snpc_dev *d = f->priv;

	if (d->set)
		snpc_own_close(d->set, f);
}

static int map_ioctl(struct hwgraph_file *f, unsigned int cmd, void __user *arg,
		     int *rval)
{
	struct snpc_dev *d = f->priv;

	switch (cmd) {
	case SNPC_QUERY:
		return snpc_dev_query(f, arg);
	case SNPC_ACQUIRE:
	case SNPC_RELEASE:
		if (d->set)
			return snpc_own_ioctl(d->set, f, cmd, arg);
	}
	return -ENOTTY;
}

static int map_registers(struct snpc_dev *d, vhandl_t *vt, size_t len)
{
	return v_mapphys(vt, (void *)(IO_BASE + (d->base & PAGE_MASK)), len);
}

static int map_map(struct hwgraph_file *f, vhandl_t *vt, loff_t off, size_t len,
		   int prot)
{
	struct snpc_dev *d = f->priv;
	bool was_owner;
	int err;

	if (off || len > d->size)
		return -ENXIO;
	if (!d->set || !(prot & PROT_WRITE))
		return map_registers(d, vt, len);
	mutex_lock(&d->set->lock);
	was_owner = d->set->owner == f;
	err = snpc_acquire(d->set, f);
	if (!err) {
		err = map_registers(d, vt, len);
		if (!err)
			d->set->writers++;
		else if (!was_owner)
			snpc_disown(d->set);
	}
	mutex_unlock(&d->set->lock);
	return err;
}

static void map_unmap(struct hwgraph_file *f, int prot)
{
	struct snpc_dev *d = f->priv;

	if (!d->set || !(prot & PROT_WRITE))
		return;
	mutex_lock(&d->set->lock);
	d->set->writers--;
	mutex_unlock(&d->set->lock);
}

static int root_open(struct hwgraph_file *f)
{
	return capable(CAP_SYS_RAWIO) ? snpc_dev_open(f) : -EPERM;
}

static const struct hwgraph_driver counter_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = snpc_dev_open,
	.close = map_close,
	.ioctl = map_ioctl,
	.map = map_map,
	.unmap = map_unmap,
	.map_prot = PROT_READ | PROT_WRITE,
};

static const struct hwgraph_driver rtc_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = snpc_dev_open,
	.close = map_close,
	.ioctl = map_ioctl,
	.map = map_map,
	.map_prot = PROT_READ,
};

static const struct hwgraph_driver register_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = root_open,
	.close = map_close,
	.ioctl = map_ioctl,
	.map = map_map,
	.map_prot = PROT_READ | PROT_WRITE,
};

#define HUB(n, reg) SN_PA(0, (n)->nasid, SN_HUB_REGS + (reg))

int snpc_map_add(struct snpc_node *n)
{
	struct snpc_dev d = { .node = n, .size = PAGE_SIZE };
	int err;

	snpc_set_init(&n->md, md_idle);
	snpc_set_init(&n->io, io_idle);
	err = hwgraph_traverse(n->v, SNPC_EDGE_HUB, &d.master);
	if (err)
		return err;

	d.id = SNPC_SNO_HUBMD;
	d.flags = SNPC_MAP | SNPC_WRITE;
	d.base = HUB(n, R_MD_PERF_SEL);
	d.set = &n->md;
	err = snpc_dev_add(d.master, SNPC_EDGE_MD, 0666, &counter_driver, &d);
	if (err)
		return err;

	d.id = SNPC_SNO_HUBIO;
	d.base = HUB(n, R_IIO_IPCR);
	d.set = &n->io;
	err = snpc_dev_add(d.master, SNPC_EDGE_IO, 0666, &counter_driver, &d);
	if (err)
		return err;

	d.id = SNPC_SNO_HUBRTC;
	d.flags = SNPC_MAP;
	d.base = HUB(n, R_PI_RT_COUNT);
	d.set = NULL;
	return snpc_dev_add(d.master, SNPC_EDGE_RTC, 0444, &rtc_driver, &d);
}

int snpc_map_add_registers(struct snpc_node *n)
{
	struct snpc_dev d = {
		.node = n,
		.id = SNPC_SNO_HUBREG,
		.flags = SNPC_MAP | SNPC_WRITE,
		.base = HUB(n, 0),
		.size = SN_HUB_REGS_SIZE,
	};
	int err;

	err = hwgraph_traverse(n->v, SNPC_EDGE_HUB, &d.master);
	if (err)
		return err;
	err = snpc_dev_add(d.master, SNPC_EDGE_HUBREG, 0600, &register_driver,
			   &d);
	if (err)
		return err;

	d.id = SNPC_SNO_IALIAS;
	d.base = SN_PA(0, 0, SN_IALIAS);
	return snpc_dev_add(d.master, SNPC_EDGE_IALIAS, 0600, &register_driver,
			    &d);
}
