// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snpc.ko: event counters of Hub and Router for programs, after the loadable
 * kernel module of thesis 5.3.1.  <snpc.h> says what programs see.
 *
 *   /hw/.../node/hub/md  io  rtc     registers to map    snpc_map.c
 *   /hw/.../node/hub/ni              counters of a link  snpc_link.c
 *   /hw/.../router/stat/1 .. 6
 *   /hw/.../node/hub/mon             errors of links     snpc_mon.c
 *   /hw/.../router/mon
 *
 * With extended=1 also every register of Hubs and Routers, for root only:
 *
 *   /hw/.../node/hub/hubreg  ialias                      snpc_map.c
 *   /hw/.../router/rreg                                  snpc_link.c
 *
 * This file starts and ends the parts.  From below:
 *
 *   snpc_stat.c   what the module counts of itself
 *   snpc_own.c    ownership of counter sets
 *   snpc_node.c   nodes
 *   snpc_vec.c    vector operations on a router's registers
 *   snpc_route.c  routers, links and vector routes
 *   snpc_dev.c    what all devices have in common
 *   snpc_map.c, snpc_link.c, snpc_mon.c   the devices
 *   snpc_peek.c   a link's histogram, for other modules
 *
 * A file calls only those above it in this list.
 *
 * Left out: sampling, multiplexing and counters of 64 bits, which programs do;
 * ni of nodes that are connected without a router.
 */
#include <linux/module.h>
#include "hwgraph.h"
#include "snpc_dev.h"
#include "snpc_link.h"
#include "snpc_map.h"
#include "snpc_mon.h"
#include "snpc_route.h"
#include "snpc_stat.h"

static bool extended;
module_param(extended, bool, 0444);
MODULE_PARM_DESC(extended,
		 "devices for all registers of Hubs and Routers: unsafe");

static int add_hub(struct snpc_node *n)
{
	int err;

	err = snpc_map_add(n);
	err = err ?: snpc_mon_add_hub(n);
	if (extended)
		err = err ?: snpc_map_add_registers(n);
	return err;
}

static int add_router(struct snpc_router *r)
{
	int err;

	err = snpc_link_add(r);
	if (extended)
		err = err ?: snpc_link_add_registers(r);
	return err ?: snpc_mon_add_router(r);
}

/* The vertex router/stat is nobody's device, but the devices made it. */
static void remove_stat(struct snpc_router *r)
{
	vertex_hdl_t v;

	if (!hwgraph_traverse(r->v, SNPC_EDGE_STAT, &v))
		hwgraph_vertex_destroy(v);
}

/*
 * The module has no timer, thread or interrupt of its own.  All its work is done
 * by open files, of which there are none at its end, and none before its init
 * function has succeeded (hwgdev.c).  So devices of all nodes go first, then
 * what they point to.
 */
static void end_all(void)
{
	struct snpc_router *r;

	snpc_dev_remove_all();
	list_for_each_entry(r, &snpc_routers, list)
		remove_stat(r);
	snpc_route_exit();
	snpc_nodes_exit();
	snpc_stat_exit();
}

static int __init snpc_init(void)
{
	struct snpc_router *r;
	int i, err;

	err = snpc_stat_init();
	if (err)
		return err;
	err = snpc_nodes_init();
	err = err ?: snpc_route_init();
	for (i = 0; i < snpc_nnodes && !err; i++)
		err = add_hub(snpc_nodes[i]);
	list_for_each_entry(r, &snpc_routers, list)
		err = err ?: add_router(r);
	if (err)
		end_all();
	return err;
}

static void __exit snpc_exit(void)
{
	end_all();
}

module_init(snpc_init);
module_exit(snpc_exit);
MODULE_DESCRIPTION("Event counters of Hub and Router");
MODULE_LICENSE("GPL");
