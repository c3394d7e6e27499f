/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tap between QEMU and the model; see tap.h.
 *
 * Each function here notes what the processor is doing, calls the model's
 * function, and accounts for the ticks by which the processor's clock has grown
 * meanwhile.  In between, the engine reports its transactions (sn_observer), and
 * other processors may begin and end accesses of their own.
 *
 * Processors run on several threads.  What one of them notes of itself is a part of its
 * own.  Sums of rows wait in such parts until the phase is over (over()).  Everything
 * else that processors share is either used while one runs, as the engine is, or in the
 * order of the processors (mp_time_in_turn()).  So the profile does not depend on the
 * number of threads.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/madvise.h"
#include "qemu/notify.h"
#include "qemu/units.h"
#include "system/mp-time.h"
#include "system/system.h"
#include "target/mips/internal.h"
#include "origin.h"
#include "clock.h"
#include "sn_fast.h"
#include "observe/record.h"
#include "accesses.h"
#include "calls.h"
#include "computing.h"
#include "follow.h"
#include "frames.h"
#include "heap.h"
#include "kernel.h"
#include "locks.h"
#include "maps.h"
#include "modules.h"
#include "objects.h"
#include "paths.h"
#include "refills.h"
#include "regions.h"
#include "sites.h"
#include "threads.h"
#include "waits.h"
#include "tap.h"
#include "watch.h"
#include "whatif/whatif.h"

QEMU_BUILD_BUG_ON(SN_CAUSE_LOADS != MEMORY_MODEL_READ ||
                  SN_CAUSE_STORES != MEMORY_MODEL_WRITE);

/*
 * Seconds of machine time until the tables are written for the first time; the
 * next times come when it has doubled.
 */
#define FIRST_WRITE_S 8

/* The limit of rows, if none is given; booting ricotta makes 930,000. */
#define ROWS_MIN     2000000u
#define ROWS_FOR_CPU 125000u

#define USER_END (1ull << 62)

static struct {
    OriginMachineState *machine;
    const MemoryModelOps *ops; /* of the model */
    const MIPSR10KMemOps *mops;
    MemoryModelOps own;
    MIPSR10KMemOps own_m;
    struct sn_profile *profile;
    struct sn_causes *causes;
    uint32_t *l2_lines;
    uint64_t next_write; /* ticks */
    Notifier exit;
    bool begun;       /* something has been recorded since the last reset */
    bool due;         /* the tables are to be written when the phase is over */
    bool misses, all; /* each of them goes to a file (accesses.h) */
} tap;

/* The access under way, or the latest one, of each CPU, by QEMU's index */
static struct QEMU_ALIGNED(64) access {
    CPUState *cs;
    struct sn_fast *fast; /* the engine's part of it; NULL: not known yet */
    unsigned cpu;
    bool known; /* pc and thread of `where` are */
    bool fetch;
    bool transaction; /* the access made a transaction */
    uint8_t kind, tx; /* of the access, of its transaction */
    uint8_t bytes;    /* 0: not known */
    /* LL and SC have a row: their own load or store of this address has none */
    hwaddr linked;
    hwaddr pa;
    uintptr_t ra;
    struct sn_profile_where where;
    int64_t clock; /* ticks: the clock, with stalls, when the access began */
    /* ticks of the stall that transactions have accounted for */
    uint64_t told;
    uint64_t missed; /* the event counter of L1 misses when the access began */
} under_way[MP_TIME_MAX_CPUS];

/* Bytes of a line of the primary instruction caches */
static unsigned l1i_line(void)
{
    return 1u << sn_cpu_fast(tap.machine->engine, 0)->i.line_shift;
}

static inline void set(bool *flag)
{
    if (unlikely(!qatomic_read(flag))) {
        qatomic_set(flag, true);
    }
}

static int64_t stalls(void)
{
    return mp_time_clock ? mp_time_block_end(mp_time_clock) : 0;
}

static void __attribute__((noinline)) find_cpu(struct access *a, CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    a->cs = cs;
    a->cpu = env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
    a->fast = sn_cpu_fast(tap.machine->engine, a->cpu);
    a->linked = SN_NO_LINE;
}

