/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, memory and directory unit: the registers.  Back door and fetch-and-op
 * are in hub_dir.c.
 *
 * Migration, event counters and protocol errors are the engine's; without it
 * (model=off) their registers only store.
 *
 * Left out: microcontrollers and the node's number-in-a-can are not fitted
 * (the 1-wire bus reads high, operations end at once).
 * Source: Linux's hubmd.h.
 */
#include "qemu/osdep.h"
#include "origin.h"
#include "sn.h"

/* MD_MEMORY_CONFIG's code for a bank of so many megabytes (4 MB << code). */
static unsigned bank_code(uint32_t mb)
{
    return mb ? ctz32(mb) - 2 : 0;
}

static uint64_t mlan_read(void *opaque, unsigned i, unsigned who, uint64_t v)
{
    /* idle bus: done, line high */
    return v | R_MD_MLAN_CTL_DONE_MASK | R_MD_MLAN_CTL_RD_DATA_MASK;
}

static void io_override_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    origin_hub_override(opaque, R_MD_IO_PROTECT, raw);
}

/* --- what the engine holds --- */

static struct sn_machine *engine(OriginNode *n)
{
    return n->m->engine;
}

static uint64_t fop_stat_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginNode *n = opaque;

    return engine(n) ? sn_fetchop_stat(engine(n), n->nasid) : v;
}

static void diff_thresh_write(void *opaque, unsigned i, unsigned who,
                              uint64_t old, uint64_t raw)
{
    OriginNode *n = opaque;

    if (engine(n)) {
        sn_md_mig_thresh_set(engine(n), n->nasid, false,
                             *origin_reg(&n->rf, R_MD_MIG_DIFF_THRESH));
    }
}

static void value_thresh_write(void *opaque, unsigned i, unsigned who,
                               uint64_t old, uint64_t raw)
{
    OriginNode *n = opaque;

    if (engine(n)) {
        sn_md_mig_thresh_set(engine(n), n->nasid, true,
                             *origin_reg(&n->rf, R_MD_MIG_VALUE_THRESH));
    }
}

static uint64_t candidate(OriginNode *n, uint64_t v, bool clear)
{
    return engine(n) ? sn_md_mig_candidate(engine(n), n->nasid, clear) : v;
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

uint64_t origin_md_protocol_error(OriginNode *n, bool clear)
{
    return engine(n) ? sn_md_proto_error(engine(n), n->nasid, clear) :
           *origin_reg(&n->rf, R_MD_PROTOCOL_ERROR);
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
    OriginNode *n = opaque;

    if (engine(n)) {
        sn_md_moq_set(engine(n), n->nasid,
                      *origin_reg(&n->rf, R_MD_MOQ_SIZE));
    }
}

static void perf_sel_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginNode *n = opaque;

    if (engine(n)) {
        sn_md_perf_sel_set(engine(n), n->nasid,
                           *origin_reg(&n->rf, R_MD_PERF_SEL),
                           origin_model_now(n->m));
    }
}

static uint64_t perf_cnt_read(void *opaque, unsigned i, unsigned who,
                              uint64_t v)
{
    OriginNode *n = opaque;

    return engine(n) ? sn_md_perf_cnt(engine(n), n->nasid, i,
                                      origin_model_now(n->m)) : v;
}

static void perf_cnt_write(void *opaque, unsigned i, unsigned who, uint64_t old,
                           uint64_t raw)
{
    OriginNode *n = opaque;

    if (engine(n)) {
        sn_md_perf_cnt_set(engine(n), n->nasid, i, raw & R_MD_PERF_CNT_WMASK,
                           origin_model_now(n->m));
    }
}

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

void origin_md_regs(OriginRegSet *set, const struct sn_reg *rows)
{
    origin_regset_add(set, rows, md_hooks, ARRAY_SIZE(md_hooks));
}

/* What the firmware leaves: bank sizes, directory type, refresh running. */
void origin_md_reset(OriginNode *n)
{
    uint64_t *config = origin_reg(&n->rf, R_MD_MEMORY_CONFIG);
    uint64_t *slot = origin_reg(&n->rf, R_MD_SLOTID_USTAT);
    unsigned b;

    for (b = 0; b < SN_NODE_BANKS; b++) {
        *config = SN_SET(*config, b * 3, 3, bank_code(n->desc->bank_mb[b]));
    }
    *config = SN_FIELD_SET(*config, MD_MEMORY_CONFIG, IGNORE_ECC, 0);
    *config = SN_FIELD_SET(*config, MD_MEMORY_CONFIG, DIR_PREMIUM,
                           n->desc->dir == SN_DIR_PREMIUM);
    *origin_reg(&n->rf, R_MD_REFRESH_CONTROL) |=
        R_MD_REFRESH_CONTROL_ENABLE_MASK;
    *slot = SN_FIELD_SET(*slot, MD_SLOTID_USTAT, SLOTID, n->desc->slot);
}
