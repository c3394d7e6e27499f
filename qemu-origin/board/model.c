/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory system between guest and engine.  Every access that QEMU's filter
 * (exec/memory-model.h) does not resolve, every uncached access and every line
 * of DMA becomes a call of the engine (sn.h); the ticks that it returns stall
 * the processor.  A line that a primary cache loses is dropped from the filter.
 *
 *   origin_model_attach()   before the first processor exists
 *   origin_model_reset()    power-on state
 *   origin_model_switch()   another time model, or none, from now on
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
#include "profile/tap.h"
#include "clock.h"
#include "sn.h"
#include "sn_fast.h"
#include "trace.h"

/*
 * Lines are contested by what happens in so many ns at least: sn_config.quantum
 * with a quantum that is shorter.
 */
#define QUANTUM_NS 1000

/*
 * Code that the engine reads to see what an address depends on, by chunks.
 * They are forgotten at the next access: it may be another process's.
 */

#define CODE_CHUNK  256
#define CODE_CHUNKS 8

/*
 * What the hooks below need.  They carry no opaque, because a QEMU has one
 * machine.
 */
static struct {
    OriginMachineState *machine;
    struct sn_machine *engine;
    bool shared; /* sn_time_is_shared() */
    OriginModel now;
    const MIPSR10KMemOps *mops; /* while it is on */
    /* the engine's part of each CPU, by QEMU's index; set at its first access */
    struct sn_fast *cpu[MP_TIME_MAX_CPUS];
    struct {
        vaddr at;
        uint8_t byte[CODE_CHUNK];
    } code[CODE_CHUNKS];
    unsigned code_used;
    /* instructions at the last access that waited or might have */
    uint64_t ordered[MP_TIME_MAX_CPUS];
} model;

static unsigned cpu_number(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    return env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
}

static CPUState *cpu_by_number(OriginMachineState *m, unsigned cpu)
{
    return CPU(m->node[cpu / SN_NODE_CPUS].cpu[cpu % SN_NODE_CPUS]);
}

static inline struct sn_fast *engine_cpu(CPUState *cs)
{
    struct sn_fast **c = &model.cpu[cs->cpu_index];

    if (unlikely(!*c)) {
        *c = sn_cpu_fast(model.engine, cpu_number(cs));
    }
    return *c;
}

static void stall(CPUState *cs, uint32_t ticks)
{
    if (ticks) {
        mp_time_stall(cs, ticks);
    }
}

/*
 * Stall for an access that missed, a MEMORY_MODEL_* one.  Latencies were measured
 * by chains of loads, so the cycle that the next load of a chain waits for is
 * part of them already.
 */
static inline void stall_access(CPUState *cs, unsigned access, uint32_t ticks)
{
    if (access == MEMORY_MODEL_AWAITED && mp_time_clock &&
        ticks >= mp_time_clock->cost) {
        ticks -= mp_time_clock->cost;
        cpu_env(cs)->r10k.awaited += mp_time_clock->cost;
    }
    stall(cs, ticks);
}

static enum sn_kind kind_of(unsigned access)
{
    return access == MEMORY_MODEL_STORE ? SN_STORE : SN_LOAD;
}

/* ra: the host address from which the access was made, 0 if unknown. */
static uint32_t do_access(CPUState *cs, hwaddr pa, enum sn_kind kind,
                          uint64_t now, uintptr_t ra, unsigned *flags)
{
    return sn_access(model.engine, cpu_number(cs), pa, kind, now, ra, flags);
}

static bool cached(const CPUTLBEntryFull *full)
{
    return full->attrs.memory;
}

static unsigned perm_of(unsigned mesi)
{
    return mesi == SN_M   ? MEMORY_MODEL_READ | MEMORY_MODEL_WRITE
           : mesi != SN_I ? MEMORY_MODEL_READ
                          : 0;
}

/* The access counts in counters with a range (docs/range-monitor.md). */
static bool in_range(const CPUMIPSState *env)
{
    return env->r10k.range_live &&
           (env->r10k.range_hits || env->r10k.range_code);
}

