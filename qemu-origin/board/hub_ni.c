/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, network interface: vector operations, routing tables, resets.
 *
 * A vector operation is PIO with its route in the packet: NI_VECTOR holds
 * 4-bit exit ports, first hop lowest, one a router; a port of 0 means "here".
 * It ends at a router, or at the Hub that a port leads to, and addresses 20
 * bits of the target: a router's registers, or a Hub's NI registers from
 * NI_STATUS_REV_ID on.  The operation happens when NI_VECTOR is written; the
 * reply is valid after the time that the engine computes (at once without
 * it).  A route into a port without a link is lost: no reply.
 *
 * Left out: link errors, packet ages and NI_GLOBAL_PARMS only store.
 * Sources: Linux's hubni.h; facts abi (router registers, vector routes).
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "origin.h"
#include "sn.h"
#include "trace.h"

#define NI_BASE 0x600000u
#define MAX_HOPS 16

static uint64_t *reg(OriginNode *n, uint32_t offset)
{
    return origin_reg(&n->rf, offset);
}

/* Where a vector operation ended up. */
typedef struct VectorTarget {
    OriginRouter *router;       /* or NULL: a hub */
    OriginNode *hub;
    unsigned in_port;           /* of the router */
    uint64_t back;              /* route back, first hop lowest */
    unsigned nports;            /* routers passed */
} VectorTarget;

/* Follows a route; false: it leads nowhere. */
static bool follow(OriginNode *n, uint64_t route, VectorTarget *t)
{
    OriginMachineState *m = n->m;
    const struct sn_end *e = &n->desc->link;
    unsigned hop;

    memset(t, 0, sizeof(*t));
    if (e->kind == SN_END_NONE) {
        t->hub = n;
        return !route;
    }
    for (hop = 0; hop < MAX_HOPS; hop++) {
        unsigned port = route & 0xf;

        if (e->kind == SN_END_NODE) {
            t->hub = &m->node[e->index];
            return !route;
        }
        if (e->kind != SN_END_ROUTER) {
            return false;
        }
        if (!port) {
            t->router = &m->router[e->index];
            t->in_port = e->port;
            /* at this router the reply leaves where the request came in */
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
    return t->router ? origin_router_read(t->router, addr, t->in_port, v) :
           origin_regs_read(&t->hub->rf, NI_BASE | addr, ORIGIN_WHO_VECTOR, v);
}

static bool target_write(VectorTarget *t, uint32_t addr, uint64_t v)
{
    return t->router ? origin_router_write(t->router, addr, t->in_port, v) :
           origin_regs_write(&t->hub->rf, NI_BASE | addr, ORIGIN_WHO_VECTOR, v);
}

/* Performs NI_VECTOR_PARMS's request and returns the reply's TYPE. */
static unsigned operate(OriginNode *n, VectorTarget *t, uint64_t *data)
{
    uint64_t parms = *reg(n, R_NI_VECTOR_PARMS);
    uint32_t addr = SN_FIELD_GET(parms, NI_VECTOR_PARMS, ADDRESS) << 3;
    unsigned type = SN_FIELD_GET(parms, NI_VECTOR_PARMS, TYPE);
    uint64_t v = *reg(n, R_NI_VECTOR_DATA);

    switch (type) {
    case V_NI_VECTOR_PARMS_TYPE_READ:
        return target_read(t, addr, data) ? type :
               V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
    case V_NI_VECTOR_PARMS_TYPE_EXCHANGE:
        if (!target_read(t, addr, data)) {
            return V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
        }
        /* fall through */
    case V_NI_VECTOR_PARMS_TYPE_WRITE:
        if (t->router && !origin_router_may_write(t->router, t->in_port)) {
            return V_NI_VECTOR_STATUS_TYPE_PROT_ERR;
        }
        return target_write(t, addr, v) ? type :
               V_NI_VECTOR_STATUS_TYPE_ADDR_ERR;
    default:
        return V_NI_VECTOR_STATUS_TYPE_CMD_ERR;
    }
}

/* Lets a reply whose time has come into the registers. */
static void deliver(OriginNode *n)
{
    uint64_t *status = reg(n, R_NI_VECTOR_STATUS);

    if (!n->reply.status ||
        (n->m->engine && origin_model_now(n->m) < n->reply.at)) {
        return;
    }
    if (*status & R_NI_VECTOR_STATUS_VALID_MASK) {
        *status |= R_NI_VECTOR_STATUS_OVERRUN_MASK;
    } else {
        *status = n->reply.status;
        *reg(n, R_NI_RETURN_VECTOR) = n->reply.back;
        *reg(n, R_NI_VECTOR_READ_DATA) = n->reply.data;
    }
    if (n->reply.overrun) {
        *status |= R_NI_VECTOR_STATUS_OVERRUN_MASK;
    }
    memset(&n->reply, 0, sizeof(n->reply));
}

static void vector_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                         uint64_t raw)
{
    OriginNode *n = opaque;
    uint64_t parms = *reg(n, R_NI_VECTOR_PARMS), data = 0, s;
    VectorTarget t;
    unsigned type;

    if (who == ORIGIN_WHO_VECTOR) {
        return;         /* a vector operation does not start another */
    }
    if (!follow(n, raw, &t)) {
        qemu_log_mask(LOG_GUEST_ERROR, "origin: hub %u: vector 0x%" PRIx64
                      " leads to no link: no reply\n", n->nasid, raw);
        return;
    }
    type = operate(n, &t, &data);
    trace_origin_vector(n->nasid, raw, parms, data, type);
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

    deliver(n);
    if (n->reply.status) {
        n->reply.overrun = true;        /* two under way: the second is lost */
        return;
    }
    n->reply.status = s;
    n->reply.back = t.back;
    n->reply.data = data;
    n->reply.at = 0;
    if (n->m->engine) {
        uint64_t now = origin_model_now(n->m);

        n->reply.at = now + sn_vector(n->m->engine, n->nasid, raw, t.nports,
                                      now);
    }
}

static uint64_t status_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginNode *n = opaque;

    deliver(n);
    return *reg(n, R_NI_VECTOR_STATUS);
}

