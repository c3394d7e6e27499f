/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device of each node at /hw.
 */
#ifndef _REFCNT_DEV_H
#define _REFCNT_DEV_H

struct refcnt_node;

/* Programs may use the node from then on.  Errors of hwgraph.h. */
int refcnt_dev_begin(struct refcnt_node *n);
/* No file of the device is open: each holds the module. */
void refcnt_dev_end(struct refcnt_node *n);

#endif