static unsigned data_uncached(CPUState *cs, hwaddr pa, bool write)
{
    stall(cs, sn_uncached(model.engine, cpu_number(cs), SN_PA_NASID(pa),
                          pa >> R10K_SPACE_SHIFT == R10K_SPACE_RAM ? SN_UC_MEM
                                                                   : SN_UC_PROM,
                          write, origin_now()));
    return 0;
}

static unsigned data_cached(CPUState *cs, hwaddr pa, unsigned access,
                            uint64_t now, uintptr_t ra)
{
    unsigned flags;
    uint32_t ticks = do_access(cs, pa, kind_of(access), now, ra, &flags);

    stall_access(cs, access, ticks);
    if (unlikely(flags & SN_F_BUSERR)) {
        return MEMORY_MODEL_FAULT;
    }
    return perm_of(sn_l1d_state(engine_cpu(cs), pa));
}

static inline bool pending(CPUState *cs, const struct sn_fast *c)
{
    return unlikely(c->pending.n) && sn_fast_pending(c, mp_time_local(cs));
}

/* An access that the CPU's own caches serve; 0: nothing has happened. */
static inline QEMU_ALWAYS_INLINE unsigned
data_fast(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa, unsigned access)
{
    struct sn_fast *c = engine_cpu(cs);
    uint32_t ticks;
    unsigned mesi;

    if (unlikely(!cached(full))) {
        return 0;
    }
    mesi = sn_fast_data(c, pa, access == MEMORY_MODEL_STORE, pending(cs, c),
                        &ticks);
    if (unlikely(mesi == SN_I)) {
        return 0;
    }
    stall_access(cs, access, ticks);
    return perm_of(mesi);
}

/*
 * Where misses wait for those of other CPUs, no CPU may run ahead by all the
 * instructions of its block: it yields before the access, and the instruction
 * starts again.  An access that counts in a range has yielded before it began.
 */
static void model_watched(CPUState *cs, uintptr_t ra)
{
    if (model.shared && !mips_r10k_range_counted(cpu_env(cs))) {
        mp_time_yield(cs, ra);
    }
}

/*
 * An access that others may notice.  It waits for its turn in machine time
 * (system/mp-time.h).  What a range has counted is not started again.  Nor is an
 * instruction that has made one of its accesses.  LL, SC, and SDL, which stores
 * single bytes, make several.  If such an instruction started again each time that
 * it must wait, another CPU could take the line each time, and it would never end.
 */
typedef struct Access {
    MPTimeStop stop;
    struct sn_intent in;
    unsigned access; /* MEMORY_MODEL_*, for stall_access() */
    uint64_t now;
    uint64_t insns; /* the instruction, if it must not wait again; else 0 */
    unsigned flags;
} Access;

static enum sn_turn ask(CPUState *cs, Access *a, int64_t floor, bool still)
{
    a->in.floor = floor;
    a->in.still = still;
    return sn_intent(model.engine, cpu_number(cs), &a->in);
}

/* It must be done in order: set when.  True: in the next quantum. */
static bool access_look(MPTimeStop *s)
{
    Access *a = container_of(s, Access, stop);
    MPTimeWhere *w = &s->where;
    enum sn_turn turn;

    s->in.order = RD_FREE;
    s->in.reads = false;
    s->in.key = a->now = mp_time_local(s->cpu);
    a->insns = 0;
    if (!s->known) {
        return false;
    }
    a->in.now = w->ticks;
    a->in.from = 0;
    a->in.waited = w->insns == model.ordered[s->cpu->cpu_index];
    turn = ask(s->cpu, a, -1, true);
    if (turn == SN_TURN_ALL) {
        stall(s->cpu, a->in.stall);
        w->ticks += a->in.stall;
        s->in.order = RD_ALL;
        s->in.reads = a->in.reads;
        s->in.key = w->ticks + a->in.after;
    } else if (turn == SN_TURN_PARTNER && a->in.partner != SN_NO_CPU) {
        s->in.order = RD_PARTNER;
        s->in.partner = cpu_by_number(model.machine, a->in.partner)->cpu_index;
        s->in.key = w->ticks;
        a->insns = w->insns;
    }
    if (a->in.contested) {
        a->insns = w->insns;
        a->now = w->ticks;
    }
    return turn != SN_TURN_FREE && mp_time_is_beyond(s->cpu, w);
}

