/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph's structures, for the files of hwgfs.ko that show it (hwgdev.c,
 * hwgfs_vfs.c).  hwgraph.c has the functions.
 *
 *   parent --edge "label"--> vertex     vertex->parent, vertex->place: the edge
 *     |                                 by which the vertex shows at /hw
 *     +----edge "other"----> vertex2
 */
#ifndef _HWG_GRAPH_H
#define _HWG_GRAPH_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/uidgid.h>
#include "hwgraph.h"

struct hwgraph_driver;

/*
 * hwg_sem guards all fields but ref.  The graph holds one reference, each inode
 * and each open file another one; the last hwg_put() frees the vertex.
 */
struct hwg_vertex {
	struct kref ref;
	vertex_hdl_t hdl;
	bool gone;		   /* no longer in the graph */
	struct list_head edges;	   /* struct hwg_edge, ordered by label */
	struct list_head infos;	   /* struct hwg_info of hwgraph.c */
	struct hwg_vertex *parent; /* NULL: no edge leads here */
	struct hwg_edge *place;	   /* parent's edge to here */
	/* hwgdev.c's */
	const struct hwgraph_driver *driver; /* NULL: not a device */
	void *device_info;
	/* What hwgfs shows as the file's attributes; the graph keeps them. */
	umode_t mode;
	kuid_t uid;
	kgid_t gid;
};

/* hwg_sem guards it.  hwgraph.c frees it when the edge is removed. */
struct hwg_edge {
	struct list_head list; /* in from->edges */
	struct hwg_vertex *to;
	char label[];
};

/* Guards the graph: read to look, write to change. */
extern struct rw_semaphore hwg_sem;

/* With hwg_sem held. */
struct hwg_vertex *hwg_vertex(vertex_hdl_t hdl); /* NULL: there is none */
struct hwg_edge *hwg_edge(struct hwg_vertex *from, const char *label,
			  size_t len);
/* The vertex at @path from @from; with hwg_sem held for writing. */
int hwg_path_add(vertex_hdl_t from, const char *path, struct hwg_vertex **to);
int hwg_path(struct hwg_vertex *v, char *buf, size_t len);

/* With or without hwg_sem. */
void hwg_put(struct hwg_vertex *v);

/* Without hwg_sem.  -ENOMEM */
int hwg_graph_init(void);
void hwg_graph_exit(void);

#endif
