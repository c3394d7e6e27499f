// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Monitor devices: errors of the links of a Hub or a router.  snpc_mon.h has
 * the interface.
 *
 * The hardware counts retries and errors of each link in 8 or 16 bits that stop
 * at their maximum.  SNPC_MON reads and clears them and adds them to totals of
 * 64 bits.  A count that stood at its maximum is reported as an overflow.  The
 * hardware repairs link errors, so nothing depends on these counts.
 *
 * Left out: reading the counts while no program asks, and messages in the
 * kernel's log.
 * Sources: hubni.h, hubio.h; linkstat(1)'s output.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "hub.h"
#include "hwgraph.h"
#include "snpc_dev.h"
#include "snpc_mon.h"
#include "snpc_vec.h"

static_assert(sizeof(snpc_mon_t) == 16 + 32 * (SNPC_PORTS + 1));

#define MAX8  0xff
#define MAX16 0xffff

/* @max: where the hardware's counts stop. */
static void add(snpc_errors_t *e, u64 retry, u64 sn, u64 cb, u64 max)
{
	e->retry += retry;
	e->sn += sn;
	e->cb += cb;
	e->overflows += retry == max || sn == max || cb == max;
}

static void add_hub(struct snpc_node *n, snpc_mon_t *m)
{
	u64 v = hub_read(n->nasid, R_NI_PORT_ERROR_CLEAR);

	add(&m->link[SNPC_MON_NI], SN_FIELD_GET(v, NI_PORT_ERROR, RETRYCOUNT),
	    SN_FIELD_GET(v, NI_PORT_ERROR, SNERRCOUNT),
	    SN_FIELD_GET(v, NI_PORT_ERROR, CBERRCOUNT), MAX8);
	v = hub_read(n->nasid, R_IIO_ILLR);
	add(&m->link[SNPC_MON_II], 0, SN_FIELD_GET(v, IIO_ILLR, SN_CNT),
	    SN_FIELD_GET(v, IIO_ILLR, CB_CNT), MAX16);
	m->links = BIT(SNPC_MON_NI) | BIT(SNPC_MON_II);
}

static int add_router(struct snpc_router *r, snpc_mon_t *m)
{
	int i, err;
	u64 v;

	for (i = 1; i <= SNPC_PORTS; i++) {
		if (!r->next[i] && !r->port[i].node)
			continue;
		m->links |= BIT(i);
		err = snpc_vector(r, SNPC_VEC_READ,
				  SN_REG_N(RR_ERROR_CLEAR, i - 1), &v);
		if (err)
			return err;
		add(&m->link[i], SN_FIELD_GET(v, RR_STATUS_ERROR, RETRYCOUNT),
		    SN_FIELD_GET(v, RR_STATUS_ERROR, SNERRCOUNT),
		    SN_FIELD_GET(v, RR_STATUS_ERROR, CBERRCOUNT), MAX8);
	}
	return 0;
}

/* SNPC_MON */
static int do_mon(struct snpc_dev *d, void __user *arg)
{
	struct snpc_tally *t = d->router ? &d->router->tally : &d->node->tally;
	snpc_mon_t m;
	int err = 0;

	mutex_lock(&t->lock);
	if (d->router)
		err = add_router(d->router, &t->mon);
	else
		add_hub(d->node, &t->mon);
	t->mon.now = ktime_get_boottime_ns();
	m = t->mon;
	mutex_unlock(&t->lock);
	if (!err && copy_to_user(arg, &m, sizeof(m)))
		err = -EFAULT;
	return err;
}

static int mon_ioctl(struct hwgraph_file *f, unsigned int cmd, void __user *arg,
		     int *rval)
{
	switch (cmd) {
	case SNPC_QUERY:
		return snpc_dev_query(f, arg);
	case SNPC_MON:
		return do_mon(f->priv, arg);
	}
	return -ENOTTY;
}

static const struct hwgraph_driver mon_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = snpc_dev_open,
	.ioctl = mon_ioctl,
};

static int mon_add(struct snpc_tally *t, const struct snpc_dev *d)
{
	mutex_init(&t->lock);
	return snpc_dev_add(d->master, SNPC_EDGE_MON, 0444, &mon_driver, d);
}

int snpc_mon_add_hub(struct snpc_node *n)
{
	struct snpc_dev d = {
		.node = n,
		.id = SNPC_SNO_MON,
		.flags = SNPC_ERRORS,
	};
	int err;

	err = hwgraph_traverse(n->v, SNPC_EDGE_HUB, &d.master);
	return err ?: mon_add(&n->tally, &d);
}

int snpc_mon_add_router(struct snpc_router *r)
{
	const struct snpc_dev d = {
		.master = r->v,
		.router = r,
		.id = SNPC_SNO_MON,
		.flags = SNPC_ERRORS,
	};

	return mon_add(&r->tally, &d);
}
