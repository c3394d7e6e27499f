/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Finding the way in the hardware graph at /hw (libsn, which `origin cc` links
 * without -l).
 *
 *   snhw_nodes()  snhw_cpus()          numbers of nodes and processors
 *   snhw_node_name()  snhw_cpu_name()  number -> path
 *   snhw_node_of()                     path -> node
 *   snhw_cpu_node()  snhw_node_cpus()  processors and their nodes
 *   snhw_hops()                        routers between two nodes
 *   snhw_node_dev()  dev_to_devname()  dev_t of a vertex, and back
 *   snhw_refcnt()                      reference counters of a process's pages
 *
 * A node is named by its compact node id (cnodeid), 0 to snhw_nodes() - 1.
 * Functions return -1 and set errno: ENODEV without a graph at /hw, EINVAL for
 * a number that names nothing.  The library reads the graph once, at the first
 * call.
 */
#ifndef __SNHW_H__
#define __SNHW_H__

#include <stddef.h>
#include <sys/types.h>
#include <sys/SN/hwcntrs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SNHW_MAX_NODES 64
#define SNHW_MAX_CPUS  128
#define SNHW_NAME_MAX  256 /* a path's bytes with its end */

int snhw_nodes(void);
int snhw_cpus(void);

/* "/hw/module/1/slot/n1/node"; valid until the program ends.  NULL: errno. */
const char *snhw_node_name(int node);
const char *snhw_cpu_name(int cpu);

/*
 * The node that a path belongs to.  The path is the node's own, one below it, or
 * /hw/nodenum/N; a router's path gives its lowest node.  ENOENT: there is no such
 * file; EINVAL: the path belongs to no node.
 */
int snhw_node_of(const char *path);

int snhw_cpu_node(int cpu);

/* Numbers of the node's processors, slice a first, up to @max; how many. */
int snhw_node_cpus(int node, int *cpu, int max);

/* Routers passed between two nodes; 0 on the same node. */
int snhw_hops(int a, int b);

/* The device number that the graph gives to the node's vertex. */
dev_t snhw_node_dev(int node);

/*
 * The path of the vertex with device number @dev, in @buf of *@len bytes (NULL:
 * allocated); *@len becomes the path's length.  NULL: ENOENT, ERANGE, ENOMEM.
 */
char *dev_to_devname(dev_t dev, char *buf, int *len);

/*
 * Reads the reference counters of @pages pages of 4 KB, from @vaddr on, of the
 * process whose /proc/%05d is open as @proc.  @ext gets the extended counters, @hw
 * the hardware's.  Both are of the same moment, unless the kernel never stops
 * collecting.  Errors are those of the ioctls (<procfs/procfs.h>), and ENOMEM.
 */
int snhw_refcnt(int proc, unsigned long vaddr, unsigned long pages, sn0_refcnt_buf_t *ext,
                sn0_refcnt_buf_t *hw);

#ifdef __cplusplus
}
#endif

#endif
