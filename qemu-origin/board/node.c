/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One node board: two processors, memory banks, and the Hub.
 *
 * Memory: bank b at 512 MB * b.  Banks of up to 128 MB and of 512 MB are
 * contiguous; sizes between stand in four equal chunks 128 MB apart, as their
 * DIMMs are addressed (boot contract 1, "memory rule").  One sparse RAM block
 * a node holds all banks, host memory is only taken for pages that the guest
 * touches.
 *
 * Left out: banks swapped by MD_MEMORY_CONFIG DIMM0_SEL.
 */
#include "qemu/osdep.h"
#include "qemu/madvise.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "system/mp-time.h"
#include "origin.h"

/*
 * Machine-time ticks of an instruction: ORIGIN_BASE_CPI cycles, in quarters.
 * One cycle an instruction is what an R10000 sustains on integer code without
 * memory stalls, which the memory model charges on top.
 */
#define ORIGIN_BASE_CPI_QUARTERS 4

/* Chunks of a bank and their size. */
static unsigned bank_chunks(uint32_t mb, uint64_t *chunk)
{
    unsigned n = mb > 128 && mb != 512 ? 4 : 1;

    *chunk = mb * MiB / n;
    return n;
}

bool origin_ram_present(OriginMachineState *m, uint64_t pa, uint64_t len)
{
    unsigned nasid = SN_PA_NASID(pa);
    uint64_t off = SN_PA_OFFSET(pa), chunk, in;
    unsigned bank = off >> SN_BANK_SHIFT, n;

    if (pa >> SN_SPACE_SHIFT || nasid >= m->desc.nnodes || !len) {
        return false;
    }
    n = bank_chunks(m->node[nasid].desc->bank_mb[bank], &chunk);
    in = off & (SN_BANK_SIZE - 1);
    if (n == 1) {
        return in + len <= chunk;
    }
    return in / SN_BANK_CHUNK < n && in % SN_BANK_CHUNK + len <= chunk;
}

static void create_memory(OriginNode *n)
{
    g_autofree char *name = g_strdup_printf("node%u.ram", n->nasid);
    MemoryRegion *sys = get_system_memory();
    uint64_t total = 0, chunk, from = 0;
    unsigned b, c;

    for (b = 0; b < SN_NODE_BANKS; b++) {
        total += n->desc->bank_mb[b] * MiB;
    }
    memory_region_init_ram_flags_nomigrate(&n->ram, OBJECT(n->m), name, total,
                                           RAM_NORESERVE, &error_fatal);
    /* huge pages would take memory that the guest never touches */
    qemu_madvise(memory_region_get_ram_ptr(&n->ram), total,
                 QEMU_MADV_NOHUGEPAGE);

    for (b = 0; b < SN_NODE_BANKS; b++) {
        unsigned count = bank_chunks(n->desc->bank_mb[b], &chunk);

        for (c = 0; chunk && c < count; c++) {
            g_autofree char *part =
                g_strdup_printf("node%u.bank%u.%u", n->nasid, b, c);

            memory_region_init_alias(&n->chunk[b][c], OBJECT(n->m), part,
                                     &n->ram, from, chunk);
            memory_region_add_subregion(sys,
                SN_PA(SN_SPACE_RAM, n->nasid,
                      b * SN_BANK_SIZE + c * SN_BANK_CHUNK),
                &n->chunk[b][c]);
            from += chunk;
        }
    }
}

static void create_cpu(OriginNode *n, unsigned slice)
{
    const struct sn_cpu_desc *d = &n->desc->cpu[slice];
    OriginMachineState *m = n->m;
    g_autofree char *name = g_strdup_printf("clock%u%c", n->nasid, 'a' + slice);
    Clock *clk = clock_new(OBJECT(m), name);
    DeviceState *dev;
    uint64_t hz = d->khz * 1000ULL;

    clock_set_hz(clk, hz);
    dev = qdev_new(d->model == SN_CPU_R12000 ? MIPS_CPU_TYPE_NAME("R12000") :
                   MIPS_CPU_TYPE_NAME("R10000"));
    qdev_prop_set_uint32(dev, "nasid", n->nasid);
    qdev_prop_set_uint32(dev, "slice", slice);
    qdev_prop_set_uint32(dev, "l2-bytes", d->l2_bytes);
    qdev_prop_set_bit(dev, "r2", m->r2);
    qdev_prop_set_bit(dev, "range-monitor", m->range_monitor);
    qdev_connect_clock_in(dev, "clk-in", clk);
    /* the first processor starts in the PROM, the others wait for LAUNCH */
    object_property_set_bool(OBJECT(dev), "start-powered-off", m->ncpus != 0,
                             &error_abort);
    qdev_realize_and_unref(dev, NULL, &error_fatal);

    n->cpu[slice] = MIPS_CPU(dev);
    cpu_mips_irq_init_cpu(n->cpu[slice]);
    cpu_mips_clock_init(n->cpu[slice]);
    mp_time_set_cpu(CPU(dev), (m->tick_hz * ORIGIN_BASE_CPI_QUARTERS + hz * 2) /
                              (hz * 4));
    m->ncpus++;
}

void origin_node_create(OriginMachineState *m, unsigned index)
{
    OriginNode *n = &m->node[index];
    unsigned s;

    n->m = m;
    n->desc = &m->desc.node[index];
    n->nasid = n->desc->nasid;
    create_memory(n);
    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (n->desc->cpu[s].model != SN_CPU_NONE) {
            create_cpu(n, s);
        }
    }
    origin_hub_create(n);
}
