// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vector operations: reads and writes of router registers, which have no
 * address.  snpc_vec.h has the interface.
 *
 * The Hub sends a request along a route that software gives it, and keeps the
 * reply in registers of its own.  It has one set of these registers, so the
 * node's vec_lock allows one operation at a time.  A reply that comes after its
 * request was given up is recognised by its identity and dropped.
 *
 * Sources: hubni.h; include/regs/hub_ni.h.inc.
 */
#include <linux/errno.h>
#include "hub.h"
#include "snpc_node.h"
#include "snpc_stat.h"
#include "snpc_vec.h"

/* Looks for the reply before the request is given up: some milliseconds. */
#define POLLS 10000

/* Wait for the reply to @id.  Its status word; 0: none came. */
static u64 reply(int nasid, unsigned int id)
{
	int i;

	for (i = 0; i < POLLS; i++) {
		/* Reading this register makes room for the next reply. */
		u64 s = hub_read(nasid, R_NI_VECTOR_CLEAR);

		if (SN_FIELD_GET(s, NI_VECTOR_STATUS, VALID) &&
		    SN_FIELD_GET(s, NI_VECTOR_STATUS, PIOID) == id)
			return s;
	}
	return 0;
}

static int error_of(u64 status, unsigned int op)
{
	unsigned int type = SN_FIELD_GET(status, NI_VECTOR_STATUS, TYPE);

	if (!status)
		return -EIO;
	switch (type) {
	case V_NI_VECTOR_STATUS_TYPE_ADDR_ERR:
		return -ENXIO;
	case V_NI_VECTOR_STATUS_TYPE_CMD_ERR:
		return -EINVAL;
	case V_NI_VECTOR_STATUS_TYPE_PROT_ERR:
		return -EACCES;
	}
	return type == op ? 0 : -EIO;
}

int snpc_vector(struct snpc_router *r, unsigned int op, u32 addr, u64 *data)
{
	struct snpc_node *n = snpc_this_node();
	u64 route = r->route[n->cnode], status, parms;

	if (route == SNPC_NO_ROUTE)
		return -EIO;
	spin_lock(&n->vec_lock);
	n->vec_id = (n->vec_id + 1) & SN_ONES(R_NI_VECTOR_PARMS_PIOID_WIDTH);
	parms = SN_FIELD_SET(0, NI_VECTOR_PARMS, PIOID, n->vec_id);
	parms = SN_FIELD_SET(parms, NI_VECTOR_PARMS, ADDRESS, addr >> 3);
	parms = SN_FIELD_SET(parms, NI_VECTOR_PARMS, TYPE, op);
	hub_write(n->nasid, R_NI_VECTOR_PARMS, parms);
	if (op != SNPC_VEC_READ)
		hub_write(n->nasid, R_NI_VECTOR_DATA, *data);
	hub_write(n->nasid, R_NI_VECTOR, route);
	status = reply(n->nasid, n->vec_id);
	if (status && op != SNPC_VEC_WRITE)
		*data = hub_read(n->nasid, R_NI_VECTOR_READ_DATA);
	spin_unlock(&n->vec_lock);
	snpc_count(SNPC_STAT_VECTOR);
	if (!status)
		snpc_count(SNPC_STAT_NO_ANSWER);
	return error_of(status, op);
}
