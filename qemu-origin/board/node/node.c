/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One node board: see node.h.
 */
#include "qemu/osdep.h"
#include "qemu/madvise.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/clock.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "system/mp-time.h"
#include "origin.h"

/*
 * What a count of mp_time_insns() is, in quarters of a cycle.  Without the
 * pipeline each instruction takes a cycle, which is what an R10000 sustains on
 * integer code without memory stalls; the memory model adds those.
 */
#define ORIGIN_BASE_CPI_QUARTERS 4

uint32_t origin_insn_ticks(const OriginMachineState *m, uint64_t hz)
{
    unsigned quarters = m->pipeline ? 1 : ORIGIN_BASE_CPI_QUARTERS;

    return (m->tick_hz * quarters + hz * 2) / (hz * 4);
}

uint64_t origin_insns(MIPSCPU *cpu)
{
    if (cpu->env.r10k.pipeline) {
        return cpu->env.r10k.insns;
    }
    return mp_time_insns(CPU(cpu)) - cpu->env.r10k.load_use_delays;
}

/* Number of chunks of a bank of `mb` megabytes; *chunk gets their size. */
static unsigned bank_chunks(uint32_t mb, uint64_t *chunk)
{
    unsigned n = mb > 128 && mb != 512 ? 4 : 1;

    *chunk = mb * MiB / n;
    return n;
}

bool origin_ram_present(const struct sn_desc *d, uint64_t pa, uint64_t len)
{
    unsigned nasid = SN_PA_NASID(pa);
    uint64_t off = SN_PA_OFFSET(pa), chunk, in;
    unsigned bank = off >> SN_BANK_SHIFT, n;

    if (pa >> SN_SPACE_SHIFT || nasid >= d->nnodes || !len) {
        return false;
    }
    n = bank_chunks(d->node[nasid].bank_mb[bank], &chunk);
    in = off & (SN_BANK_SIZE - 1);
    if (n > 1) { /* the four chunks are spread over the bank's space */
        in %= SN_BANK_CHUNK;
    }
    return in <= chunk && len <= chunk - in;
}

static bool create_memory(OriginNode *n, Error **errp)
{
    g_autofree char *ram = g_strdup_printf("node%u.ram", n->nasid);
    MemoryRegion *sys = get_system_memory();
    uint64_t total = 0, chunk, from = 0;
    unsigned b, c;

    for (b = 0; b < SN_NODE_BANKS; b++) {
        total += n->desc->bank_mb[b] * MiB;
    }
    if (!memory_region_init_ram_flags_nomigrate(&n->ram, OBJECT(n), ram, total,
                                                RAM_NORESERVE, errp)) {
        return false;
    }
    /* huge pages would take host memory for pages that the guest never touches */
    qemu_madvise(memory_region_get_ram_ptr(&n->ram), total,
                 QEMU_MADV_NOHUGEPAGE);

    for (b = 0; b < SN_NODE_BANKS; b++) {
        unsigned count = bank_chunks(n->desc->bank_mb[b], &chunk);

        for (c = 0; chunk && c < count; c++) {
            g_autofree char *name =
                g_strdup_printf("node%u.bank%u.%u", n->nasid, b, c);
            uint32_t at = b * SN_BANK_SIZE + c * SN_BANK_CHUNK;

            memory_region_init_alias(&n->chunk[b][c], OBJECT(n), name, &n->ram,
                                     from, chunk);
            memory_region_add_subregion(sys, SN_PA(SN_SPACE_RAM, n->nasid, at),
                                        &n->chunk[b][c]);
            from += chunk;
        }
    }
    return true;
}

static bool create_cpu(OriginNode *n, unsigned slice, Error **errp)
{
    const struct sn_cpu_desc *d = &n->desc->cpu[slice];
    OriginMachineState *m = n->m;
    const char *name = slice ? "cpu-b" : "cpu-a";
    Clock *clk = clock_new(OBJECT(n), slice ? "clock-b" : "clock-a");
    DeviceState *dev;
    uint64_t hz = d->khz * 1000ULL;

    clock_set_hz(clk, hz);
    dev = qdev_new(d->model == SN_CPU_R12000 ? MIPS_CPU_TYPE_NAME("R12000")
                                             : MIPS_CPU_TYPE_NAME("R10000"));
    object_property_add_child(OBJECT(n), name, OBJECT(dev));
    qdev_prop_set_uint32(dev, "nasid", n->nasid);
    qdev_prop_set_uint32(dev, "slice", slice);
    /* A hypothetical size may be none that Config has a code for. */
    qdev_prop_set_uint32(dev, "l2-bytes",
                         MIN(MAX(d->l2_bytes, 512 * KiB), 16 * MiB));
    qdev_prop_set_bit(dev, "pipeline", m->pipeline);
    qdev_prop_set_bit(dev, "r2", m->r2);
    qdev_prop_set_bit(dev, "range-monitor", m->range_monitor);
    qdev_connect_clock_in(dev, "clk-in", clk);
    /* the first processor starts in the PROM; the others wait for LAUNCHSLAVE */
    object_property_set_bool(OBJECT(dev), "start-powered-off",
                             first_cpu != NULL, &error_abort);
    if (!qdev_realize_and_unref(dev, NULL, errp)) {
        return false;
    }
    n->cpu[slice] = MIPS_CPU(dev);
    cpu_mips_irq_init_cpu(n->cpu[slice]);
    cpu_mips_clock_init(n->cpu[slice]);
    mp_time_set_cpu(CPU(dev), origin_insn_ticks(m, hz));
    object_property_set_link(OBJECT(&n->hub), name, OBJECT(dev), &error_abort);
    return true;
}

/* --- device --- */

static void node_init(Object *obj)
{
    object_initialize_child(obj, "hub", &ORIGIN_NODE(obj)->hub,
                            TYPE_ORIGIN_HUB);
}

static void node_realize(DeviceState *dev, Error **errp)
{
    OriginNode *n = ORIGIN_NODE(dev);
    Object *hub = OBJECT(&n->hub);
    unsigned s;

    n->desc = &n->m->desc.node[n->nasid];
    if (!create_memory(n, errp)) {
        return;
    }
    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (n->desc->cpu[s].model != SN_CPU_NONE && !create_cpu(n, s, errp)) {
            return;
        }
    }
    object_property_set_link(hub, "machine", OBJECT(n->m), &error_abort);
    qdev_prop_set_uint32(DEVICE(hub), "nasid", n->nasid);
    qdev_realize(DEVICE(hub), NULL, errp);
}

/* The Hub is reset last: it sets the lines and the CALIAS of the processors. */
static void node_reset(Object *obj, ResetType type)
{
    OriginNode *n = ORIGIN_NODE(obj);
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (n->cpu[s]) {
            cpu_reset(CPU(n->cpu[s]));
        }
    }
    device_cold_reset(DEVICE(&n->hub));
}

static const Property node_properties[] = {
    DEFINE_PROP_LINK("machine", OriginNode, m, TYPE_ORIGIN_MACHINE,
                     OriginMachineState *),
    DEFINE_PROP_UINT32("nasid", OriginNode, nasid, 0),
};

static void node_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Origin 2000 node board";
    dc->realize = node_realize;
    dc->user_creatable = false;
    device_class_set_props(dc, node_properties);
    RESETTABLE_CLASS(klass)->phases.hold = node_reset;
}

static const TypeInfo node_info[] = {
    {
        .name = TYPE_ORIGIN_NODE,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(OriginNode),
        .instance_init = node_init,
        .class_init = node_class_init,
    },
};

DEFINE_TYPES(node_info)