static inline QEMU_ALWAYS_INLINE struct access *
begin(CPUState *cs, vaddr addr, hwaddr pa, uintptr_t ra, unsigned event)
{
    struct access *a = &under_way[cs->cpu_index];

    if (unlikely(!a->fast)) {
        find_cpu(a, cs);
    }
    a->ra = ra;
    a->pa = pa;
    a->known = a->fetch = false;
    a->where.addr = addr;
    a->clock = stalls();
    a->told = 0;
    a->missed = a->fast->ev[event];
    a->transaction = false;
    return a;
}

/*
 * The instruction and the thread take time to find, so they are found only when
 * something is counted.
 */
static const struct sn_profile_where *where(struct access *a)
{
    MPTimeWhere w;

    if (!a->known) {
        a->known = true;
        set(&tap.begun);
        a->where.pc =
            a->ra && mp_time_where(a->cs, a->ra, &w) ? w.pc : SN_ROW_NO_PC;
        a->where.thread = guest_thread(a->cs);
        a->where.region = guest_region(a->where.thread);
        a->where.mode = profile_waits_doing(a->cs);
        a->where.path = a->where.object = 0;
    }
    return &a->where;
}

/* The address space that an address belongs to; 0: none that is known. */
static uint32_t space_of(const struct sn_profile_where *w, uint64_t addr)
{
    uint32_t n;

    return w->thread && addr < USER_END ? guest_threads(&n)[w->thread].space
                                        : 0;
}

/* User addresses of a thread lead to its mappings. */
static void touch(const struct sn_profile_where *w)
{
    uint32_t pc = space_of(w, w->pc), addr = space_of(w, w->addr);

    if (pc) {
        guest_touch(pc, w->pc);
    }
    if (addr) {
        guest_touch(addr, w->addr);
    }
}

/* What no transaction has accounted for of the stall belongs to `part`. */
static void end(struct access *a, enum sn_time_part part, bool count)
{
    uint64_t ticks = stalls() - a->clock - a->told;

    if (part == SN_PART_L2 && profile_refill_wait(a->cs, ticks)) {
        ticks = 0; /* the refill has these ticks; the hit itself still counts */
    }
    if (ticks || count) {
        set(&tap.begun);
        if (a->fetch && !a->transaction && part == SN_PART_L2) {
            profile_site_fetch(tap.profile, a->cpu, ticks, &a->where);
        } else if (a->known) {
            sn_profile_stalls(tap.profile, a->cpu, part, 1, ticks, where(a));
        } else {
            profile_site_add(tap.profile, a->cs, a->cpu, part, ticks, a->ra);
        }
    }
}

static void __attribute__((noinline)) end_hit(struct access *a, hwaddr pa)
{
    sn_cause_hit(tap.causes, a->cpu, pa);
    end(a, SN_PART_L2, true);
}

static void __attribute__((noinline)) end_missed(struct access *a)
{
    end(a, SN_PART_L2, false);
    if (unlikely(origin_now() >= tap.next_write)) {
        set(&tap.due);
    }
}

/* After an access to a cached line; event: an L1 miss of its kind. */
static inline QEMU_ALWAYS_INLINE void end_cached(struct access *a, hwaddr pa,
                                                 unsigned event)
{
    if (a->transaction) {
        end_missed(a);
    } else if (a->fast->ev[event] != a->missed) {
        end_hit(a, pa);
    } else if (unlikely(stalls() != a->clock)) {
        end(a, SN_PART_L2, false);
    }
}

/* ---- what the engine reports ---- */

static void on_done(void *opaque, const struct sn_observed *o)
{
    CPUState *cs = CPU(origin_cpu(tap.machine, o->cpu));
    struct access *a = &under_way[cs->cpu_index];
    const struct sn_profile_where *w = where(a);
    uint32_t space = space_of(w, w->addr);
    uint64_t from;

    a->where.path = guest_calls_path(a->cs, w->thread, w->pc,
                                     o->kind == SN_IFETCH ? l1i_line() : 1);
    a->where.object = space      ? guest_heap_block(space, w->addr)
                      : a->fetch ? 0
                                 : guest_object(a->cs, w->addr);

    a->transaction = true;
    a->kind = o->kind;
    a->tx = o->tx;
    a->told += o->stall;
    if (unlikely(tap.misses) && profile_accesses_want(w->region)) {
        profile_accesses_put(o->cpu, o->now, o->kind, o->tx, o->pa, 0, w);
    }
    if (w->thread && w->pc < USER_END) {
        guest_missed(a->cs, w->thread, o->upgrade, o->kind == SN_IFETCH);
    }
    if (space && !origin_whatif_modelled(o->pa) &&
        guest_frame_changed(space, w->addr, o->pa, &from)) {
        sn_cause_moved(tap.causes, o->pa, from);
    }
    profile_follow_done(o, w);
    sn_profile_done(tap.profile, o, w);
    touch(w);
}

