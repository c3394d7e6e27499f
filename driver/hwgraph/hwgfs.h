/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside hwgfs.ko: the parts that hwgraph_main.c starts and ends.  From below:
 *
 *   hwgraph.c    the graph: vertices, edges, information (hwg_graph.h)
 *   hwgdev.c     character devices: file operations call drivers (hwgdev.h)
 *   nstat.c      statistics groups of the modules (nstat.h)
 *   hwgfs_vfs.c  the file system at /hw
 *   klgraph.c    the graph of this machine, from the firmware's tables
 *   nstat_dev.c  devices that show the statistics
 *   mmem.c       the device with the cycle counter
 *   power.c      powers the machine off
 *   hwgraph_main.c
 *
 * A file calls only those above it in this list.  hwgdev.c counts in a group of
 * nstat.c's, which knows no devices.
 */
#ifndef _HWGFS_H
#define _HWGFS_H

#include <linux/kdev_t.h>

struct hwg_vertex;

/* hwgdev.c */
int hwg_dev_init(void);
void hwg_dev_exit(void);
dev_t hwg_dev_number(const struct hwg_vertex *v); /* after hwg_dev_init() */

/* hwgfs_vfs.c */
int hwgfs_init(void);
void hwgfs_exit(void);

/* klgraph.c: hwg_graph_exit() takes away what these add. */
int klgraph_build(void);
int klgraph_inventory(void); /* a device: after hwg_dev_init() */

/* nstat_dev.c, mmem.c: devices, likewise */
int nstat_dev_init(void);
int mmem_init(void);

/* power.c */
int power_init(void);
void power_exit(void);

#endif
