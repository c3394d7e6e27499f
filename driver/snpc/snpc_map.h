/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map devices of a node's Hub.  Errors of hwgdev.h.
 */
#ifndef _SNPC_MAP_H
#define _SNPC_MAP_H

struct snpc_node;

/* md, io, rtc */
int snpc_map_add(struct snpc_node *n);
/* hubreg, ialias: all registers, for root */
int snpc_map_add_registers(struct snpc_node *n);

#endif