static void access_act(MPTimeStop *s)
{
    Access *a = container_of(s, Access, stop);

    if (a->insns) {
        model.ordered[s->cpu->cpu_index] = a->insns;
    }
    stall_access(
        s->cpu, a->access,
        do_access(s->cpu, a->in.pa, a->in.kind, a->now, s->ra, &a->flags));
}

/* Stop for an access.  `whole`: others stand still to the instruction's end. */
static void access_stop(CPUState *cs, Access *a, uintptr_t ra, bool whole)
{
    bool counted = mips_r10k_range_counted(cpu_env(cs));

    a->now = mp_time_local(cs);
    a->stop = (MPTimeStop){
        .look = ra && !counted ? access_look : NULL,
        .act = whole ? NULL : access_act,
        .ra = ra,
        .in = { .line = a->in.pa >> SN_LINE_SHIFT, .key = a->now },
    };
    mp_time_stop(&a->stop);
    if (whole && a->stop.known) {
        model.ordered[cs->cpu_index] = a->stop.where.insns;
    }
}

/* Do what follows with all others standing still. */
static void stand_still(CPUState *cs, uintptr_t ra, enum rd_order order,
                        int64_t key)
{
    MPTimeStop s = {
        .ra = ra,
        .in = { .order = order, .line = RD_NO_LINE, .key = key },
    };

    mp_time_stop(&s);
}

/*
 * An access that the CPU's caches do not serve, or not by themselves.
 *
 * A CPU that is behind all others waits only for lines that CPUs contest.  Beside
 * others it stops, unless its caches have the contested line and nobody can take
 * that away yet.  So a loop that waits for another CPU does not stop at each look.
 */
static unsigned data_by_turn(CPUState *cs, hwaddr pa, unsigned access,
                             uintptr_t ra)
{
    bool counted = mips_r10k_range_counted(cpu_env(cs));
    bool first = !mp_time_must_stop(cs, ra);
    Access a = {
        .in = { .pa = pa, .kind = kind_of(access), .from = ra },
        .access = access,
    };
    enum sn_turn turn = SN_TURN_ASK;
    MPTimeWhere w;

    if (first || sn_fast_holds(engine_cpu(cs), pa)) {
        turn = ask(cs, &a, counted ? -1 : mp_time_floor(), false);
    }
    if (first && !a.in.contested) {
        model_watched(cs, ra);
        return data_cached(cs, pa, access, mp_time_local(cs), ra);
    }
    if (turn == SN_TURN_OWN && mp_time_where(cs, ra, &w)) {
        model.ordered[cs->cpu_index] = w.insns;
        return data_cached(cs, pa, access, w.ticks, ra);
    }
    access_stop(cs, &a, ra, false);
    if (unlikely(a.flags & SN_F_BUSERR)) {
        return MEMORY_MODEL_FAULT;
    }
    return perm_of(sn_l1d_state(engine_cpu(cs), pa));
}

/* A function of its own, so that data() needs next to no stack. */
static unsigned __attribute__((noinline))
data_slow(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa, unsigned access,
          uintptr_t ra)
{
    if (likely(cached(full))) {
        return data_by_turn(cs, pa, access, ra);
    }
    model_watched(cs, ra);
    stand_still(cs, ra, RD_FREE, mp_time_local(cs));
    return data_uncached(cs, pa, access == MEMORY_MODEL_STORE);
}

static unsigned __attribute__((noinline))
data_in_range(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
              unsigned access, uintptr_t ra)
{
    unsigned perm;

    mips_r10k_range_begin(cpu_env(cs));
    perm = data_fast(cs, full, pa, access);
    if (unlikely(!perm)) {
        perm = data_slow(cs, full, pa, access, ra);
    }
    mips_r10k_range_end(cpu_env(cs));
    return perm;
}

static inline QEMU_ALWAYS_INLINE unsigned data(CPUState *cs,
                                               const CPUTLBEntryFull *full,
                                               hwaddr pa, unsigned access,
                                               uintptr_t ra)
{
    unsigned perm;

    if (unlikely(in_range(cpu_env(cs)))) {
        return data_in_range(cs, full, pa, access, ra);
    }
    perm = data_fast(cs, full, pa, access);
    return likely(perm) ? perm : data_slow(cs, full, pa, access, ra);
}

