/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router and metarouter: registers, reached by vector operations only
 * (hub_ni.c), with link state and routing tables from the topology.
 *
 * Histograms are the engine's; without it (model=off) they stand still.
 *
 * Left out: errors do not happen; RR_PORT_RESET does nothing; the
 * number-in-a-can is not fitted.
 * Sources: facts abi; Linux's hubni.h for the fields that Hub and router
 * share.
 */
#include "qemu/osdep.h"
#define SN_REGS_TABLES
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
    /* idle bus: done, line high */
    return v | R_MD_MLAN_CTL_DONE_MASK | R_MD_MLAN_CTL_RD_DATA_MASK;
}

/* Ports are numbered from 1, elements from 0. */
static uint64_t histogram(OriginRouter *r, unsigned i, uint64_t v, bool clear)
{
    return r->m->engine ? sn_rr_histogram(r->m->engine, r->index, i + 1, clear,
                                          origin_model_now(r->m)) : v;
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
                        origin_model_now(r->m));
    }
}

static const OriginRegHook rr_hooks[] = {
    { R_RR_STATUS_REV_ID, status_read, NULL },
    { R_RR_NIC_ULAN, nic_read, NULL },
    { R_RR_PORT_PARMS, NULL, parms_write },
    { R_RR_HISTOGRAM, histogram_read, NULL },
    { R_RR_HISTOGRAM_CLEAR, histogram_clr_read, NULL },
};

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

void origin_router_create(OriginMachineState *m, unsigned index)
{
    OriginRouter *r = &m->router[index];

    r->m = m;
    r->index = index;
    if (!rr_set.nslots) {
        origin_regset_add(&rr_set, sn_regs_rr, rr_hooks, ARRAY_SIZE(rr_hooks));
        origin_regset_seal(&rr_set);
    }
    origin_regs_init(&r->rf, &rr_set, r);
}

void origin_router_reset(OriginRouter *r)
{
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
