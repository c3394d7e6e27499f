/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside hwgfs.ko: the graph's structures and who calls whom.
 *
 *   hwgraph.c   vertices, edges, information; knows no files
 *   hwgdev.c    character devices: file operations <-> drivers' entry points
 *   hwgfs_vfs.c the file system at /hw
 *   klgraph.c   the graph of this machine, from the firmware's tables
 *   nstat.c     the modules' statistics under /hw
 *   mmem.c      the cycle counter for programs
 */
#ifndef _HWG_H
#define _HWG_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/uidgid.h>
#include "hwgraph.h"

struct hwg_vertex {
	struct kref ref;	/* the graph has one, each inode and file too */
	vertex_hdl_t hdl;
	bool gone;		/* out of the graph */
	struct list_head edges;	/* struct hwg_edge, ordered by label */
	struct list_head infos;
	struct hwg_vertex *parent;	/* place at /hw: parent's edge "name" */
	struct hwg_edge *place;
	void *device_info;
	/* a device */
	const struct hwgraph_driver *driver;
	dev_t dev;
	/* file attributes; guarded by hwg_sem like the rest */
	umode_t mode;
	kuid_t uid;
	kgid_t gid;
};

struct hwg_edge {
	struct list_head list;
	struct hwg_vertex *to;
	char label[];
};

/* Guards the graph. */
extern struct rw_semaphore hwg_sem;

/* hwgraph.c; callers hold hwg_sem unless said otherwise */
struct hwg_vertex *hwg_vertex(vertex_hdl_t hdl);	/* or NULL */
struct hwg_edge *hwg_edge(struct hwg_vertex *from, const char *label,
			  size_t len);
int hwg_path(struct hwg_vertex *v, char *buf, size_t len);
void hwg_put(struct hwg_vertex *v);	/* with or without hwg_sem */
int hwg_graph_init(void);		/* without hwg_sem, as the next */
void hwg_graph_exit(void);

/* hwgdev.c */
int hwg_dev_init(void);
void hwg_dev_exit(void);
dev_t hwg_dev_number(struct hwg_vertex *v);	/* holding hwg_sem */

/* hwgfs_vfs.c */
int hwgfs_init(void);
void hwgfs_exit(void);

/* klgraph.c */
int klgraph_build(void);
int klgraph_inventory(void);		/* after hwg_dev_init() */

/* nstat.c */
int hwg_nstat_init(void);

/* mmem.c */
int hwg_mmem_init(void);

#endif