static void on_shared(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_shared(tap.causes, cpu, pa);
}

static void on_flushed(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_flushed(tap.causes, cpu, pa);
    profile_follow_flushed(cpu, pa, origin_now());
}

static void on_evicted(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_evicted(tap.causes, cpu, pa);
}

/* A CPU's own access, or a line that it writes back; or an I/O unit's */
static bool on_wants(void *opaque, int cpu, uint64_t pa)
{
    CPUState *cs;
    struct access *a;

    if (cpu < 0) {
        return profile_follow_has(pa);
    }
    cs = CPU(origin_cpu(tap.machine, cpu));
    a = &under_way[cs->cpu_index];
    return (a->pa ^ pa) >> sn_desc_line(&tap.machine->desc)
               ? profile_follow_has(pa)
               : profile_follow_access(pa, where(a));
}

static void on_io(void *opaque, uint64_t pa, unsigned size)
{
    sn_cause_io(tap.causes, pa, size);
}

static struct sn_observer observer = {
    .done = on_done,
    .shared = on_shared,
    .flushed = on_flushed,
    .io = on_io,
    .evicted = on_evicted,
};

/* ---- accesses ---- */

/* One more row of all accesses.  A prefetch's kind is known if it missed. */
static void __attribute__((noinline)) put(struct access *a)
{
    uint64_t tick = mp_time_local(a->cs);
    MPTimeWhere w;

    if (!profile_accesses_want(guest_region(guest_thread(a->cs)))) {
        return;
    }
    if (a->ra && mp_time_where(a->cs, a->ra, &w)) {
        tick = w.ticks - w.own;
    }
    tick -= stalls() - a->clock;
    profile_accesses_put(a->cpu, tick, a->kind, a->transaction ? a->tx : -1,
                         a->pa, a->bytes, where(a));
}

static inline QEMU_ALWAYS_INLINE unsigned
data(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr, unsigned size,
     hwaddr pa, unsigned access, uintptr_t ra)
{
    bool write = access == MEMORY_MODEL_STORE;
    uint64_t awaited = cpu_env(cs)->r10k.awaited;
    struct access *a = begin(cs, addr, pa, ra, SN_R10K_L1D_MISS);
    unsigned perm;

    a->kind = write ? SN_STORE : SN_LOAD;
    a->bytes = size;
    sn_cause_ahead(tap.causes, pa);
    perm = tap.ops->data[access](cs, full, addr, size, pa, ra);
    /*
     * The stall is shorter by the cycle that the next load waits for.  It counts
     * here.
     */
    awaited = cpu_env(cs)->r10k.awaited - awaited;
    a->clock -= awaited;
    if (unlikely(awaited) && profile_computing_on()) {
        profile_computing_awaited(cs, awaited, ra);
    }
    if (!full->attrs.memory) {
        end(a, SN_PART_UNCACHED, true);
        return perm;
    }
    end_cached(a, pa, SN_R10K_L1D_MISS);
    if (perm & MEMORY_MODEL_FAULT) {
        return perm;
    }
    if (unlikely(tap.all)) {
        if (a->linked != pa) {
            put(a);
        }
        a->linked = SN_NO_LINE;
        perm &= ~(MEMORY_MODEL_READ | MEMORY_MODEL_WRITE); /* see the next */
    }
    return perm & sn_cause_access(tap.causes, a->cpu, pa, size, write);
}

static unsigned tap_load(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr,
                         unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_LOAD, ra);
}

static unsigned tap_awaited(CPUState *cs, const CPUTLBEntryFull *full,
                            vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_AWAITED, ra);
}

static unsigned tap_store(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr,
                          unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_STORE, ra);
}