static unsigned model_load(CPUState *cs, const CPUTLBEntryFull *full,
                           vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_LOAD, ra);
}

static unsigned model_awaited(CPUState *cs, const CPUTLBEntryFull *full,
                              vaddr addr, unsigned size, hwaddr pa,
                              uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_AWAITED, ra);
}

static unsigned model_store(CPUState *cs, const CPUTLBEntryFull *full,
                            vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, pa, MEMORY_MODEL_STORE, ra);
}

/* A function of its own, so that model_fetch() needs no stack. */
static void __attribute__((noinline))
fetch_missed(CPUState *cs, struct sn_fast *c, hwaddr pa)
{
    uint32_t ticks;
    unsigned flags;

    if (!sn_fast_fetch_l2(c, pa, pending(cs, c), &ticks)) {
        if (mp_time_must_stop(cs, 0)) {
            Access a = { .in = { .pa = pa, .kind = SN_IFETCH } };

            access_stop(cs, &a, 0, false);
            return;
        }
        ticks = do_access(cs, pa, SN_IFETCH, mp_time_local(cs), 0, &flags);
    }
    stall(cs, ticks);
}

static void model_fetch(CPUState *cs, hwaddr pa)
{
    struct sn_fast *c = engine_cpu(cs);

    if (!sn_fast_fetch_l1(c, pa)) {
        fetch_missed(cs, c, pa);
    }
}

static bool model_caches_code(CPUState *cs, const CPUTLBEntryFull *full)
{
    return cached(full);
}

/* Accesses to registers and other things that are not memory. */
static void io_uncounted(CPUState *cs, hwaddr pa, MMUAccessType type)
{
    OriginMachineState *m = model.machine;
    unsigned cpu = cpu_number(cs), node = SN_PA_NASID(pa);
    bool write = type == MMU_DATA_STORE;
    uint64_t now = origin_now();
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

/*
 * Fetch-and-op reaches its home, and an access to a device leaves its CPU, in
 * the order of machine time.  Registers of Hubs are not that important: the
 * kernel reads the clock there.  What a range has counted cannot wait.
 */
static void io_in_order(CPUState *cs, hwaddr pa, uintptr_t ra)
{
    unsigned space = extract64(pa, R10K_SPACE_SHIFT, 3);
    int64_t way = 0;
    MPTimeWhere w;

    if (space == R10K_SPACE_MSPEC) {
        way = sn_fetchop_way(model.engine, cpu_number(cs),
                             extract64(pa, 0, R10K_SPACE_SHIFT));
    } else if (space != R10K_SPACE_IO ||
               (uint32_t)pa >> SN_SWIN_SHIFT == SN_HUB_WIDGET) {
        stand_still(cs, ra, RD_FREE, mp_time_local(cs));
        return;
    }
    if (mips_r10k_range_counted(cpu_env(cs)) || !mp_time_where(cs, ra, &w)) {
        stand_still(cs, ra, RD_FREE, mp_time_local(cs));
    } else {
        stand_still(cs, ra, RD_ALL, w.ticks + way);
    }
}

static void model_io(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
                     MMUAccessType type, uintptr_t ra)
{
    io_in_order(cs, pa, ra);
    mips_r10k_range_begin(cpu_env(cs));
    io_uncounted(cs, pa, type);
    mips_r10k_range_end(cpu_env(cs));
}

/* --- what the CPU reports besides its accesses --- */

/*
 * An access that QEMU's filter does not see.  It may move its line to the front
 * of the set; then the filter must no longer resolve the line that was there.
 *
 * LL and SC make more accesses after this one.  SC compares and stores: QEMU does
 * that in two steps.  Others stand still until the last of them, even if this CPU
 * is first now.  An SC that misses takes time, and then the CPU is no longer first.
 */
static void access_line(CPUState *cs, uint64_t pa, enum sn_kind kind,
                        uintptr_t ra, unsigned *flags)
{
    struct sn_fast *c = engine_cpu(cs);
    uint64_t before = sn_l1d_mru(c, pa);
    bool whole = kind == SN_LL || kind == SN_SC;
    Access a = {
        .in = { .pa = pa, .kind = kind },
        .now = mp_time_local(cs),
    };

    if ((whole || mp_time_must_stop(cs, ra)) &&
        ask(cs, &a, -1, false) != SN_TURN_OWN) {
        access_stop(cs, &a, ra, whole);
    }
    mips_r10k_range_begin(cpu_env(cs));
    if (whole || !a.stop.cpu) {
        stall(cs, do_access(cs, pa, kind, a.now, ra, flags));
    } else {
        *flags = a.flags;
    }
    mips_r10k_range_end(cpu_env(cs));
    if (before != SN_NO_LINE && before != sn_l1d_mru(c, pa)) {
        memory_model_drop(cs, before);
    }
}

static void model_cache_op(CPUMIPSState *env, unsigned op, uint64_t va,
                           hwaddr pa, uintptr_t ra)
{
    OriginMachineState *m = model.machine;
    CPUState *cs = env_cpu(env);
    uint64_t where = pa == -1 ? va : pa;

    if (op == 0x14) {
        return; /* Cache Barrier: nothing is speculative here */
    }
    if (!sn_cacheop_own(m->engine, cpu_number(cs), op, where)) {
        stand_still(cs, ra, RD_FREE, mp_time_local(cs));
    }
    stall(cs,
          sn_cacheop(m->engine, cpu_number(cs), op, where, mp_time_local(cs)));
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
    return sn_cpu_events(model.engine, cpu_number(env_cpu(env)))[event];
}

static void model_event_watch(CPUMIPSState *env, unsigned event, uint64_t limit)
{
    sn_cpu_event_watch(model.engine, cpu_number(env_cpu(env)), event, limit);
}

static const MIPSR10KMemOps mem_ops = {
    .cache_op = model_cache_op,
    .pref = model_pref,
    .ll = model_ll,
    .sc = model_sc,
    .event_total = model_event_total,
    .event_watch = model_event_watch,
};

/* While the model is off: events of the caches stand still. */
static const MIPSR10KMemOps mem_ops_off = {
    .event_total = model_event_total,
    .event_watch = model_event_watch,
};

static const MemoryModelOps model_ops = {
    .data = {
        [MEMORY_MODEL_LOAD] = model_load,
        [MEMORY_MODEL_STORE] = model_store,
        [MEMORY_MODEL_AWAITED] = model_awaited,
    },
    .watched = model_watched,
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
        memory_model_drop(cs, pa);
    }
}

