/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that snpc.ko offers to other modules, in its namespace SNPC_PEEK.
 */
#ifndef _SNPC_PEEK_H
#define _SNPC_PEEK_H

#include <linux/types.h>

/*
 * Read the four histogram counters of the router port at node @cnode's link
 * into *@hist (RR_HISTOGRAM), and clear them if @clear.  The mode is that of
 * the port's device.  -ENODEV: no such node, or no router; -EIO: no answer.
 * Does not sleep.
 */
int snpc_node_link(int cnode, bool clear, u64 *hist);

#endif
