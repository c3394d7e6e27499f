/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory system between guest and engine: every access that QEMU's filter
 * (exec/memory-model.h) does not resolve, every uncached access, every line of
 * DMA becomes a call of the engine (sn.h), and the ticks that it returns stall
 * the processor.  What the engine takes away is dropped from the filter.
 *
 *   origin_model_attach()   before the first processor exists
 *   origin_model_reset()    power-on state
 *   origin_model_now()      time in the engine's ticks
 *
 * Left out: data.  It moves between QEMU's RAM and registers as without a
 * model; the engine only says who may hold it and what that costs.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "exec/memory-model.h"
#include "system/mp-time.h"
#include "system/tcg.h"
#include "target/mips/r10k.h"
#include "origin.h"
#include "sn.h"

/* There is one machine in a QEMU; the filter's hooks carry no opaque. */
static OriginMachineState *the_machine;

static unsigned cpu_number(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    return env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
}

static CPUState *cpu_by_number(OriginMachineState *m, unsigned cpu)
{
    return CPU(m->node[cpu / SN_NODE_CPUS].cpu[cpu % SN_NODE_CPUS]);
}

/* Ticks since the start, of the CPU that runs or of the machine. */
uint64_t origin_model_now(OriginMachineState *m)
{
    return current_cpu && current_cpu->running ?
           mp_time_local(current_cpu) : mp_time_now();
}

static void stall(CPUState *cs, uint32_t ticks)
{
    if (ticks) {
        mp_time_stall(cs, ticks);
    }
}

static bool cached(const CPUTLBEntryFull *full)
{
    return full->attrs.memory;
}

static unsigned model_data(CPUState *cs, const CPUTLBEntryFull *full,
                           hwaddr pa, unsigned size, MMUAccessType type)
{
    OriginMachineState *m = the_machine;
    unsigned cpu = cpu_number(cs), flags, perm = 0;
    bool write = type == MMU_DATA_STORE;
    const struct sn_filter *f;
    uint64_t line = pa & ~MAKE_64BIT_MASK(0, SN_L1D_SHIFT);
    unsigned set = extract64(pa, SN_L1D_SHIFT, 9);
    uint64_t now = origin_model_now(m);

    if (unlikely(!cached(full))) {
        stall(cs, sn_uncached(m->engine, cpu, SN_PA_NASID(pa),
                              pa >> R10K_SPACE_SHIFT == R10K_SPACE_RAM ?
                              SN_UC_MEM : SN_UC_PROM, write, now));
        return 0;
    }
    stall(cs, sn_access(m->engine, cpu, pa, write ? SN_STORE : SN_LOAD, line,
                        now, &flags));
    if (unlikely(flags & SN_F_BUSERR)) {
        return MEMORY_MODEL_FAULT;
    }
    f = sn_cpu_filter(m->engine, cpu);
    if (f->d[set].ld == line) {
        perm |= MEMORY_MODEL_READ;
    }
    if (f->d[set].st == line) {
        perm |= MEMORY_MODEL_WRITE;
    }
    return perm;
}

static void model_fetch(CPUState *cs, hwaddr pa)
{
    OriginMachineState *m = the_machine;
    unsigned flags;

    stall(cs, sn_access(m->engine, cpu_number(cs), pa, SN_IFETCH, pa,
                        origin_model_now(m), &flags));
}

static bool model_caches_code(CPUState *cs, const CPUTLBEntryFull *full)
{
    return cached(full);
}

/* Accesses to registers and other things that are not memory. */
static void model_io(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
                     MMUAccessType type)
{
    OriginMachineState *m = the_machine;
    unsigned cpu = cpu_number(cs), node = SN_PA_NASID(pa);
    bool write = type == MMU_DATA_STORE;
    uint64_t now = origin_model_now(m);
    uint32_t offset = pa;
    enum sn_uc where;

    if (node >= m->desc.nnodes) {
        return;                 /* ends in a bus error */
    }
    switch (extract64(pa, R10K_SPACE_SHIFT, 3)) {
    case R10K_SPACE_HSPEC:
        where = offset >= SN_BDECC ? SN_UC_MEM : SN_UC_PROM;
        break;
    case R10K_SPACE_IO:
        where = offset >> SN_SWIN_SHIFT == SN_HUB_WIDGET ? SN_UC_HUB : SN_UC_IO;
        break;
    case R10K_SPACE_IALIAS:
        node = cpu / SN_NODE_CPUS;
        where = SN_UC_HUB;
        break;
    default:
        stall(cs, sn_fetchop(m->engine, cpu, extract64(pa, 0, R10K_SPACE_SHIFT),
                             write, SN_FOP_OP(pa) == 7, now));
        return;
    }
    stall(cs, sn_uncached(m->engine, cpu, node, where, write, now));
}

static const MemoryModelOps model_ops = {
    .data = model_data,
    .fetch = model_fetch,
    .caches_code = model_caches_code,
    .io = model_io,
};

/* --- what the engine asks of the board --- */

static void engine_interrupt(void *opaque, unsigned node, unsigned level,
                             uint64_t at)
{
    BQL_LOCK_GUARD();
    origin_hub_int(opaque, node, level, true);
}

static void engine_l1_drop(void *opaque, unsigned cpu, bool insn, uint64_t pa)
{
    CPUState *cs = cpu_by_number(opaque, cpu);

    if (insn) {
        memory_model_drop_code(cs, pa);
    } else {
        memory_model_drop(cs, pa, false);
    }
}

static const struct sn_ops engine_ops = {
    .interrupt = engine_interrupt,
    .l1_drop = engine_l1_drop,
};

void origin_model_dma(void *opaque, uint64_t line, bool write)
{
    OriginMachineState *m = opaque;

    sn_dma(m->engine, 0, line, SN_LINE_SIZE, write, origin_model_now(m), NULL);
}

void origin_model_attach(OriginMachineState *m)
{
    const struct sn_config cfg = {
        .desc = &m->desc,
        .topo = &m->topo,
        .tick_hz = m->tick_hz,
        .seed = 1,
        .ops = &engine_ops,
        .opaque = m,
    };
    const MemoryModelCache dcache = { .line_bits = SN_L1D_SHIFT, .set_bits = 9 };
    const MemoryModelCache icache = { .line_bits = SN_L1I_SHIFT, .set_bits = 8 };

    QEMU_BUILD_BUG_ON(SN_L1D_SETS != 1 << 9 || SN_L1I_SETS != 1 << 8);
    m->engine = sn_machine_new(&cfg);
    if (!m->engine) {
        error_report("origin2000: no memory for caches and directory");
        exit(1);
    }
    the_machine = m;
    if (tcg_enabled()) {        /* register tests run without processors */
        memory_model_attach(&model_ops, dcache, icache);
    }
}

void origin_model_reset(OriginMachineState *m)
{
    CPUState *cs;

    sn_machine_reset(m->engine);
    if (tcg_enabled()) {
        CPU_FOREACH(cs) {
            memory_model_drop_all(cs);
        }
    }
}
