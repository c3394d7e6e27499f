// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The routers of the machine and the matrix of vector routes from each node to
 * each router (thesis 5.3.1).  snpc_route.h has the interface.
 *
 * Routers are found on the hardware graph: edges lead from nodes to their
 * routers, and from routers to what is at their ports.  A breadth-first search
 * from each router gives the shortest way to it from all others.  Where there
 * are several it takes the lowest port.
 *
 *   route of a router p to r:   0 if p is r, else
 *                               exit port to the next, next's route << 4
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include "hwgraph.h"
#include "snpc_node.h"
#include "snpc_route.h"

#define HOP_BITS 4
#define MAX_HOPS (64 / HOP_BITS)

LIST_HEAD(snpc_routers);

static struct snpc_node *node_at(vertex_hdl_t v)
{
	int i;

	for (i = 0; i < snpc_nnodes; i++)
		if (snpc_nodes[i]->v == v)
			return snpc_nodes[i];
	return NULL;
}

/* The router at vertex @v.  A new one is added to the list. */
static struct snpc_router *router_at(vertex_hdl_t v)
{
	struct snpc_router *r;
	int i;

	list_for_each_entry(r, &snpc_routers, list)
		if (r->v == v)
			return r;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return NULL;
	r->v = v;
	for (i = 1; i <= SNPC_PORTS; i++) {
		r->port[i].router = r;
		r->port[i].port = i;
	}
	list_add_tail(&r->list, &snpc_routers);
	return r;
}

static int find_neighbours(struct snpc_router *r)
{
	char label[] = "1";
	vertex_hdl_t v;
	int i;

	for (i = 1; i <= SNPC_PORTS; i++) {
		struct snpc_node *n;

		label[0] = '0' + i;
		if (hwgraph_edge_get(r->v, label, &v))
			continue;
		n = node_at(v);
		if (n) {
			n->router = r;
			n->port = i;
			r->port[i].node = n;
			continue;
		}
		r->next[i] = router_at(v);
		if (!r->next[i])
			return -ENOMEM;
	}
	return 0;
}

/* The routers of nodes, and then, as the list grows, their neighbours. */
static int find_routers(void)
{
	struct snpc_router *r;
	vertex_hdl_t v;
	int i, err = 0;

	for (i = 0; i < snpc_nnodes; i++) {
		if (hwgraph_edge_get(snpc_nodes[i]->v, "link", &v) ||
		    node_at(v))
			continue;
		if (!router_at(v))
			return -ENOMEM;
	}
	list_for_each_entry(r, &snpc_routers, list)
		err = err ?: find_neighbours(r);
	return err;
}

/* The lowest port of @p that leads to @to; 0: none does. */
static int port_to(struct snpc_router *p, struct snpc_router *to)
{
	int i;

	for (i = 1; i <= SNPC_PORTS; i++)
		if (p->next[i] == to)
			return i;
	return 0;
}

/* The routes to @r: a breadth-first search from it. */
static void find_routes(struct snpc_router *r)
{
	struct snpc_router *p, *q, *last = r;
	int i;

	list_for_each_entry(p, &snpc_routers, list) {
		p->seen = false;
		p->path = SNPC_NO_ROUTE;
		p->queue = NULL;
	}
	r->seen = true;
	r->path = 0;
	for (p = r; p; p = p->queue) {
		/* A path that is full cannot grow by another hop. */
		bool full = p->path >> (HOP_BITS * (MAX_HOPS - 1));

		for (i = 1; i <= SNPC_PORTS && !full; i++) {
			q = p->next[i];
			if (!q || q->seen || !port_to(q, p))
				continue;
			q->seen = true;
			q->path = p->path << HOP_BITS | port_to(q, p);
			last->queue = q;
			last = q;
		}
	}
	for (i = 0; i < SNPC_MAXNODES; i++)
		r->route[i] = i < snpc_nnodes && snpc_nodes[i]->router ?
				      snpc_nodes[i]->router->path :
				      SNPC_NO_ROUTE;
}

int snpc_route_init(void)
{
	struct snpc_router *r;
	int err;

	err = find_routers();
	if (err)
		return err;
	list_for_each_entry(r, &snpc_routers, list)
		find_routes(r);
	return 0;
}

void snpc_route_exit(void)
{
	struct snpc_router *r, *next;

	list_for_each_entry_safe(r, next, &snpc_routers, list) {
		list_del(&r->list);
		kfree(r);
	}
}