static void tap_fetch(CPUState *cs, hwaddr pa)
{
    struct access *a = &under_way[cs->cpu_index];
    bool missed;

    if (unlikely(!a->fast)) {
        find_cpu(a, cs);
    }
    if (sn_l1i_holds(a->fast, pa)) {
        tap.ops->fetch(cs, pa); /* a hit, which takes no time */
        return;
    }
    a = begin(cs, 0, pa, 0, SN_R10K_L1I_MISS);
    a->known = a->fetch = true;
    set(&tap.begun);
    a->where.thread = guest_thread(cs);
    a->where.region = guest_region(a->where.thread);
    a->where.mode = profile_waits_doing(cs);
    a->where.addr = guest_code_address(cpu_env(cs), pa);
    guest_modules_fetched(a->where.addr);
    a->where.pc =
        guest_calls_fetched(cs, a->where.thread, a->where.addr, l1i_line());
    a->kind = SN_IFETCH;
    a->bytes = l1i_line();
    tap.ops->fetch(cs, pa);
    missed = a->fast->ev[SN_R10K_L1I_MISS] != a->missed;
    end_cached(a, pa, SN_R10K_L1I_MISS);
    if (unlikely(tap.all) && (missed || a->transaction)) {
        put(a);
    }
}

static void tap_io(CPUState *cs, const CPUTLBEntryFull *full, hwaddr pa,
                   MMUAccessType type, uintptr_t ra)
{
    bool fetchop = extract64(pa, R10K_SPACE_SHIFT, 3) == R10K_SPACE_MSPEC;
    struct access *a = begin(cs, 0, pa, ra, SN_R10K_L1D_MISS);

    tap.ops->io(cs, full, pa, type, ra);
    end(a, fetchop ? SN_PART_FETCHOP : SN_PART_UNCACHED, true);
}

static void tap_cache_op(CPUMIPSState *env, unsigned op, uint64_t va, hwaddr pa,
                         uintptr_t ra)
{
    struct access *a = begin(env_cpu(env), va, pa, ra, SN_R10K_L1D_MISS);

    tap.mops->cache_op(env, op, va, pa, ra);
    end(a, SN_PART_CACHEOP, true);
}

static void tap_pref(CPUMIPSState *env, unsigned hint, uint64_t va, hwaddr pa,
                     uintptr_t ra)
{
    struct access *a = begin(env_cpu(env), va, pa, ra, SN_R10K_L1D_MISS);

    a->kind = SN_PREF;
    a->bytes = 0;
    tap.mops->pref(env, hint, va, pa, ra);
    end_cached(a, pa, SN_R10K_L1D_MISS);
    if (unlikely(tap.all)) {
        put(a);
    }
}

static void tap_ll(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    struct access *a = begin(env_cpu(env), va, pa, ra, SN_R10K_L1D_MISS);

    a->kind = SN_LL;
    a->bytes = 0;
    tap.mops->ll(env, va, pa, ra);
    end_cached(a, pa, SN_R10K_L1D_MISS);
    if (unlikely(tap.all)) {
        put(a);
        a->linked = pa;
    }
}

static bool tap_sc(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    struct access *a = begin(env_cpu(env), va, pa, ra, SN_R10K_L1D_MISS);
    bool linked;

    a->kind = SN_SC;
    a->bytes = 0;
    linked = tap.mops->sc(env, va, pa, ra);
    end_cached(a, pa, SN_R10K_L1D_MISS);
    if (unlikely(tap.all)) {
        put(a);
        a->linked = linked ? pa : SN_NO_LINE;
    }
    return linked;
}

/* ---- what code calls, and TLB refills ---- */

static void tap_call(CPUMIPSState *env, uint64_t ret, uint64_t sp, uint64_t to)
{
    guest_call(env_cpu(env), ret, sp, to);
}

static unsigned tap_code(CPUMIPSState *env, uint64_t pc)
{
    return pc < USER_END ? guest_watch_code(env_cpu(env), pc)
                         : profile_waits_code(pc);
}

static void tap_enter(CPUMIPSState *env, uint64_t pc)
{
    if (pc < USER_END) {
        guest_watch_enter(env_cpu(env), pc);
    } else {
        profile_computing_turn(env_cpu(env));
        profile_waits_enter(env_cpu(env), pc);
        if (pc == guest_layout.resume) {
            profile_computing_switch(env_cpu(env));
        }
    }
}

