/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's routers and the vector routes to them.
 */
#ifndef _SNPC_ROUTE_H
#define _SNPC_ROUTE_H

#include <linux/list.h>

/* struct snpc_router; changed only while the module starts and ends. */
extern struct list_head snpc_routers;

/* After snpc_nodes_init().  -ENOMEM */
int snpc_route_init(void);
void snpc_route_exit(void);

#endif
