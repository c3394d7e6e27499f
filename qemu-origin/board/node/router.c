/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router and metarouter: see router.h.  Rows: include/regs/router.h.inc.
 */
#include "qemu/osdep.h"
#include "hw/qdev-properties.h"
#define SN_REGS_TABLES
#include "clock.h"
#include "origin.h"
#include "sn.h"

static OriginRegSet rr_set;

static uint64_t status_read(void *opaque, unsigned i, unsigned in_port,
                            uint64_t v)
{
    return SN_FIELD_SET(v, RR_STATUS_REV_ID, INPORT, in_port);
}

static uint64_t nic_read(void *opaque, unsigned i, unsigned in_port, uint64_t v)
{
    /* the bus is idle: the operation is done, the line is high */
    return v | R_MD_MLAN_CTL_DONE_MASK | R_MD_MLAN_CTL_RD_DATA_MASK;
}

/* Element i of the register array belongs to port i + 1. */
static uint64_t histogram(OriginRouter *r, unsigned i, uint64_t v, bool clear)
{
    return r->m->engine ? sn_rr_histogram(r->m->engine, r->index, i + 1, clear,
                                          origin_now())
                        : v;
}

static uint64_t histogram_read(void *opaque, unsigned i, unsigned in_port,
                               uint64_t v)
{
    return histogram(opaque, i, v, false);
}

static uint64_t histogram_clr_read(void *opaque, unsigned i, unsigned in_port,
                                   uint64_t v)
{
    return histogram(opaque, i, v, true);
}

static void parms_write(void *opaque, unsigned i, unsigned in_port,
                        uint64_t old, uint64_t raw)
{
    OriginRouter *r = opaque;

    if (r->m->engine) {
        sn_rr_parms_set(r->m->engine, r->index, i + 1,
                        *origin_reg(&r->rf, SN_REG_N(RR_PORT_PARMS, i)),
                        origin_now());
    }
}

/* clang-format off */
static const OriginRegHook rr_hooks[] = {
    { R_RR_STATUS_REV_ID, status_read, NULL },
    { R_RR_NIC_ULAN, nic_read, NULL },
    { R_RR_PORT_PARMS, NULL, parms_write },
    { R_RR_HISTOGRAM, histogram_read, NULL },
    { R_RR_HISTOGRAM_CLEAR, histogram_clr_read, NULL },
};
/* clang-format on */

bool origin_router_read(OriginRouter *r, uint32_t offset, unsigned in_port,
                        uint64_t *v)
{
    return origin_regs_read(&r->rf, offset, in_port, v);
}

bool origin_router_write(OriginRouter *r, uint32_t offset, unsigned in_port,
                         uint64_t v)
{
    return origin_regs_write(&r->rf, offset, in_port, v);
}

bool origin_router_may_write(OriginRouter *r, unsigned in_port)
{
    return *origin_reg(&r->rf, R_RR_PROT_CONF) >> in_port & 1;
}

static void router_realize(DeviceState *dev, Error **errp)
{
    OriginRouter *r = ORIGIN_ROUTER(dev);

    if (!rr_set.nslots) {
        origin_regset_add(&rr_set, sn_regs_rr, rr_hooks, ARRAY_SIZE(rr_hooks));
        origin_regset_seal(&rr_set);
    }
    origin_regs_init(&r->rf, &rr_set, r);
}

/* The firmware finds the links that are up and writes the routing tables. */
static void router_reset(Object *obj, ResetType type)
{
    OriginRouter *r = ORIGIN_ROUTER(obj);
    const struct sn_router_desc *d = &r->m->desc.router[r->index];
    uint64_t *status = origin_reg(&r->rf, R_RR_STATUS_REV_ID);
    unsigned i;

    origin_regs_reset(&r->rf);
    for (i = 1; i <= SN_ROUTER_PORTS; i++) {
        if (d->port[i].kind != SN_END_NONE) {
            *status |= 1ULL << (R_RR_STATUS_REV_ID_LINK1_SHIFT + i - 1);
        }
    }
    for (i = 0; i < SN_ROUTER_PORTS; i++) {
        parms_write(r, i, 0, 0, 0);
    }
    for (i = 0; i < R_RR_META_TABLE_COUNT; i++) {
        *origin_reg(&r->rf, SN_REG_N(RR_META_TABLE, i)) =
            sn_topo_router_entry(&r->m->topo, r->index, true, i);
    }
    for (i = 0; i < R_RR_LOCAL_TABLE_COUNT; i++) {
        *origin_reg(&r->rf, SN_REG_N(RR_LOCAL_TABLE, i)) =
            sn_topo_router_entry(&r->m->topo, r->index, false, i);
    }
}

static const Property router_properties[] = {
    DEFINE_PROP_LINK("machine", OriginRouter, m, TYPE_ORIGIN_MACHINE,
                     OriginMachineState *),
    DEFINE_PROP_UINT32("index", OriginRouter, index, 0),
};

static void router_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Origin 2000 router";
    dc->realize = router_realize;
    dc->user_creatable = false;
    device_class_set_props(dc, router_properties);
    RESETTABLE_CLASS(klass)->phases.hold = router_reset;
}

static const TypeInfo router_info[] = {
    {
        .name = TYPE_ORIGIN_ROUTER,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(OriginRouter),
        .class_init = router_class_init,
    },
};

DEFINE_TYPES(router_info)
