/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hardware graph: what hwgfs.ko offers to other modules.
 *
 * A vertex stands for a thing (a node board, a processor, a router) or for a
 * collection of them.  Labelled edges lead from vertex to vertex.  Labelled
 * information hangs on a vertex for drivers.  A vertex may be a device: it is
 * then a character special file, and its driver's entry points are called.
 *
 * The graph shows at /hw (hwgfs).  The first edge to a vertex is its place
 * there; every further one is a symbolic link to that place, so cycles of the
 * graph are none of the tree.
 *
 *   hwgraph_path_add()  _edge_add() _edge_get() _edge_remove()
 *   hwgraph_traverse()  hwgraph_vertex_destroy()  vertex_to_name()
 *   hwgraph_info_add_LBL() _get_LBL() _remove_LBL()  device_info_set() _get()
 *   hwgraph_char_device_add()  hwgraph_chmod()  v_mapphys()
 *
 * Functions that return int return 0 or a negative errno: -ENOENT for an edge
 * or label that is not there, -EEXIST for one that is, -EINVAL for a handle
 * that names no vertex or a bad label, -ENOMEM.  All may sleep.  A handle
 * stays good until hwgraph_vertex_destroy() and never comes back.
 *
 * Names follow IRIX's hwgraph(D4X) calls; device_info is a pointer of the
 * driver's.  Left out: inventory records, block devices, loadable aliases.
 */
#ifndef _HWGRAPH_H
#define _HWGRAPH_H

#include <linux/types.h>
#include <asm/sn/types.h>	/* vertex_hdl_t */

struct module;
struct page;
struct seq_file;
typedef struct vhandl vhandl_t;

#define GRAPH_VERTEX_NONE	((vertex_hdl_t)0)
#define HWGRAPH_LABEL_MAX	64	/* a label's bytes with its end */
#define HWGRAPH_PATH_MAX	256	/* a path's, "/hw" included */

extern const vertex_hdl_t hwgraph_root;

/* The vertex at @path ("a/b/c") from @from; what is missing is made. */
int hwgraph_path_add(vertex_hdl_t from, const char *path, vertex_hdl_t *to);
int hwgraph_edge_add(vertex_hdl_t from, vertex_hdl_t to, const char *label);
int hwgraph_edge_get(vertex_hdl_t from, const char *label, vertex_hdl_t *to);
int hwgraph_edge_remove(vertex_hdl_t from, const char *label);
int hwgraph_traverse(vertex_hdl_t from, const char *path, vertex_hdl_t *to);

/*
 * Remove a vertex and the edges to it.  -EBUSY if edges lead out of it.  Files
 * of a device that are open stay so and keep the driver's module.
 */
int hwgraph_vertex_destroy(vertex_hdl_t v);

/* The vertex's path, "/hw/..."; @buf holds @len bytes.  -ENAMETOOLONG */
int vertex_to_name(vertex_hdl_t v, char *buf, size_t len);

/* Labels that begin with "_" are the kernel's own; @info is not touched. */
int hwgraph_info_add_LBL(vertex_hdl_t v, const char *label, void *info);
int hwgraph_info_get_LBL(vertex_hdl_t v, const char *label, void **info);
int hwgraph_info_remove_LBL(vertex_hdl_t v, const char *label);

void device_info_set(vertex_hdl_t v, void *info);
void *device_info_get(vertex_hdl_t v);

/* An open file of a device; mappings hold it too, after close(2). */
struct hwgraph_file {
	vertex_hdl_t dev;
	int flag;	/* O_ flags of open */
	void *priv;	/* the driver's; NULL before open */
};

/*
 * A driver: the entry points of an IRIX driver's prefix, any of which may be
 * NULL.  open and close come in pairs, one for each struct file; calls on one
 * file may run at the same time.  ioctl's result for the program is *@rval, 0
 * unless set.  map must call v_mapphys() for the whole of @len; unmap comes,
 * with the same @prot, when the last mapping made from it has gone.  A driver
 * with page has nothing mapped by map, but gives page @n of the device, with a
 * reference, or an ERR_PTR, when a program first touches it.  show makes the
 * device readable: it writes the whole text.
 */
struct hwgraph_driver {
	const char *prefix;
	struct module *owner;
	int (*open)(struct hwgraph_file *f);
	void (*close)(struct hwgraph_file *f);
	int (*ioctl)(struct hwgraph_file *f, unsigned int cmd,
		     void __user *arg, int *rval);
	int (*map)(struct hwgraph_file *f, vhandl_t *vt, loff_t off, size_t len,
		   int prot);
	void (*unmap)(struct hwgraph_file *f, int prot);
	struct page *(*page)(struct hwgraph_file *f, pgoff_t n);
	int (*show)(vertex_hdl_t dev, struct seq_file *m);
	/*
	 * PROT_READ, or with PROT_WRITE; more is refused, and so is raising a
	 * mapping's rights later.
	 */
	int map_prot;
};

/* A device of @driver at @path, with file mode @mode (0444 and the like). */
int hwgraph_char_device_add(vertex_hdl_t from, const char *path, umode_t mode,
			    const struct hwgraph_driver *driver, void *info,
			    vertex_hdl_t *dev);
int hwgraph_chmod(vertex_hdl_t v, umode_t mode);

/*
 * In map only: let the program's mapping, from where the last call left off,
 * show @len bytes at kernel address @addr: uncached register pages (xkphys, in
 * the space of that address), or vmalloc_user() memory, which must be for the
 * whole mapping.
 */
int v_mapphys(vhandl_t *vt, void *addr, size_t len);

#endif
