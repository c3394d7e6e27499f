/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU calls for each access of a processor.
 *
 * Every access that QEMU's filter (exec/memory-model.h) does not resolve
 * becomes a call of the engine (sn.h); the ticks that it returns stall the
 * processor.  An access that the processor's own caches serve is made here,
 * inline (sn_fast.h).  Others may notice all other accesses, and order.c has
 * them wait for their turn.
 *
 *   origin_memory_ops    loads, stores, fetches, registers
 *   origin_memory_ops_any   the same with other caches than an R10000's
 *   origin_cpu_ops       CACHE, PREF, LL, SC, events
 *
 * Left out: data.  It moves between QEMU's RAM and registers as without a model;
 * the engine only says who may hold it and what that costs.
 */
#include "qemu/osdep.h"
#include "model/model-internal.h"

static bool cached(const CPUTLBEntryFull *full)
{
    return full->attrs.memory;
}

/*
 * Does the access, or its instruction, match a range (docs/range-monitor.md)?
 */
static bool in_range(const CPUMIPSState *env)
{
    return env->r10k.range_live &&
           (env->r10k.range_hits || env->r10k.range_code);
}

static inline bool pending(CPUState *cs, const struct sn_fast *c)
{
    return unlikely(c->pending.n) && sn_fast_pending(c, mp_time_local(cs));
}

/*
 * Make an access that the CPU's own caches can serve. 0: they cannot, and
 * nothing has happened.  usual: the caches are those of an R10000.
 */
static inline QEMU_ALWAYS_INLINE unsigned data_fast(CPUState *cs,
                                                    const CPUTLBEntryFull *full,
                                                    hwaddr pa, unsigned access,
                                                    bool usual)
{
    bool write = access == MEMORY_MODEL_STORE;
    struct sn_fast *c = of_cpu(cs)->fast;
    uint32_t ticks;
    unsigned mesi;

    if (unlikely(!cached(full))) {
        return 0;
    }
    mesi = usual ? sn_fast_data(c, pa, write, pending(cs, c), &ticks)
                 : sn_any_data(c, pa, write, pending(cs, c), &ticks);
    if (unlikely(mesi == SN_I)) {
        return 0;
    }
    stall_access(cs, access, ticks);
    return perm_of(mesi);
}

static unsigned data_uncached(CPUState *cs, hwaddr pa, bool write)
{
    OriginModelCpu *c = of_cpu(cs);

    stall(cs, sn_uncached(c->m->engine, c->number, SN_PA_NASID(pa),
                          pa >> R10K_SPACE_SHIFT == R10K_SPACE_RAM ? SN_UC_MEM
                                                                   : SN_UC_PROM,
                          write, mp_time_local(cs)));
    return 0;
}

/*
 * An access that the CPU's caches do not serve, or not by themselves.  A
 * function of its own, so that data() needs next to no stack.
 */
static unsigned __attribute__((noinline))
data_slow(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa, unsigned access,
          uintptr_t ra)
{
    if (likely(cached(full))) {
        return model_order_data(cs, pa, access, ra);
    }
    model_order_watched(cs, ra);
    model_order_alone(cs, ra);
    return data_uncached(cs, pa, access == MEMORY_MODEL_STORE);
}

static unsigned __attribute__((noinline))
data_in_range(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
              unsigned access, bool usual, uintptr_t ra)
{
    unsigned perm;

    mips_r10k_range_begin(cpu_env(cs));
    perm = data_fast(cs, full, pa, access, usual);
    if (unlikely(!perm)) {
        perm = data_slow(cs, full, pa, access, ra);
    }
    mips_r10k_range_end(cpu_env(cs));
    return perm;
}

static inline QEMU_ALWAYS_INLINE unsigned data(CPUState *cs,
                                               const CPUTLBEntryFull *full,
                                               hwaddr pa, unsigned access,
                                               bool usual, uintptr_t ra)
{
    unsigned perm;

    if (unlikely(in_range(cpu_env(cs)))) {
        return data_in_range(cs, full, pa, access, usual, ra);
    }
    perm = data_fast(cs, full, pa, access, usual);
    return likely(perm) ? perm : data_slow(cs, full, pa, access, ra);
}

