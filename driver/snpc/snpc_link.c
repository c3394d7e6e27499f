// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Link devices: the histogram counters of a router's port, and rreg, all
 * registers of a router.  snpc_link.h has the interface.
 *
 *   SNPC_HIST_POLL, SNPC_HIST_READ      do_hist()   --+
 *   SNPC_HISTSEL_SET                    sel_write() --+--> snpc_vector()
 *   SNPC_VECOP (rreg)                   do_vecop()  --+
 *   SNPC_VECTBL                         the router's routes
 *
 * A port is one counter set under all its names: router/stat/N, and hub/ni of
 * the node at its other end.
 *
 * The port's mode is kept in memory, so a reading costs one vector operation.
 * A program that changes the mode through rreg does so behind the back of the
 * link devices.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include "hub.h"
#include "snpc_dev.h"
#include "snpc_link.h"
#include "snpc_stat.h"
#include "snpc_vec.h"

static_assert(sizeof(link_hist_t) == 24);
static_assert(sizeof(snpc_vectbl_t) == 8 + 8 * SNPC_MAXNODES);

#define PORT_REG(name, port) SN_REG_N(name, -1 + (port))

/* --- the port's mode; callers hold its set's lock --- */

static int sel_write(struct snpc_port *p, const struct link_histsel *sel)
{
	u32 reg = PORT_REG(RR_PORT_PARMS, p->port);
	u64 old, new;
	int err;

	err = snpc_vector(p->router, SNPC_VEC_READ, reg, &old);
	if (err)
		return err;
	new = SN_FIELD_SET(old, RR_PORT_PARMS, HISTSEL, sel->sel);
	new = SN_FIELD_SET(new, RR_PORT_PARMS, DAMQ_VC, sel->vc);
	if (new != old)
		err = snpc_vector(p->router, SNPC_VEC_WRITE, reg, &new);
	if (!err)
		p->sel = *sel;
	return err;
}

static int sel_utilisation(struct snpc_port *p)
{
	static const struct link_histsel util = { .sel = SNPC_HIST_UTIL };

	return sel_write(p, &util);
}

static void link_idle(struct snpc_set *set)
{
	/* An error is ignored: the next open tries it again. */
	sel_utilisation(container_of(set, struct snpc_port, set));
}

/* --- ioctls --- */

static int hist_read(struct snpc_port *p, u32 reg, struct link_hist *h)
{
	u64 v;
	int err, i;

	snpc_count(SNPC_STAT_READINGS);
	h->rtc = hub_read(cpu_to_node(0), R_PI_RT_COUNT);
	err = snpc_vector(p->router, SNPC_VEC_READ, reg, &v);
	if (err)
		return err;
	for (i = 0; i < SNPC_HIST_COUNTERS; i++)
		h->count[i] = v >> (i * R_RR_HISTOGRAM_CNT0_WIDTH);
	h->sel = p->sel.sel;
	h->vc = p->sel.vc;
	h->gen = p->set.gen;
	return 0;
}

static int do_hist(struct snpc_port *p, struct hwgraph_file *f,
		   unsigned int cmd, void __user *arg)
{
	u32 reg = PORT_REG(RR_HISTOGRAM, p->port);
	struct link_hist h = {};
	int err = 0;

	mutex_lock(&p->set.lock);
	if (cmd == SNPC_HIST_READ) {
		reg = PORT_REG(RR_HISTOGRAM_CLEAR, p->port);
		err = snpc_acquire(&p->set, f);
	}
	err = err ?: hist_read(p, reg, &h);
	mutex_unlock(&p->set.lock);
	if (!err && copy_to_user(arg, &h, sizeof(h)))
		err = -EFAULT;
	return err;
}

static int do_histsel_get(struct snpc_port *p, void __user *arg)
{
	struct link_histsel sel;

	mutex_lock(&p->set.lock);
	sel = p->sel;
	mutex_unlock(&p->set.lock);
	return copy_to_user(arg, &sel, sizeof(sel)) ? -EFAULT : 0;
}

static int do_histsel_set(struct snpc_port *p, struct hwgraph_file *f,
			  void __user *arg)
{
	struct link_histsel sel;
	int err;

	if (copy_from_user(&sel, arg, sizeof(sel)))
		return -EFAULT;
	if (sel.sel > SNPC_HIST_DAMQ ||
	    sel.vc > SN_ONES(R_RR_PORT_PARMS_DAMQ_VC_WIDTH))
		return -EINVAL;
	mutex_lock(&p->set.lock);
	err = snpc_acquire(&p->set, f);
	err = err ?: sel_write(p, &sel);
	mutex_unlock(&p->set.lock);
	return err;
}

