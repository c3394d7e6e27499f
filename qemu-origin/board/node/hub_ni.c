/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, network interface: vector operations, routing tables, resets.
 *
 * A vector operation is a PIO request that carries its own route.  NI_VECTOR
 * holds one 4-bit exit port for each router, first hop lowest; port 0 means
 * "here".  The route ends at a router, or at the Hub that a port leads to.  The
 * operation has 20 bits of address: they select a register of the router, or an
 * NI register of the Hub, counted from NI_STATUS_REV_ID.
 *
 * The operation happens when NI_VECTOR is written.  Its reply becomes valid
 * after the time that the engine computes, or at once without an engine.  A
 * route into a port without a link gets no reply.
 *
 * Left out: link errors, packet ages and NI_GLOBAL_PARMS are plain storage.
 * Sources: Linux's hubni.h; docs/abi.md (router registers, vector routes).
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "clock.h"
#include "origin.h"
#include "node/hub_units.h"
#include "sn.h"
#include "../trace.h"

#define NI_BASE  0x600000u
#define MAX_HOPS 16

/* Where the route of a vector operation ends. */
typedef struct VectorTarget {
    OriginRouter *router; /* NULL: it ends at a Hub */
    OriginHub *hub;
    unsigned in_port; /* of the router: where the request comes in */
    uint64_t back;    /* route back, first hop lowest */
    unsigned nports;  /* routers passed */
} VectorTarget;

/* Follows a route from Hub h; false: it leads nowhere. */
static bool follow(OriginHub *h, uint64_t route, VectorTarget *t)
{
    OriginMachineState *m = h->m;
    const struct sn_end *e = &h->desc->link;
    unsigned hop;

    memset(t, 0, sizeof(*t));
    if (e->kind == SN_END_NONE) {
        t->hub = h;
        return !route;
    }
    for (hop = 0; hop < MAX_HOPS; hop++) {
        unsigned port = route & 0xf;

        if (e->kind == SN_END_NODE) {
            t->hub = &m->node[e->index].hub;
            return !route;
        }
        if (e->kind != SN_END_ROUTER) {
            return false;
        }
        if (!port) {
            t->router = &m->router[e->index];
            t->in_port = e->port;
            /* the reply leaves this router where the request came in */
            t->back = t->back << 4 | e->port;
            return !route;
        }
        if (port > SN_ROUTER_PORTS) {
            return false;
        }
        t->back = t->back << 4 | e->port;
        t->nports++;
        e = &m->desc.router[e->index].port[port];
        route >>= 4;
    }
    return false;
}

static bool target_read(VectorTarget *t, uint32_t addr, uint64_t *v)
{
    return t->router ? origin_router_read(t->router, addr, t->in_port, v)
                     : origin_regs_read(&t->hub->rf, NI_BASE | addr,
                                        ORIGIN_WHO_VECTOR, v);
}

static bool target_write(VectorTarget *t, uint32_t addr, uint64_t v)
{
    return t->router ? origin_router_write(t->router, addr, t->in_port, v)
                     : origin_regs_write(&t->hub->rf, NI_BASE | addr,
                                         ORIGIN_WHO_VECTOR, v);
}

/* Performs NI_VECTOR_PARMS's request and returns the reply's TYPE. */
static unsigned operate(OriginHub *h, VectorTarget *t, uint64_t *data)
{
    uint64_t parms = *hub_reg(h, R_NI_VECTOR_PARMS);
    uint32_t addr = SN_FIELD_GET(parms, NI_VECTOR_PARMS, ADDRESS) << 3;
    unsigned type = SN_FIELD_GET(parms, NI_VECTOR_PARMS, TYPE);
    uint64_t v = *hub_reg(h, R_NI_VECTOR_DATA);

    switch (type) {
    case V_NI_VECTOR_PARMS_TYPE_READ:
        return target_read(t, addr, data) ? type
                                          : V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
    case V_NI_VECTOR_PARMS_TYPE_EXCHANGE:
        if (!target_read(t, addr, data)) {
            return V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
        }
        /* fall through */
    case V_NI_VECTOR_PARMS_TYPE_WRITE:
        if (t->router && !origin_router_may_write(t->router, t->in_port)) {
            return V_NI_VECTOR_STATUS_TYPE_PROT_ERR;
        }
        return target_write(t, addr, v) ? type
                                        : V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
    default:
        return V_NI_VECTOR_STATUS_TYPE_CMD_ERR;
    }
}

/* Moves a reply into the registers if its time has come. */
static void deliver(OriginHub *h)
{
    uint64_t *status = hub_reg(h, R_NI_VECTOR_STATUS);

    if (!h->ni.status || (h->m->engine && origin_now() < h->ni.at)) {
        return;
    }
    if (*status & R_NI_VECTOR_STATUS_VALID_MASK) {
        *status |= R_NI_VECTOR_STATUS_OVERRUN_MASK;
    } else {
        *status = h->ni.status;
        *hub_reg(h, R_NI_RETURN_VECTOR) = h->ni.back;
        *hub_reg(h, R_NI_VECTOR_READ_DATA) = h->ni.data;
    }
    if (h->ni.overrun) {
        *status |= R_NI_VECTOR_STATUS_OVERRUN_MASK;
    }
    memset(&h->ni, 0, sizeof(h->ni));
}