static unsigned model_load(CPUState *cs, const CPUTLBEntryFull *full,
                           vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_LOAD, true, ra);
}

static unsigned model_awaited(CPUState *cs, const CPUTLBEntryFull *full,
                              vaddr addr, unsigned size, hwaddr pa,
                              uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_AWAITED, true, ra);
}

static unsigned model_store(CPUState *cs, const CPUTLBEntryFull *full,
                            vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_STORE, true, ra);
}

static unsigned any_load(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr,
                         unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_LOAD, false, ra);
}

static unsigned any_awaited(CPUState *cs, const CPUTLBEntryFull *full,
                            vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_AWAITED, false, ra);
}

static unsigned any_store(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr,
                          unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_STORE, false, ra);
}

/*
 * Is it the code of an instruction that starts again?  It has been fetched.  If
 * others took it meanwhile, and the time for fetching it again took the CPU
 * beyond its quantum, the instruction would start again for ever.
 */
static bool fetched(CPUState *cs, const OriginModelCpu *c, hwaddr pa)
{
    uint64_t line = -1ull << c->fast->l2.line_shift & ~TARGET_PAGE_MASK;

    return unlikely(c->again) && cpu_env(cs)->active_tc.PC == c->again &&
           !((pa ^ c->again) & line);
}

/* A fetch that the CPU's own caches do not serve */
static void fetch_slow(CPUState *cs, OriginModelCpu *c, hwaddr pa)
{
    unsigned flags;

    if (fetched(cs, c, pa)) {
        memory_model_drop_code(cs, pa);
    } else if (!model_order_fetch(cs, pa)) {
        stall(cs, do_access(c, pa, SN_IFETCH, mp_time_local(cs), 0, &flags));
    }
}

/* A function of its own, so that model_fetch() needs no stack. */
static void __attribute__((noinline))
fetch_missed(CPUState *cs, OriginModelCpu *c, hwaddr pa)
{
    uint32_t ticks;

    if (sn_fast_fetch_l2(c->fast, pa, pending(cs, c->fast), &ticks)) {
        stall(cs, ticks);
    } else {
        fetch_slow(cs, c, pa);
    }
}

static void model_fetch(CPUState *cs, hwaddr pa)
{
    OriginModelCpu *c = of_cpu(cs);

    if (!sn_fast_fetch_l1(c->fast, pa)) {
        fetch_missed(cs, c, pa);
    }
}

static void any_fetch(CPUState *cs, hwaddr pa)
{
    OriginModelCpu *c = of_cpu(cs);
    uint32_t ticks;

    if (sn_any_fetch_l1(c->fast, pa)) {
        return;
    }
    if (sn_any_fetch_l2(c->fast, pa, pending(cs, c->fast), &ticks)) {
        stall(cs, ticks);
    } else {
        fetch_slow(cs, c, pa);
    }
}

static bool model_caches_code(CPUState *cs, const CPUTLBEntryFull *full)
{
    return cached(full);
}

/* The stall of an access to something that is not memory */
static void io_uncounted(CPUState *cs, hwaddr pa, MMUAccessType type)
{
    OriginModelCpu *c = of_cpu(cs);
    OriginMachineState *m = c->m;
    unsigned node = SN_PA_NASID(pa);
    bool write = type == MMU_DATA_STORE;
    uint64_t now = mp_time_local(cs);
    uint32_t offset = pa;
    enum sn_uc where;

    if (node >= m->desc.nnodes) {
        return; /* ends in a bus error */
    }
    switch (extract64(pa, R10K_SPACE_SHIFT, 3)) {
    case R10K_SPACE_HSPEC:
        where = offset >= SN_BDECC ? SN_UC_MEM : SN_UC_PROM;
        break;
    case R10K_SPACE_IO:
        where = offset >> SN_SWIN_SHIFT == SN_HUB_WIDGET ? SN_UC_HUB : SN_UC_IO;
        break;
    case R10K_SPACE_IALIAS:
        node = c->number / SN_NODE_CPUS;
        where = SN_UC_HUB;
        break;
    default:
        stall(cs, sn_fetchop(m->engine, c->number,
                             extract64(pa, 0, R10K_SPACE_SHIFT), write,
                             SN_FOP_OP(pa) == 7, now));
        return;
    }
    stall(cs, sn_uncached(m->engine, c->number, node, where, write, now));
}

