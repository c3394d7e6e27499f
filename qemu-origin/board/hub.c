/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hub's register space: one register file over the rows of the four
 * units, mapped three times (global, and once for each slice's IALIAS, so that
 * the Hub knows who reads PI_CPU_NUM).
 *
 * An offset without a row gets a bus error and a line in the log; so does
 * anything that no region claims (absent nodes, absent widgets).
 *
 * Left out: the protection registers (PI_CPU_PROTECT, MD_IO_PROTECT, ...) can
 * be read, written and opened with the password, but refuse nobody.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#define SN_REGS_TABLES
#include "origin.h"
#include "trace.h"

/* The key of the protection override registers (hub.h HUB_PASSWORD). */
#define HUB_PASSWORD 0x53474972756c6573ULL

static OriginRegSet hub_set;

static const char *unit_name(uint32_t offset)
{
    return offset < 0x200000 ? "PI" : offset < 0x400000 ? "MD" :
           offset < 0x600000 ? "II" : "NI";
}

bool origin_hub_read(OriginNode *n, uint32_t offset, unsigned slice,
                     uint64_t *v)
{
    return origin_regs_read(&n->rf, offset, slice, v);
}

bool origin_hub_write(OriginNode *n, uint32_t offset, unsigned slice,
                      uint64_t v)
{
    return origin_regs_write(&n->rf, offset, slice, v);
}

/* Node whose processor makes the access that is under way; n if a device. */
unsigned origin_accessor(OriginNode *n)
{
    return current_cpu ? MIPS_CPU(current_cpu)->env.r10k.nasid : n->nasid;
}

void origin_hub_override(OriginNode *n, uint32_t protect, uint64_t key)
{
    if (key == HUB_PASSWORD) {
        *origin_reg(&n->rf, protect) |= 1ULL << origin_accessor(n);
    }
}

static MemTxResult bad_access(OriginNode *n, hwaddr addr, const char *what)
{
    qemu_log_mask(LOG_UNIMP, "origin: hub %u: %s of unknown %s register 0x%"
                  HWADDR_PRIx ": bus error\n", n->nasid, what,
                  unit_name(addr), addr);
    return MEMTX_DECODE_ERROR;
}

static MemTxResult regs_read(OriginNode *n, hwaddr addr, unsigned slice,
                             unsigned size, uint64_t *v)
{
    if (!origin_regs_read_sized(&n->rf, addr, slice, size, v)) {
        return bad_access(n, addr, "read");
    }
    trace_origin_hub_read(n->nasid, (uint32_t)addr, *v, size);
    return MEMTX_OK;
}

static MemTxResult regs_write(OriginNode *n, hwaddr addr, unsigned slice,
                              unsigned size, uint64_t v)
{
    trace_origin_hub_write(n->nasid, (uint32_t)addr, v, size);
    if (!origin_regs_write_sized(&n->rf, addr, slice, size, v)) {
        return bad_access(n, addr, "write");
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

/* Through the global address the reader is whoever is running. */
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

#define HUB_OPS(who) { \
    .read_with_attrs = who##_read, \
    .write_with_attrs = who##_write, \
    .endianness = DEVICE_BIG_ENDIAN, \
    .valid = { .min_access_size = 1, .max_access_size = 8 }, \
    .impl = { .min_access_size = 1, .max_access_size = 8 }, \
}

static const MemoryRegionOps hub_ops[3] = {
    HUB_OPS(global), HUB_OPS(slice_a), HUB_OPS(slice_b)
};

void origin_hub_create(OriginNode *n)
{
    MemoryRegion *sys = get_system_memory();
    unsigned i;

    if (!hub_set.nslots) {
        origin_pi_regs(&hub_set, sn_regs_pi);
        origin_md_regs(&hub_set, sn_regs_md);
        origin_ii_regs(&hub_set, sn_regs_ii);
        origin_ni_regs(&hub_set, sn_regs_ni);
        origin_regset_seal(&hub_set);
    }
    origin_regs_init(&n->rf, &hub_set, n);

    for (i = 0; i < 3; i++) {
        static const char *const alias[] = { "global", "ialias-a", "ialias-b" };
        g_autofree char *name = g_strdup_printf("hub%u.%s", n->nasid, alias[i]);
        hwaddr base = SN_PA(SN_SPACE_IO, n->nasid, SN_HUB_REGS);

        if (i) {
            base = SN_PA(SN_SPACE_IALIAS, n->nasid, 0) |
                   (uint64_t)(i - 1) << SN_IALIAS_SLICE_SHIFT;
        }
        memory_region_init_io(&n->regs[i], OBJECT(n->m), &hub_ops[i], n, name,
                              SN_HUB_REGS_SIZE);
        memory_region_add_subregion(sys, base, &n->regs[i]);
    }
    origin_pi_init(n);
    origin_ii_init(n);
    origin_dir_create(n);
}

void origin_hub_reset(OriginNode *n)
{
    origin_regs_reset(&n->rf);
    origin_pi_reset(n);
    origin_md_reset(n);
    origin_ni_reset(n);
    origin_ii_reset(n);
    origin_dir_reset(n);
}
