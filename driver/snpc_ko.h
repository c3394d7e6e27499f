/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside snpc.ko: event counters of Hub and Router for programs (<snpc.h>).
 *
 *   snpc_main.c   the module: nodes, devices, SNPC_QUERY, start and end
 *   snpc_own.c    ownership of counter sets
 *   snpc_map.c    map devices: md, io, rtc, hubreg, ialias
 *   snpc_link.c   link devices, rreg
 *   snpc_mon.c    monitor devices: errors of links
 *   snpc_route.c  routers and the matrix of vector routes
 *   snpc_vec.c    vector operations
 */
#ifndef _SNPC_KO_H
#define _SNPC_KO_H

#include <linux/fcntl.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <snpc.h>
#include "hub.h"
#include "hwgraph.h"
#include "nstat.h"

/* Counted at the node where it is done. */
enum {
	SNPC_STAT_VECTOR, SNPC_STAT_NO_ANSWER, SNPC_STAT_READINGS,
	SNPC_STAT_OWNERS, SNPC_STAT_BUSY, SNPC_NSTATS
};

/* A set of counters that one open file at a time may change. */
struct snpc_set {
	struct mutex lock;		/* guards all of it and the counters' mode */
	struct hwgraph_file *owner;	/* or NULL; close gives it up */
	struct pid *pid;		/* who became owner; held while there is one */
	unsigned int writers;		/* the owner's writable mappings */
	unsigned int gen;		/* odd while there is an owner */
	void (*idle)(struct snpc_set *set);	/* the owner has gone */
};

/* Errors of a Hub's or a router's links since the module came. */
struct snpc_tally {
	struct mutex lock;		/* guards mon and the registers' clearing */
	snpc_mon_t mon;
};

struct snpc_node {
	int cnode, nasid;
	vertex_hdl_t v;			/* /hw/nodenum/CNODE */
	struct snpc_router *router;	/* on the other side of its link; or NULL */
	int port;			/* there */
	spinlock_t vec_lock;		/* one vector operation at a time */
	unsigned int vec_id;		/* identity of the latest */
	struct snpc_set md, io;
	struct snpc_tally tally;
};

struct snpc_port {
	struct snpc_set set;
	struct snpc_router *router;
	int port;
	struct snpc_node *node;		/* that hangs here, or NULL */
	struct link_histsel sel;	/* as last read or written; set.lock */
};

struct snpc_router {
	struct list_head list;
	vertex_hdl_t v;
	struct snpc_router *next[SNPC_PORTS + 1];	/* router at a port, or NULL */
	struct snpc_port port[SNPC_PORTS + 1];		/* [0] is not used */
	u64 route[SNPC_MAXNODES];			/* from each cnode */
	struct snpc_tally tally;
	/* while routes are being found: */
	struct snpc_router *queue;
	u64 path;
	bool seen;
};

#define SNPC_NO_ROUTE	(~0ULL)

/* A device; device_info of its vertex. */
struct snpc_dev {
	struct list_head list;
	vertex_hdl_t v, master;
	unsigned int id, flags;
	struct snpc_node *node;		/* whose hub or link it is, or NULL */
	struct snpc_router *router;	/* link, rreg */
	struct snpc_port *port;		/* link */
	struct snpc_set *set;		/* or NULL */
	u64 base;			/* map: physical address of the registers */
	u64 size;
};

static inline bool snpc_writable(const struct hwgraph_file *f)
{
	return (f->flag & O_ACCMODE) != O_RDONLY;
}

/* snpc_main.c */
void snpc_count(int stat);
extern struct snpc_node *snpc_nodes[SNPC_MAXNODES];	/* by cnode */
extern int snpc_nnodes;
struct snpc_node *snpc_this_node(void);
int snpc_dev_open(struct hwgraph_file *f);
int snpc_query(struct hwgraph_file *f, void __user *arg);
int snpc_add(vertex_hdl_t from, const char *path, umode_t mode,
	     const struct hwgraph_driver *driver, const struct snpc_dev *d);

/* snpc_own.c; callers of all but the first hold set->lock */
void snpc_set_init(struct snpc_set *set, void (*idle)(struct snpc_set *set));
int snpc_acquire(struct snpc_set *set, struct hwgraph_file *f);
void snpc_disown(struct snpc_set *set);
/* SNPC_ACQUIRE, SNPC_RELEASE and close; take set->lock */
int snpc_own_ioctl(struct snpc_set *set, struct hwgraph_file *f,
		   unsigned int cmd, void __user *arg);
void snpc_own_close(struct snpc_set *set, struct hwgraph_file *f);

/* snpc_map.c */
int snpc_map_add(struct snpc_node *n, bool extended);

/* snpc_link.c */
int snpc_link_add(struct snpc_router *r, bool extended);

/* snpc_mon.c: of a node's hub, or of a router if there is one */
int snpc_mon_add(vertex_hdl_t master, struct snpc_node *n,
		 struct snpc_router *r);

/* snpc_route.c */
extern struct list_head snpc_routers;
int snpc_route_init(void);
void snpc_route_exit(void);

/* snpc_vec.c */
int snpc_vector(struct snpc_router *r, unsigned int op, u32 addr, u64 *data);

#endif
