/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, memory and directory unit: the registers.  Back door and fetch-and-op
 * are in hub_dir.c.
 *
 * The engine has the state behind the registers of page migration, event
 * counters and protocol errors.  Without it (model=off) these registers are
 * plain storage.
 *
 * Left out: the microcontrollers and the node's number-in-a-can are not fitted:
 * the 1-wire bus reads high, and its operations end at once.
 * Source: Linux's hubmd.h.
 */
#include "qemu/osdep.h"
#include "clock.h"
#include "origin.h"
#include "node/hub_units.h"
#include "sn.h"

/* The code of a bank in MD_MEMORY_CONFIG: its size is 4 MB << code. */
static unsigned bank_code(uint32_t mb)
{
    return mb ? ctz32(mb) - 2 : 0;
}

static uint64_t mlan_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    /* the bus is idle: the operation is done, the line is high */
    return v | R_MD_MLAN_CTL_DONE_MASK | R_MD_MLAN_CTL_RD_DATA_MASK;
}

static void io_override_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_MD_IO_PROTECT, raw);
}

/* --- what the engine holds --- */

static struct sn_machine *engine(OriginHub *h)
{
    return h->m->engine;
}

static uint64_t fop_stat_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginHub *h = opaque;

    return engine(h) ? sn_fetchop_stat(engine(h), h->nasid) : v;
}

static void diff_thresh_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    OriginHub *h = opaque;

    if (engine(h)) {
        sn_md_mig_thresh_set(engine(h), h->nasid, false,
                             *hub_reg(h, R_MD_MIG_DIFF_THRESH));
    }
}

static void value_thresh_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    OriginHub *h = opaque;

    if (engine(h)) {
        sn_md_mig_thresh_set(engine(h), h->nasid, true,
                             *hub_reg(h, R_MD_MIG_VALUE_THRESH));
    }
}

static uint64_t candidate(OriginHub *h, uint64_t v, bool clear)
{
    return engine(h) ? sn_md_mig_candidate(engine(h), h->nasid, clear) : v;
}

static uint64_t candidate_read(void *opaque, unsigned i, unsigned who,
                               uint64_t v)
{
    return candidate(opaque, v, false);
}

static uint64_t candidate_clr_read(void *opaque, unsigned i, unsigned who,
                                   uint64_t v)
{
    return candidate(opaque, v, true);
}

uint64_t origin_md_protocol_error(OriginHub *h, bool clear)
{
    return engine(h) ? sn_md_proto_error(engine(h), h->nasid, clear)
                     : *hub_reg(h, R_MD_PROTOCOL_ERROR);
}

static uint64_t protocol_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    return origin_md_protocol_error(opaque, false);
}

static uint64_t protocol_clr_read(void *opaque, unsigned i, unsigned who,
                                  uint64_t v)
{
    return origin_md_protocol_error(opaque, true);
}

static void moq_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                      uint64_t raw)
{
    OriginHub *h = opaque;

    if (engine(h)) {
        sn_md_moq_set(engine(h), h->nasid, *hub_reg(h, R_MD_MOQ_SIZE));
    }
}

static void perf_sel_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginHub *h = opaque;

    if (engine(h)) {
        sn_md_perf_sel_set(engine(h), h->nasid, *hub_reg(h, R_MD_PERF_SEL),
                           origin_now());
    }
}

static uint64_t perf_cnt_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginHub *h = opaque;

    return engine(h) ? sn_md_perf_cnt(engine(h), h->nasid, i, origin_now()) : v;
}

static void perf_cnt_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginHub *h = opaque;

    if (engine(h)) {
        sn_md_perf_cnt_set(engine(h), h->nasid, i, raw & R_MD_PERF_CNT_WMASK,
                           origin_now());
    }
}

/* clang-format off */
static const OriginRegHook md_hooks[] = {
    { R_MD_IO_PROT_OVRRD, NULL, io_override_write },
    { R_MD_FANDOP_CAC_STAT, fop_stat_read, NULL },
    { R_MD_MIG_DIFF_THRESH, NULL, diff_thresh_write },
    { R_MD_MIG_VALUE_THRESH, NULL, value_thresh_write },
    { R_MD_MIG_CANDIDATE, candidate_read, NULL },
    { R_MD_MIG_CANDIDATE_CLR, candidate_clr_read, NULL },
    { R_MD_PROTOCOL_ERROR, protocol_read, NULL },
    { R_MD_PROTOCOL_ERROR_CLR, protocol_clr_read, NULL },
    { R_MD_MOQ_SIZE, NULL, moq_write },
    { R_MD_MLAN_CTL, mlan_read, NULL },
    { R_MD_PERF_SEL, NULL, perf_sel_write },
    { R_MD_PERF_CNT, perf_cnt_read, perf_cnt_write },
};
/* clang-format on */

void origin_md_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, md_hooks, ARRAY_SIZE(md_hooks));
}

/* The firmware sets bank sizes and directory type and starts the refresh. */
void origin_md_reset(OriginHub *h)
{
    uint64_t *config = hub_reg(h, R_MD_MEMORY_CONFIG);
    uint64_t *slot = hub_reg(h, R_MD_SLOTID_USTAT);
    unsigned b;

    for (b = 0; b < SN_NODE_BANKS; b++) {
        *config = SN_SET(*config, b * 3, 3, bank_code(h->desc->bank_mb[b]));
    }
    *config = SN_FIELD_SET(*config, MD_MEMORY_CONFIG, IGNORE_ECC, 0);
    *config = SN_FIELD_SET(*config, MD_MEMORY_CONFIG, DIR_PREMIUM,
                           h->desc->dir == SN_DIMM_PREMIUM);
    *hub_reg(h, R_MD_REFRESH_CONTROL) |= R_MD_REFRESH_CONTROL_ENABLE_MASK;
    *slot = SN_FIELD_SET(*slot, MD_SLOTID_USTAT, SLOTID, h->desc->slot);
}