static uint64_t return_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginNode *n = opaque;

    deliver(n);
    return *reg(n, R_NI_RETURN_VECTOR);
}

static uint64_t data_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    OriginNode *n = opaque;

    deliver(n);
    return *reg(n, R_NI_VECTOR_READ_DATA);
}

static void port_reset_write(void *opaque, unsigned i, unsigned who,
                             uint64_t old, uint64_t raw)
{
    OriginNode *n = opaque;

    if (raw & (R_NI_PORT_RESET_LOCALRESET_MASK |
               R_NI_PORT_RESET_PORTRESET_MASK)) {
        origin_firmware_port_reset(n, raw);
    }
    if (raw & R_NI_PORT_RESET_LINKRESET_MASK) {
        *reg(n, R_NI_PORT_ERROR) |= R_NI_PORT_ERROR_LINKRESET_MASK;
    }
}

static void io_override_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_NI_IO_PROTECT, raw);
}

static const OriginRegHook ni_hooks[] = {
    { R_NI_PORT_RESET, NULL, port_reset_write },
    { R_NI_VECTOR, NULL, vector_write },
    { R_NI_VECTOR_STATUS, status_read, NULL },
    { R_NI_VECTOR_CLEAR, status_read, NULL },
    { R_NI_RETURN_VECTOR, return_read, NULL },
    { R_NI_VECTOR_READ_DATA, data_read, NULL },
    { R_NI_IO_PROT_OVRRD, NULL, io_override_write },
};

void origin_ni_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, ni_hooks, ARRAY_SIZE(ni_hooks));
}

/* What the firmware leaves: identity, link state, routing tables. */
void origin_ni_reset(OriginNode *n)
{
    const struct sn_end *link = &n->desc->link;
    bool up = link->kind != SN_END_NONE;
    uint64_t *id = reg(n, R_NI_STATUS_REV_ID);
    unsigned i;

    memset(&n->reply, 0, sizeof(n->reply));
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, NODEID, n->nasid);
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, LINKUP, up);
    *id = SN_FIELD_SET(*id, NI_STATUS_REV_ID, DOWNREASON, !up);
    for (i = 0; i < R_NI_META_TABLE_COUNT; i++) {
        *reg(n, SN_REG_N(NI_META_TABLE, i)) =
            sn_topo_hub_entry(&n->m->topo, n->nasid, true, i);
    }
    for (i = 0; i < R_NI_LOCAL_TABLE_COUNT; i++) {
        *reg(n, SN_REG_N(NI_LOCAL_TABLE, i)) =
            sn_topo_hub_entry(&n->m->topo, n->nasid, false, i);
    }
}
