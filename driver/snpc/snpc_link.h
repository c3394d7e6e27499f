/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link devices of a router.  Errors of hwgdev.h.
 */
#ifndef _SNPC_LINK_KO_H
#define _SNPC_LINK_KO_H

struct snpc_router;

/* stat/1 .. 6, and ni of the nodes at its ports */
int snpc_link_add(struct snpc_router *r);
/* rreg: all registers, for root */
int snpc_link_add_registers(struct snpc_router *r);

#endif
