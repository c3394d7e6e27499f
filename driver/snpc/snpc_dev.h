/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all devices of snpc.ko have in common.
 *
 *   snpc_dev_add()  snpc_dev_remove_all()
 *   snpc_dev_open()  snpc_dev_query()      for drivers' entry points
 */
#ifndef _SNPC_DEV_H
#define _SNPC_DEV_H

#include "hwgdev.h"
#include "snpc_node.h"

/*
 * A device; device_info of its vertex, and priv of its open files.  Nothing in
 * it changes after snpc_dev_add().  snpc_dev_remove_all() frees it.
 */
struct snpc_dev {
	struct list_head list;	    /* in all devices */
	vertex_hdl_t v;		    /* its vertex */
	vertex_hdl_t master;	    /* the vertex of its hub or router */
	unsigned int id, flags;	    /* SNPC_SNO_*, SNPC_MAP and the like */
	struct snpc_node *node;	    /* whose hub or link it is, or NULL */
	struct snpc_router *router; /* of link, rreg, mon; or NULL */
	struct snpc_port *port;	    /* of link */
	struct snpc_set *set;	    /* or NULL */
	u64 base;		    /* map: physical address of the registers */
	u64 size;		    /* map: bytes */
};

/* A device like @d, at @path from @from.  Errors of hwgdev.h. */
int snpc_dev_add(vertex_hdl_t from, const char *path, umode_t mode,
		 const struct hwgraph_driver *driver, const struct snpc_dev *d);
void snpc_dev_remove_all(void);

/* open of a driver: sets @f->priv to the struct snpc_dev. */
int snpc_dev_open(struct hwgraph_file *f);

/* SNPC_QUERY */
int snpc_dev_query(struct hwgraph_file *f, void __user *arg);

#endif