static void tap_leave(CPUMIPSState *env, uint64_t to)
{
    guest_watch_leave(env_cpu(env), to);
}

static void tap_mode(CPUMIPSState *env)
{
    profile_computing_turn(env_cpu(env));
    guest_mode(env_cpu(env));
    if (profile_refill_mode(tap.machine, tap.profile, env_cpu(env),
                            profile_waits_doing(env_cpu(env)))) {
        set(&tap.begun);
    }
    profile_waits_mode(env_cpu(env));
}

static unsigned cause_of(unsigned cpu, uint64_t pa, bool fetch, bool upgrade)
{
    return sn_cause_peek(tap.causes, cpu, pa, fetch, upgrade);
}

/* ---- phases ---- */

/*
 * Rows that may come in a phase: a processor executes fewer instructions, and
 * none of them makes more than two.
 */
static uint64_t rows_of_phase(void)
{
    uint64_t ns = mp_time_quantum() * 1000000000ull / tap.machine->tick_hz;

    return (uint64_t)tap.machine->desc.nnodes * SN_NODE_CPUS * 4 * (ns + 1000);
}

/*
 * The order of processors matters to each access in a file of all, and where rows are
 * merged because there are too many.
 */
static bool begins(void)
{
    uint64_t rows = rows_of_phase();

    if (tap.all || sn_profile_room(tap.profile) < rows) {
        return false;
    }
    sn_profile_apart(tap.profile);
    return profile_computing_ready(rows);
}

static void write_again(void)
{
    CPUState *cs = current_cpu;

    /* The time is the machine's, and not that of who ran last on this thread. */
    current_cpu = NULL;
    tap.due = false;
    tap.next_write = 2 * origin_now();
    profile_sites_flush(tap.profile);
    origin_profile_write(tap.machine, tap.profile, false);
    current_cpu = cs;
}

static void over(void)
{
    sn_profile_together(tap.profile);
    guest_calls_over();
    if (unlikely(tap.due)) {
        write_again();
    }
}

/* ---- beginning and end ---- */

/* Afterwards, the next stall of each site begins a row again. */
static void before_merging(void)
{
    profile_sites_flush(tap.profile);
    profile_sites_reset();
}

/* Large pages: most additions to rows come to memory that is not cached. */
static void dense(void *area, size_t bytes)
{
    const uintptr_t huge = 2 * MiB;
    uintptr_t begin = ROUND_UP((uintptr_t)area, huge);
    uintptr_t end = QEMU_ALIGN_DOWN((uintptr_t)area + bytes, huge);

    if (begin < end) {
        qemu_madvise((void *)begin, end - begin, QEMU_MADV_HUGEPAGE);
    }
}

static void new_profile(void)
{
    OriginMachineState *m = tap.machine;
    const struct sn_profile_config cfg = {
        .topo = &m->topo,
        .ncpus = m->desc.nnodes * SN_NODE_CPUS,
        .l2_lines = tap.l2_lines,
        .line_shift = sn_desc_line(&tap.machine->desc),
        .rows = m->profile_rows,
        .merging = before_merging,
        .dense = dense,
        .caused = profile_follow_cause,
    };

    profile_follow_begin(m);
    profile_accesses_begin(m);

    tap.profile = sn_profile_new(&cfg);
    if (!tap.profile) {
        error_report("origin2000: no memory for a profile");
        exit(1);
    }
    tap.causes = sn_profile_causes(tap.profile);
}

static void at_exit(Notifier *n, void *data)
{
    sn_profile_finish(tap.profile);
    profile_sites_flush(tap.profile);
    profile_accesses_end();
    origin_profile_write(tap.machine, tap.profile, true);
}

void origin_profile_now(const char *dir, bool life, Error **errp)
{
    if (!tap.profile) {
        error_setg(errp, "no profile is recorded");
        return;
    }
    if (!life) {
        profile_sites_flush(tap.profile);
    }
    origin_profile_copy(tap.machine, tap.profile, dir, life, errp);
}

static const MPTimeObserver phases = { .begins = begins, .over = over };