static int do_vectbl(struct snpc_router *r, void __user *arg)
{
	struct snpc_vectbl t = { .nodes = snpc_nnodes };

	static_assert(sizeof(t.route) == sizeof(r->route));
	memcpy(t.route, r->route, sizeof(t.route));
	return copy_to_user(arg, &t, sizeof(t)) ? -EFAULT : 0;
}

static int do_vecop(struct snpc_router *r, struct hwgraph_file *f,
		    void __user *arg)
{
	struct snpc_vecop op;
	int err;

	if (copy_from_user(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.op != SNPC_VEC_READ && op.op != SNPC_VEC_WRITE &&
	    op.op != SNPC_VEC_EXCHANGE)
		return -EINVAL;
	if (op.addr & 7 ||
	    op.addr >> 3 > SN_ONES(R_NI_VECTOR_PARMS_ADDRESS_WIDTH))
		return -EINVAL;
	if (op.op != SNPC_VEC_READ && !snpc_writable(f))
		return -EBADF;
	err = snpc_vector(r, op.op, op.addr, &op.data);
	if (!err && copy_to_user(arg, &op, sizeof(op)))
		err = -EFAULT;
	return err;
}

/* --- the devices --- */

static int link_open(struct hwgraph_file *f)
{
	struct snpc_port *p;
	struct snpc_dev *d;
	int err;

	err = snpc_dev_open(f);
	if (err)
		return err;
	d = f->priv;
	p = d->port;
	mutex_lock(&p->set.lock);
	if (!p->set.owner)
		err = sel_utilisation(p);
	mutex_unlock(&p->set.lock);
	return err;
}

static void link_close(struct hwgraph_file *f)
{
	struct snpc_dev *d = f->priv;

	snpc_own_close(&d->port->set, f);
}

static int link_ioctl(struct hwgraph_file *f, unsigned int cmd,
		      void __user *arg, int *rval)
{
	struct snpc_dev *d = f->priv;

	switch (cmd) {
	case SNPC_QUERY:
		return snpc_dev_query(f, arg);
	case SNPC_HIST_POLL:
	case SNPC_HIST_READ:
		return do_hist(d->port, f, cmd, arg);
	case SNPC_HISTSEL_GET:
		return do_histsel_get(d->port, arg);
	case SNPC_HISTSEL_SET:
		return do_histsel_set(d->port, f, arg);
	case SNPC_VECTBL:
		return do_vectbl(d->router, arg);
	case SNPC_ACQUIRE:
	case SNPC_RELEASE:
		return snpc_own_ioctl(&d->port->set, f, cmd, arg);
	}
	return -ENOTTY;
}

static int rreg_open(struct hwgraph_file *f)
{
	return capable(CAP_SYS_RAWIO) ? snpc_dev_open(f) : -EPERM;
}

static int rreg_ioctl(struct hwgraph_file *f, unsigned int cmd,
		      void __user *arg, int *rval)
{
	struct snpc_dev *d = f->priv;

	switch (cmd) {
	case SNPC_QUERY:
		return snpc_dev_query(f, arg);
	case SNPC_VECTBL:
		return do_vectbl(d->router, arg);
	case SNPC_VECOP:
		return do_vecop(d->router, f, arg);
	}
	return -ENOTTY;
}

static const struct hwgraph_driver link_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = link_open,
	.close = link_close,
	.ioctl = link_ioctl,
};

static const struct hwgraph_driver rreg_driver = {
	.prefix = "snpc",
	.owner = THIS_MODULE,
	.open = rreg_open,
	.ioctl = rreg_ioctl,
};

int snpc_link_add(struct snpc_router *r)
{
	struct snpc_dev d = {
		.master = r->v,
		.router = r,
		.id = SNPC_SNO_LINK,
		.flags = SNPC_LINK,
	};
	char path[] = SNPC_EDGE_STAT "/1";
	int i, err = 0;

	for (i = 1; i <= SNPC_PORTS && !err; i++) {
		struct snpc_port *p = &r->port[i];

		snpc_set_init(&p->set, link_idle);
		d.port = p;
		d.set = &p->set;
		d.node = p->node;
		path[sizeof(path) - 2] = '0' + i;
		err = snpc_dev_add(r->v, path, 0666, &link_driver, &d);
		if (!err && p->node)
			err = snpc_dev_add(p->node->v,
					   SNPC_EDGE_HUB "/" SNPC_EDGE_NI, 0666,
					   &link_driver, &d);
	}
	return err;
}

int snpc_link_add_registers(struct snpc_router *r)
{
	struct snpc_dev d = {
		.master = r->v,
		.router = r,
		.id = SNPC_SNO_RREG,
		.flags = SNPC_RREG,
	};

	return snpc_dev_add(r->v, SNPC_EDGE_RREG, 0600, &rreg_driver, &d);
}
