/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hardware graph: vertices, edges and information.  hwgfs.ko offers these
 * calls to other modules; hwgdev.h has the calls for devices.
 *
 * A vertex stands for a thing (a node board, a processor, a router) or for a
 * collection of things.  Labelled edges lead from vertex to vertex.  Drivers
 * attach labelled information to a vertex.
 *
 * hwgfs shows the graph at /hw.  The first edge to a vertex is its place there.
 * Every further edge is a symbolic link to that place, so the tree has no
 * cycles even where the graph has some.
 *
 *   hwgraph_path_add()  _edge_add() _edge_get()
 *   hwgraph_traverse()  hwgraph_vertex_destroy()  vertex_to_name()
 *   hwgraph_info_add_LBL() _get_LBL()
 *
 * Functions that return int return 0 or a negative errno: -ENOENT if the edge
 * or label does not exist, -EEXIST if it exists already, -EINVAL for a handle
 * that names no vertex or for a bad label, -ENOMEM.  All may sleep.  A handle
 * is valid until hwgraph_vertex_destroy(); its number is not used again soon.
 *
 * Names follow IRIX's hwgraph(D4X) calls.  Left out: inventory records, block
 * devices, loadable aliases.
 */
#ifndef _HWGRAPH_H
#define _HWGRAPH_H

#include <linux/types.h>
#include <asm/sn/types.h> /* vertex_hdl_t */

#define HWGRAPH_LABEL_MAX 64  /* bytes of a label, its NUL included */
#define HWGRAPH_PATH_MAX  256 /* bytes of a path, "/hw" and NUL included */

extern const vertex_hdl_t hwgraph_root;

/* The vertex at @path ("a/b/c") from @from.  Missing vertices are made. */
int hwgraph_path_add(vertex_hdl_t from, const char *path, vertex_hdl_t *to);
int hwgraph_edge_add(vertex_hdl_t from, vertex_hdl_t to, const char *label);
int hwgraph_edge_get(vertex_hdl_t from, const char *label, vertex_hdl_t *to);
int hwgraph_traverse(vertex_hdl_t from, const char *path, vertex_hdl_t *to);

/*
 * Remove a vertex and the edges to it.  -EBUSY if edges lead out of it.  Open
 * files of a device stay open and hold the driver's module.
 */
int hwgraph_vertex_destroy(vertex_hdl_t v);

/* The vertex's path, "/hw/...", in @buf of @len bytes.  -ENAMETOOLONG */
int vertex_to_name(vertex_hdl_t v, char *buf, size_t len);

/*
 * Labels that begin with "_" are the kernel's own.  The graph keeps @info as it
 * is and never frees it.
 */
int hwgraph_info_add_LBL(vertex_hdl_t v, const char *label, void *info);
int hwgraph_info_get_LBL(vertex_hdl_t v, const char *label, void **info);

#endif