void origin_profile_attach(OriginMachineState *m, const MemoryModelOps **ops,
                           const MIPSR10KMemOps **mops)
{
    if (!mp_time_enabled()) {
        error_report("origin2000: profile: needs machine time "
                     "(-icount mode=mp)");
        exit(1);
    }
    if (!origin_profile_open(m)) {
        error_report("origin2000: profile: %s: %s", m->profile_dir,
                     strerror(errno));
        exit(1);
    }
    tap.machine = m;
    if (!m->profile_rows) {
        m->profile_rows =
            MAX(ROWS_MIN, m->desc.nnodes * SN_NODE_CPUS * ROWS_FOR_CPU);
    }
    tap.all = m->accesses && !strcmp(m->accesses, "all");
    tap.misses = m->accesses && !tap.all;
    guest_open(m, m->profile_kernel);
    guest_threads_init();
    /* Before regions: whom a mark is told first was the last to ask for it. */
    profile_waits_init(m->profile_rows);
    guest_regions_init();
    guest_calls_init(m->profile_depth);
    guest_heap_init(m->profile_rows);
    guest_locks_init(m->profile_rows);
    guest_watch_init(m->profile_functions);
    tap.l2_lines = g_new0(uint32_t, m->desc.nnodes * SN_NODE_CPUS);
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu_desc *d =
            &m->desc.node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS];

        tap.l2_lines[i] =
            d->model == SN_CPU_NONE ? 0 : d->l2_bytes >> sn_desc_line(&m->desc);
    }
    profile_computing_attach(m, m->profile_rows, profile_waits_doing);
    new_profile();
    tap.next_write = FIRST_WRITE_S * m->tick_hz;
    tap.ops = *ops;
    tap.mops = *mops;
    tap.own = **ops;
    tap.own.data[MEMORY_MODEL_LOAD] = tap_load;
    tap.own.data[MEMORY_MODEL_STORE] = tap_store;
    tap.own.data[MEMORY_MODEL_AWAITED] = tap_awaited;
    tap.own.fetch = tap_fetch;
    tap.own.io = tap_io;
    tap.own_m = **mops;
    tap.own_m.cache_op = tap_cache_op;
    tap.own_m.pref = tap_pref;
    tap.own_m.ll = tap_ll;
    tap.own_m.sc = tap_sc;
    if (m->profile_depth || m->profile_functions) {
        tap.own_m.call = tap_call;
    }
    if (m->profile_functions || profile_waits_on()) {
        tap.own_m.code = tap_code;
        tap.own_m.enter = tap_enter;
        tap.own_m.leave = tap_leave;
    }
    tap.own_m.mode = tap_mode;
    *ops = &tap.own;
    *mops = &tap.own_m;
    if (m->follow) {
        observer.message = profile_follow_message;
        observer.wants = on_wants;
        observer.dropped = profile_follow_dropped;
    }
    sn_observe(m->engine, &observer);
    mp_time_observe(&phases);
    origin_whatif_causes(cause_of);
    tap.exit.notify = at_exit;
    qemu_add_exit_notifier(&tap.exit);
}

void origin_profile_reset(void)
{
    if (tap.begun) {
        sn_profile_free(tap.profile);
        new_profile();
        guest_regions_reset();
        guest_threads_reset();
        profile_sites_reset();
        profile_refills_reset();
        profile_waits_reset();
        guest_locks_reset();
        tap.begun = false;
    }
}

void origin_profile_rest(void)
{
    if (tap.profile) {
        profile_sites_flush(tap.profile);
        profile_sites_reset();
        profile_computing_rest();
        guest_watch_rest();
    }
}

const char *origin_profile_unsaved(void)
{
    return profile_follow_any()     ? "a followed line was used"
           : profile_accesses_any() ? "accesses are in a file"
                                    : NULL;
}

void origin_profile_state(struct sn_archive *a)
{
    if (!tap.profile) {
        return;
    }
    if (!a->loading) {
        origin_profile_rest();
    }
    SN_MOVE(a, tap.next_write);
    SN_MOVE(a, tap.begun);
    sn_profile_state(tap.profile, a);
    guest_paths_state(a);
    guest_maps_state(a);
    guest_threads_state(a);
    guest_calls_state(a);
    guest_heap_state(a);
    guest_objects_state(a);
    guest_modules_state(a);
    guest_frames_state(a);
    guest_regions_state(a);
    guest_locks_state(a);
    profile_refills_state(a);
    profile_waits_state(a);
    profile_computing_state(a);
}
