/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Monitor devices.  Errors of hwgdev.h.
 */
#ifndef _SNPC_MON_KO_H
#define _SNPC_MON_KO_H

struct snpc_node;
struct snpc_router;

int snpc_mon_add_hub(struct snpc_node *n);
int snpc_mon_add_router(struct snpc_router *r);

#endif