static void engine_event(void *opaque, unsigned cpu, unsigned ev)
{
    mips_r10k_event_reached(MIPS_CPU(cpu_by_number(opaque, cpu)));
}

static void engine_trace(void *opaque, unsigned cpu, unsigned tx, uint64_t pa,
                         uint64_t start, uint32_t ticks)
{
    if (trace_event_get_state_backends(TRACE_ORIGIN_TRANSACTION)) {
        trace_origin_transaction(cpu, sn_tx_name(tx), pa, start, ticks);
    }
}

static bool engine_where(void *opaque, unsigned cpu, uintptr_t from,
                         struct sn_where *w)
{
    MPTimeWhere at;

    model.code_used = 0;
    if (!from || !mp_time_where(current_cpu, from, &at)) {
        return false;
    }
    w->pc = at.pc;
    w->now = at.ticks;
    w->word = at.code ? ldl_be_p(at.code) : 0;
    return true;
}

static uint64_t engine_clock(void *opaque, unsigned cpu)
{
    return mp_time_begun(cpu_by_number(opaque, cpu));
}

static bool engine_insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    vaddr base = QEMU_ALIGN_DOWN(pc, CODE_CHUNK);
    unsigned i;

    for (i = 0; i < model.code_used; i++) {
        if (model.code[i].at == base) {
            break;
        }
    }
    if (i == CODE_CHUNKS) {
        return false;
    }
    if (i == model.code_used) {
        if (!mips_r10k_in_ram(current_cpu, base) ||
            cpu_memory_rw_debug(current_cpu, base, model.code[i].byte,
                                CODE_CHUNK, false)) {
            return false;
        }
        model.code[i].at = base;
        model.code_used++;
    }
    *word = ldl_be_p(model.code[i].byte + (pc - base));
    return true;
}

static const struct sn_ops engine_ops = {
    .where = engine_where,
    .insn = engine_insn,
    .cpu_time = engine_clock,
    .trace = engine_trace,
    .interrupt = engine_interrupt,
    .l1_drop = engine_l1_drop,
    .event = engine_event,
};

