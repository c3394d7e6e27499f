// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snpc.ko: the histogram of the router port where a node hangs, for modules
 * that measure in places where they cannot use a device.
 *
 *   snpc_node_link()
 */
#include <linux/errno.h>
#include <linux/export.h>
#include "snpc_ko.h"
#include "snpc_peek.h"

/*
 * Read the four counters of the port where node @cnode hangs, and clear them
 * if asked to.  The mode is that of the port's device.  Does not sleep.
 * -ENODEV: no such node, or no router; -EIO: no answer.
 */
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
