/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub, memory and directory unit: the registers.  Back door and fetch-and-op
 * are in hub_dir.c.
 *
 * Left out: event counters and migration registers only store until a
 * coherence engine drives them; microcontrollers and the node's
 * number-in-a-can are not fitted (the 1-wire bus reads high, operations end
 * at once).
 * Source: Linux's hubmd.h.
 */
#include "qemu/osdep.h"
#include "origin.h"

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

static const OriginRegHook md_hooks[] = {
    { R_MD_IO_PROT_OVRRD, NULL, io_override_write },
    { R_MD_MLAN_CTL, mlan_read, NULL },
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