void origin_model_dma(void *opaque, uint64_t line, bool write)
{
    OriginMachineState *m = opaque;

    if (model.now == ORIGIN_MODEL_OFF) {
        return;
    }
    sn_dma(m->engine, 0, line, SN_LINE_SIZE, write, origin_now(), NULL);
}

const char *const origin_model_name[ORIGIN_MODELS] = {
    [ORIGIN_MODEL_OFF] = "off",
    [ORIGIN_MODEL_UNLOADED] = "unloaded",
    [ORIGIN_MODEL_FULL] = "full",
};

OriginModel origin_model_now(OriginMachineState *m)
{
    return m->engine ? model.now : ORIGIN_MODEL_OFF;
}

bool origin_model_switch(OriginMachineState *m, OriginModel to)
{
    bool on = to != ORIGIN_MODEL_OFF;

    if (on && sn_machine_set_time(m->engine, to == ORIGIN_MODEL_FULL
                                                 ? SN_TIME_FULL
                                                 : SN_TIME_UNLOADED)) {
        return false;
    }
    if (tcg_enabled() && on != (model.now != ORIGIN_MODEL_OFF)) {
        memory_model_enable(on);
        mips_r10k_set_mem_ops(on ? model.mops : &mem_ops_off);
        sn_machine_cold(m->engine);
    }
    model.shared = sn_time_is_shared(m->engine);
    model.now = to;
    mp_time_share(on);
    return true;
}

void origin_model_attach(OriginMachineState *m)
{
    const struct sn_config cfg = {
        .desc = &m->desc,
        .topo = &m->topo,
        .tick_hz = m->tick_hz,
        .seed = m->seed,
        .ops = &engine_ops,
        .opaque = m,
        .time = m->time_full ? SN_TIME_FULL : SN_TIME_UNLOADED,
        .quantum = mp_time_enabled()
                       ? MAX(mp_time_quantum(), mp_time_from_ns(QUANTUM_NS))
                       : 0,
    };
    const MemoryModelCache dcache = {
        .line_bits = SN_L1D_SHIFT,
        .set_bits = 9,
    };
    const MemoryModelCache icache = {
        .line_bits = SN_L1I_SHIFT,
        .set_bits = 8,
    };

    QEMU_BUILD_BUG_ON(SN_L1D_SETS != 1 << 9 || SN_L1I_SETS != 1 << 8);
    m->engine = sn_machine_new(&cfg);
    if (!m->engine) {
        error_report("origin2000: no memory for caches and directory");
        exit(1);
    }
    model.machine = m;
    model.engine = m->engine;
    model.shared = sn_time_is_shared(m->engine);
    if (tcg_enabled()) { /* register tests run without processors */
        const MemoryModelOps *ops = &model_ops;
        const MIPSR10KMemOps *mops = &mem_ops;

        if (m->profile_dir) {
            origin_profile_attach(m, &ops, &mops);
        }
        memory_model_attach(ops, dcache, icache);
        mp_time_share(true);
        mips_r10k_set_mem_ops(mops);
        model.mops = mops;
    }
    model.now = m->time_full ? ORIGIN_MODEL_FULL : ORIGIN_MODEL_UNLOADED;
}

void origin_model_reset(OriginMachineState *m)
{
    CPUState *cs;

    sn_machine_reset(m->engine);
    if (m->profile_dir) {
        origin_profile_reset();
    }
    if (tcg_enabled()) {
        CPU_FOREACH(cs) {
            memory_model_drop_all(cs);
        }
    }
}

/* What the filter holds is only a copy of the engine's tags. */
void origin_model_state(OriginMachineState *m, struct sn_archive *a)
{
    OriginModel now = model.now;
    CPUState *cs;

    SN_MOVE(a, now);
    if (a->failed || now >= ORIGIN_MODELS ||
        (a->loading && !origin_model_switch(m, now)) ||
        sn_machine_state(m->engine, a) < 0) {
        a->failed = true;
        return;
    }
    SN_MOVE(a, model.ordered);
    if (a->loading) {
        CPU_FOREACH(cs) {
            memory_model_drop_all(cs);
        }
    }
}