static void model_io(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
                     MMUAccessType type, uintptr_t ra)
{
    model_order_io(cs, pa, ra);
    mips_r10k_range_begin(cpu_env(cs));
    io_uncounted(cs, pa, type);
    mips_r10k_range_end(cpu_env(cs));
}

/* --- what the CPU reports besides its accesses --- */

/*
 * An access that QEMU's filter does not see.  If it makes another line the most
 * recently used one of the set, the filter must drop the line that was it
 * before.
 */
static void access_line(CPUState *cs, uint64_t pa, enum sn_kind kind,
                        uintptr_t ra, unsigned *flags)
{
    OriginModelCpu *c = of_cpu(cs);
    uint64_t before = sn_l1d_mru(c->fast, pa), now;
    bool made = model_order_line(cs, pa, kind, ra, &now, flags);

    mips_r10k_range_begin(cpu_env(cs));
    if (!made) {
        stall(cs, do_access(c, pa, kind, now, ra, flags));
    }
    mips_r10k_range_end(cpu_env(cs));
    if (before != SN_NO_LINE && before != sn_l1d_mru(c->fast, pa)) {
        memory_model_drop(cs, before);
    }
}

static void model_cache_op(CPUMIPSState *env, unsigned op, uint64_t va,
                           hwaddr pa, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);
    OriginModelCpu *c = of_cpu(cs);
    struct sn_machine *engine = c->m->engine;
    uint64_t where = pa == -1 ? va : pa;

    if (op == 0x14) {
        /*
         * Cache Barrier waits for speculative accesses, and there are none here
         */
        return;
    }
    if (!sn_cacheop_own(engine, c->number, op, where)) {
        model_order_alone(cs, ra);
    }
    stall(cs, sn_cacheop(engine, c->number, op, where, mp_time_local(cs)));
}

static void model_pref(CPUMIPSState *env, unsigned hint, uint64_t va, hwaddr pa,
                       uintptr_t ra)
{
    unsigned flags;

    /* Odd hints announce stores (MIPS IV, PREF). */
    access_line(env_cpu(env), pa, hint & 1 ? SN_PREFX : SN_PREF, ra, &flags);
}

static void model_ll(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    unsigned flags;

    access_line(env_cpu(env), pa, SN_LL, ra, &flags);
}

static bool model_sc(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    unsigned flags;

    access_line(env_cpu(env), pa, SN_SC, ra, &flags);
    return !(flags & SN_F_SCFAIL);
}

static uint64_t model_event_total(CPUMIPSState *env, unsigned event)
{
    const OriginModelCpu *c = of_cpu(env_cpu(env));

    return sn_cpu_events(c->m->engine, c->number)[event];
}

static void model_event_watch(CPUMIPSState *env, unsigned event, uint64_t limit)
{
    const OriginModelCpu *c = of_cpu(env_cpu(env));

    sn_cpu_event_watch(c->m->engine, c->number, event, limit);
}

const MIPSR10KMemOps origin_cpu_ops = {
    .cache_op = model_cache_op,
    .pref = model_pref,
    .ll = model_ll,
    .sc = model_sc,
    .event_total = model_event_total,
    .event_watch = model_event_watch,
};

/* The events of the caches stand still. */
const MIPSR10KMemOps origin_cpu_ops_off = {
    .event_total = model_event_total,
    .event_watch = model_event_watch,
};

const MemoryModelOps origin_memory_ops = {
    .data = {
        [MEMORY_MODEL_LOAD] = model_load,
        [MEMORY_MODEL_STORE] = model_store,
        [MEMORY_MODEL_AWAITED] = model_awaited,
    },
    .watched = model_order_watched,
    .fetch = model_fetch,
    .caches_code = model_caches_code,
    .io = model_io,
};

const MemoryModelOps origin_memory_ops_any = {
    .data = {
        [MEMORY_MODEL_LOAD] = any_load,
        [MEMORY_MODEL_STORE] = any_store,
        [MEMORY_MODEL_AWAITED] = any_awaited,
    },
    .watched = model_order_watched,
    .fetch = any_fetch,
    .caches_code = model_caches_code,
    .io = model_io,
};
