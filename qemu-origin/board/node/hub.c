/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hub as a device: see hub.h.  Its register space is one register file
 * over the rows of the four units.  The space is mapped three times: globally,
 * and once for each slice's IALIAS, so that the Hub knows who reads PI_CPU_NUM.
 *
 * An offset without a row gets a bus error and a line in the log; so does an
 * address that no region claims (absent nodes, absent widgets).
 *
 * Left out: the protection registers (PI_CPU_PROTECT, MD_IO_PROTECT, ...) can
 * be read, written and opened with the password, but they refuse no access.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "hw/qdev-properties.h"
#define SN_REGS_TABLES
#include "origin.h"
#include "node/hub_units.h"
#include "../trace.h"

static OriginRegSet hub_set;

static const char *unit_name(uint32_t offset)
{
    return offset < 0x200000   ? "PI"
           : offset < 0x400000 ? "MD"
           : offset < 0x600000 ? "II"
                               : "NI";
}

static MemTxResult bad_access(OriginHub *h, hwaddr addr, const char *what)
{
    qemu_log_mask(LOG_UNIMP,
                  "origin: hub %u: %s of unknown %s register 0x%" HWADDR_PRIx
                  ": bus error\n",
                  h->nasid, what, unit_name(addr), addr);
    return MEMTX_DECODE_ERROR;
}

static MemTxResult regs_read(OriginHub *h, hwaddr addr, unsigned slice,
                             unsigned size, uint64_t *v)
{
    if (!origin_regs_read_sized(&h->rf, addr, slice, size, v)) {
        return bad_access(h, addr, "read");
    }
    trace_origin_hub_read(h->nasid, (uint32_t)addr, *v, size);
    return MEMTX_OK;
}

static MemTxResult regs_write(OriginHub *h, hwaddr addr, unsigned slice,
                              unsigned size, uint64_t v)
{
    trace_origin_hub_write(h->nasid, (uint32_t)addr, v, size);
    if (!origin_regs_write_sized(&h->rf, addr, slice, size, v)) {
        return bad_access(h, addr, "write");
    }
    return MEMTX_OK;
}

static MemTxResult slice_a_read(void *opaque, hwaddr addr, uint64_t *v,
                                unsigned size, MemTxAttrs attrs)
{
    return regs_read(opaque, addr, 0, size, v);
}

static MemTxResult slice_a_write(void *opaque, hwaddr addr, uint64_t v,
                                 unsigned size, MemTxAttrs attrs)
{
    return regs_write(opaque, addr, 0, size, v);
}

static MemTxResult slice_b_read(void *opaque, hwaddr addr, uint64_t *v,
                                unsigned size, MemTxAttrs attrs)
{
    return regs_read(opaque, addr, 1, size, v);
}

static MemTxResult slice_b_write(void *opaque, hwaddr addr, uint64_t v,
                                 unsigned size, MemTxAttrs attrs)
{
    return regs_write(opaque, addr, 1, size, v);
}

/* The global address does not name a slice: take the running processor's. */
static unsigned global_slice(void)
{
    return current_cpu ? MIPS_CPU(current_cpu)->env.r10k.slice : 0;
}

static MemTxResult global_read(void *opaque, hwaddr addr, uint64_t *v,
                               unsigned size, MemTxAttrs attrs)
{
    return regs_read(opaque, addr, global_slice(), size, v);
}

static MemTxResult global_write(void *opaque, hwaddr addr, uint64_t v,
                                unsigned size, MemTxAttrs attrs)
{
    return regs_write(opaque, addr, global_slice(), size, v);
}

/* clang-format off */
#define HUB_OPS(who) { \
    .read_with_attrs = who##_read, \
    .write_with_attrs = who##_write, \
    .endianness = DEVICE_BIG_ENDIAN, \
    .valid = { .min_access_size = 1, .max_access_size = 8 }, \
    .impl = { .min_access_size = 1, .max_access_size = 8 }, \
}
/* clang-format on */

static const struct {
    const char *name;
    MemoryRegionOps ops;
} hub_regs[] = {
    { "global", HUB_OPS(global) },
    { "ialias-a", HUB_OPS(slice_a) },
    { "ialias-b", HUB_OPS(slice_b) },
};

/* --- device --- */

static void hub_realize(DeviceState *dev, Error **errp)
{
    OriginHub *h = ORIGIN_HUB(dev);
    unsigned i;

    if (!hub_set.nslots) {
        origin_pi_regs(&hub_set, sn_regs_pi);
        origin_md_regs(&hub_set, sn_regs_md);
        origin_ii_regs(&hub_set, sn_regs_ii);
        origin_ni_regs(&hub_set, sn_regs_ni);
        origin_regset_seal(&hub_set);
    }
    h->desc = &h->m->desc.node[h->nasid];
    origin_regs_init(&h->rf, &hub_set, h);

    for (i = 0; i < ARRAY_SIZE(hub_regs); i++) {
        hwaddr base = SN_PA(SN_SPACE_IO, h->nasid, SN_HUB_REGS);

        if (i) {
            base = SN_PA(SN_SPACE_IALIAS, h->nasid, 0) |
                   (uint64_t)(i - 1) << SN_IALIAS_SLICE_SHIFT;
        }
        origin_hub_map_io(h, &h->regs[i], &hub_regs[i].ops, hub_regs[i].name,
                          base, SN_HUB_REGS_SIZE);
    }
    origin_pi_realize(h);
    origin_ii_realize(h);
    origin_dir_realize(h);
}

/* First the reset values of the rows, then what the firmware sets up. */
static void hub_reset(Object *obj, ResetType type)
{
    OriginHub *h = ORIGIN_HUB(obj);

    origin_regs_reset(&h->rf);
    origin_pi_reset(h);
    origin_md_reset(h);
    origin_ni_reset(h);
    origin_ii_reset(h);
    origin_dir_reset(h);
}

void origin_hub_state(OriginHub *h, struct sn_archive *a)
{
    origin_regs_state(&h->rf, a);
    origin_pi_state(h, a);
    origin_dir_state(h, a);
    origin_ii_state(h, a);
    SN_MOVE(a, h->ni);
}

static const Property hub_properties[] = {
    DEFINE_PROP_LINK("machine", OriginHub, m, TYPE_ORIGIN_MACHINE,
                     OriginMachineState *),
    DEFINE_PROP_UINT32("nasid", OriginHub, nasid, 0),
    DEFINE_PROP_LINK("cpu-a", OriginHub, cpu[0], TYPE_MIPS_CPU, MIPSCPU *),
    DEFINE_PROP_LINK("cpu-b", OriginHub, cpu[1], TYPE_MIPS_CPU, MIPSCPU *),
};

static void hub_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Origin 2000 Hub";
    dc->realize = hub_realize;
    dc->user_creatable = false;
    device_class_set_props(dc, hub_properties);
    RESETTABLE_CLASS(klass)->phases.hold = hub_reset;
}

static const TypeInfo hub_info[] = {
    {
        .name = TYPE_ORIGIN_HUB,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(OriginHub),
        .class_init = hub_class_init,
    },
};

DEFINE_TYPES(hub_info)
