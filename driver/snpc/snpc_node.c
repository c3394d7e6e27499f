// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine's nodes, from the hardware graph.  snpc_node.h has the interface.
 */
#include <linux/slab.h>
#include <linux/topology.h>
#include "hwgraph.h"
#include "snpc_node.h"

struct snpc_node *snpc_nodes[SNPC_MAXNODES];
int snpc_nnodes;

static struct snpc_node *node_of_nasid[MAX_NUMNODES];

struct snpc_node *snpc_this_node(void)
{
	return node_of_nasid[numa_node_id()];
}

static int add_node(int cnode)
{
	struct snpc_node *n;
	char path[sizeof("nodenum/64")];
	vertex_hdl_t v;
	void *nasid;
	int err;

	snprintf(path, sizeof(path), "nodenum/%d", cnode);
	err = hwgraph_traverse(hwgraph_root, path, &v);
	err = err ?: hwgraph_info_get_LBL(v, "_nasid", &nasid);
	if (err)
		return err;
	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
	n->cnode = cnode;
	n->nasid = (long)nasid;
	n->v = v;
	spin_lock_init(&n->vec_lock);
	snpc_nodes[cnode] = n;
	node_of_nasid[n->nasid] = n;
	snpc_nnodes++;
	return 0;
}

int snpc_nodes_init(void)
{
	int err;

	do
		err = add_node(snpc_nnodes);
	while (!err && snpc_nnodes < SNPC_MAXNODES);
	/* The numbers end where there is no path. */
	return err == -ENOENT && snpc_nnodes ? 0 : err;
}

void snpc_nodes_exit(void)
{
	int i;

	for (i = 0; i < snpc_nnodes; i++)
		kfree(snpc_nodes[i]);
}
