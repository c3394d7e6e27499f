/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes and routers, and how they are linked:
 *
 *   snpc_node <--------- snpc_port[port].node
 *      |                     |
 *      router, port          +-- in snpc_router, with next[port]: the router
 *      |                         at the other end
 *      +---------> snpc_router
 *
 * snpc_main.c makes them when the module starts: snpc_node.c the nodes,
 * snpc_route.c the routers and the links.  They stay until its end.
 *
 *   snpc_nodes_init()  snpc_nodes_exit()  snpc_this_node()
 */
#ifndef _SNPC_NODE_H
#define _SNPC_NODE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <asm/sn/types.h> /* vertex_hdl_t */
#include <snpc.h>
#include "snpc_own.h"

/* Errors of a Hub's or a router's links since the module was loaded. */
struct snpc_tally {
	struct mutex
		lock; /* guards mon, and reading the registers, which clears */
	snpc_mon_t mon;
};

/* Fields without a lock do not change after the module has started. */
struct snpc_node {
	int cnode, nasid;
	vertex_hdl_t v;		    /* /hw/nodenum/CNODE */
	struct snpc_router *router; /* at the other end of its link; or NULL */
	int port;		    /* there */
	spinlock_t vec_lock;	    /* held for a vector operation */
	unsigned int vec_id;	    /* of the latest one; vec_lock */
	struct snpc_set md, io;	    /* each has its lock */
	struct snpc_tally tally;    /* likewise */
};

struct snpc_port {
	struct snpc_set set;
	struct snpc_router *router; /* that it is part of */
	int port;		    /* its number there */
	struct snpc_node *node;	    /* at the other end, or NULL */
	struct link_histsel sel;    /* mode as last written; set.lock */
};

struct snpc_router {
	struct list_head list; /* in snpc_routers */
	vertex_hdl_t v;
	struct snpc_router *next[SNPC_PORTS + 1]; /* at a port, or NULL */
	struct snpc_port port[SNPC_PORTS + 1];	  /* [0] is not used */
	u64 route[SNPC_MAXNODES];		  /* vector route by cnode */
	struct snpc_tally tally;
	/* Only while snpc_route.c finds routes: */
	struct snpc_router *queue;
	u64 path;
	bool seen;
};

#define SNPC_NO_ROUTE (~0ULL)

extern struct snpc_node *snpc_nodes[SNPC_MAXNODES]; /* by cnode */
extern int snpc_nnodes;

/* Every node of the graph.  -ENOENT: there is none; -ENOMEM. */
int snpc_nodes_init(void);
void snpc_nodes_exit(void);

/*
 * The node where the caller runs.  Unless preemption is off it may run on
 * another one the next moment.
 */
struct snpc_node *snpc_this_node(void);

#endif