static void vector_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    OriginHub *h = opaque;
    uint64_t parms = *hub_reg(h, R_NI_VECTOR_PARMS), data = 0, s;
    VectorTarget t;
    unsigned type;

    if (who == ORIGIN_WHO_VECTOR) {
        return; /* a vector operation does not start another */
    }
    if (!follow(h, raw, &t)) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin: hub %u: vector 0x%" PRIx64
                      " leads to no link: no reply\n",
                      h->nasid, raw);
        return;
    }
    type = operate(h, &t, &data);
    trace_origin_vector(h->nasid, raw, parms, data, type);
    s = R_NI_VECTOR_STATUS_VALID_MASK;
    s = SN_FIELD_SET(s, NI_VECTOR_STATUS, TARGET,
                     t.router ? t.router->index : t.hub->nasid);
    s = SN_FIELD_SET(s, NI_VECTOR_STATUS, PIOID,
                     SN_FIELD_GET(parms, NI_VECTOR_PARMS, PIOID));
    s = SN_FIELD_SET(s, NI_VECTOR_STATUS, WRITEID,
                     SN_FIELD_GET(parms, NI_VECTOR_PARMS, WRITEID));
    s = SN_FIELD_SET(s, NI_VECTOR_STATUS, ADDRESS,
                     SN_FIELD_GET(parms, NI_VECTOR_PARMS, ADDRESS));
    s = SN_FIELD_SET(s, NI_VECTOR_STATUS, TYPE, type);

    deliver(h);
    if (h->ni.status) {
        h->ni.overrun = true; /* the second of two replies under way is lost */
        return;
    }
    h->ni.status = s;
    h->ni.back = t.back;
    h->ni.data = data;
    h->ni.at = 0;
    if (h->m->engine) {
        uint64_t now = origin_now();

        h->ni.at = now + sn_vector(h->m->engine, h->nasid, raw, t.nports, now);
    }
}

static uint64_t status_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginHub *h = opaque;

    deliver(h);
    return *hub_reg(h, R_NI_VECTOR_STATUS);
}

static uint64_t return_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginHub *h = opaque;

    deliver(h);
    return *hub_reg(h, R_NI_RETURN_VECTOR);
}

static uint64_t data_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginHub *h = opaque;

    deliver(h);
    return *hub_reg(h, R_NI_VECTOR_READ_DATA);
}

static void port_reset_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    OriginHub *h = opaque;

    if (raw &
        (R_NI_PORT_RESET_LOCALRESET_MASK | R_NI_PORT_RESET_PORTRESET_MASK)) {
        origin_firmware_port_reset(&h->m->fw, h->nasid, raw);
    }
    if (raw & R_NI_PORT_RESET_LINKRESET_MASK) {
        *hub_reg(h, R_NI_PORT_ERROR) |= R_NI_PORT_ERROR_LINKRESET_MASK;
    }
}

static void io_override_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_NI_IO_PROTECT, raw);
}

/* clang-format off */
static const OriginRegHook ni_hooks[] = {
    { R_NI_PORT_RESET, NULL, port_reset_write },
    { R_NI_VECTOR, NULL, vector_write },
    { R_NI_VECTOR_STATUS, status_read, NULL },
    { R_NI_VECTOR_CLEAR, status_read, NULL },
    { R_NI_RETURN_VECTOR, return_read, NULL },
    { R_NI_VECTOR_READ_DATA, data_read, NULL },
    { R_NI_IO_PROT_OVRRD, NULL, io_override_write },
};
/* clang-format on */

void origin_ni_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, ni_hooks, ARRAY_SIZE(ni_hooks));
}

/* The firmware sets identity and link state and writes the routing tables. */
void origin_ni_reset(OriginHub *h)
{
    const struct sn_end *link = &h->desc->link;
    bool up = link->kind != SN_END_NONE;
    uint64_t *id = hub_reg(h, R_NI_STATUS_REV_ID);
    unsigned i;

    memset(&h->ni, 0, sizeof(h->ni));
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, NODEID, h->nasid);
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, LINKUP, up);
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, DOWNREASON, !up);
    for (i = 0; i < R_NI_META_TABLE_COUNT; i++) {
        *hub_reg(h, SN_REG_N(NI_META_TABLE, i)) =
            sn_topo_hub_entry(&h->m->topo, h->nasid, true, i);
    }
    for (i = 0; i < R_NI_LOCAL_TABLE_COUNT; i++) {
        *hub_reg(h, SN_REG_N(NI_LOCAL_TABLE, i)) =
            sn_topo_hub_entry(&h->m->topo, h->nasid, false, i);
    }
}
