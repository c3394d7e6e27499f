/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router or metarouter: its registers, with link state and routing tables from
 * the topology.  Only vector operations reach them (hub_ni.c).  A device of
 * the machine; router i is entry i of the description's routers.
 *
 * The histograms are the engine's; without it (model=off) they stand still.
 * The properties "machine" and "index" are set before realize.
 *
 * Left out: errors do not happen; RR_PORT_RESET does nothing; the
 * number-in-a-can is not fitted.
 * Sources: docs/abi.md; Linux's hubni.h for the fields that Hub and
 * router share.
 */
#ifndef ORIGIN_ROUTER_H
#define ORIGIN_ROUTER_H

#include "hw/qdev-core.h"
#include "regfile.h"

#define TYPE_ORIGIN_ROUTER "origin-router"
OBJECT_DECLARE_SIMPLE_TYPE(OriginRouter, ORIGIN_ROUTER)

typedef struct OriginMachineState OriginMachineState;

struct OriginRouter {
    DeviceState parent_obj;

    /* properties */
    OriginMachineState *m;
    uint32_t index; /* into desc.router[] */

    OriginRegFile rf;
};

/* in_port 1-6: where the request came in.  False: there is no such register. */
bool origin_router_read(OriginRouter *r, uint32_t offset, unsigned in_port,
                        uint64_t *v);
bool origin_router_write(OriginRouter *r, uint32_t offset, unsigned in_port,
                         uint64_t v);
/* Whether RR_PROT_CONF lets requests that came in by this port write. */
bool origin_router_may_write(OriginRouter *r, unsigned in_port);

#endif
