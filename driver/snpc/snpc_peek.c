// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The histogram of the router port at a node's link, for modules that measure
 * where they cannot use a device.  snpc_peek.h has the interface.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include "hub.h"
#include "snpc_node.h"
#include "snpc_peek.h"
#include "snpc_vec.h"

int snpc_node_link(int cnode, bool clear, u64 *hist)
{
	struct snpc_node *n;
	u32 reg;

	if (cnode < 0 || cnode >= snpc_nnodes)
		return -ENODEV;
	n = snpc_nodes[cnode];
	if (!n || !n->router)
		return -ENODEV;
	reg = clear ? SN_REG_N(RR_HISTOGRAM_CLEAR, n->port - 1) :
		      SN_REG_N(RR_HISTOGRAM, n->port - 1);
	return snpc_vector(n->router, SNPC_VEC_READ, reg, hist);
}
EXPORT_SYMBOL_NS_GPL(snpc_node_link, SNPC_PEEK);
