// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Monitor devices: what went wrong on the links of a Hub or a router.
 *
 * The hardware counts retries and errors of each link in 8 or 16 bits that
 * stop at their maximum.  Whoever asks has them read and cleared, and added
 * to 64-bit totals; a field that stood at its maximum is told as an overflow.
 * Link errors are repaired by the hardware: nobody waits for these counts.
 *
 * Left out: reading them now and then while nobody asks, and complaints in the
 * kernel's log.
 * Sources: hubni.h, hubio.h; linkstat(1)'s output.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "snpc_ko.h"

#define MAX8	0xff
#define MAX16	0xffff

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

static int mon_ioctl(struct hwgraph_file *f, unsigned int cmd,
		     void __user *arg, int *rval)
{
	switch (cmd) {
	case SNPC_QUERY:
		return snpc_query(f, arg);
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

int snpc_mon_add(vertex_hdl_t master, struct snpc_node *n,
		 struct snpc_router *r)
{
	struct snpc_tally *t = r ? &r->tally : &n->tally;
	struct snpc_dev d = {
		.master = master, .node = n, .router = r, .id = SNPC_SNO_MON,
		.flags = SNPC_ERRORS,
	};

	mutex_init(&t->lock);
	return snpc_add(master, SNPC_EDGE_MON, 0444, &mon_driver, &d);
}
