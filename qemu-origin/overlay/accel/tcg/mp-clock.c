/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: the clocks of the vCPUs, and what is posted for them
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * The interface is in system/mp-time.h, what the other files of machine time need in
 * mp-internal.h.  Who may touch which clock is in tcg-accel-ops-mp.c.
 *
 * Left out: timers, and the time that a vCPU may read.  To read it the others have to
 * stand still (tcg-accel-ops-mp.c).
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/bitops.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "system/cpus.h"
#include "system/mp-time.h"
#include "tcg/tcg.h"
#include "mp-accel.h"
#include "internal-common.h"
#include "mp-internal.h"
#include "tb-context.h"

/*
 * After a posted function that came too late the quantum is short for
 * MP_SHORT_NS.  It is never shorter than the floor.
 */
#define MP_SHORT_NS       (100 * SCALE_US)
#define MP_SHORT_FLOOR_NS 100

/* More functions than this are never posted for one vCPU */
#define MP_VISIT_POSTS 65536

/*
 * The largest count given out at once.  A vCPU that stopped within a block is given a
 * new one there.  If it then leaves the block (a TLB miss), what it has not executed
 * of the block comes back, on top.
 */
#define MP_TIME_MAX_COUNT (INT16_MAX - TCG_MAX_INSNS)

struct MPState mp;

__thread MPTimeClock *mp_time_clock;
__thread MPCpu *mp_current;
__thread bool mp_time_in_fiber;

MPCpu mp_cpus[MP_TIME_MAX_CPUS];
int mp_nr_cpus;

/* vCPUs that may have something to run; the scheduler skips all others */
DECLARE_BITMAP(mp_active, MP_TIME_MAX_CPUS);

/* vCPUs with posted functions */
DECLARE_BITMAP(mp_posted, MP_TIME_MAX_CPUS);

/*
 * Units
 */

int64_t mp_time_to_ns(int64_t ticks)
{
    if (likely(ticks <= INT64_MAX / (int64_t)mp.ns_div)) {
        return ticks * mp.ns_div / mp.ns_mul;
    }
    return (__int128_t)ticks * mp.ns_div / mp.ns_mul;
}

int64_t mp_time_from_ns(int64_t ns)
{
    __int128_t t = ((__int128_t)ns * mp.ns_mul + mp.ns_div - 1) / mp.ns_div;

    return MIN(t, MP_NEVER);
}

void mp_set_hz(uint64_t hz)
{
    uint64_t a = hz, b = NANOSECONDS_PER_SECOND;

    while (b) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    mp.hz = hz;
    mp.ns_mul = hz / a;
    mp.ns_div = NANOSECONDS_PER_SECOND / a;
    mp.quantum = MAX(mp_time_from_ns(mp.quantum_ns), 1);
}

void mp_time_set_tick_hz(uint64_t hz)
{
    if (!mp_time_enabled()) {
        return;
    }
    g_assert(hz >= 1000000 && hz <= 1000000000000);
    g_assert(mp_nr_cpus == 0);
    mp_set_hz(hz);
}

uint64_t mp_time_tick_hz(void)
{
    return mp_time_enabled() ? mp.hz : NANOSECONDS_PER_SECOND;
}

int64_t mp_time_quantum(void)
{
    return mp.quantum;
}

/* The length of a quantum that begins at time @t */
int64_t mp_span(int64_t t)
{
    return unlikely(t < mp.short_until) ? mp.short_quantum : mp.quantum;
}

/*
 * Clocks and the instruction counter
 */

static void mp_set_cost(MPCpu *mc, uint32_t cost)
{
    mc->clock.cost = mc->usual = cost;
    mc->clock.per_tick = UINT32_MAX / cost;
}

void mp_add_cpu(CPUState *cpu)
{
    MPCpu *mc;

    if (cpu->cpu_index >= MP_TIME_MAX_CPUS) {
        error_report("machine time supports at most %d CPUs", MP_TIME_MAX_CPUS);
        exit(1);
    }
    mc = mp_cpu(cpu);
    if (!mc->clock.cpu) {
        mc->clock.cpu = cpu;
        mc->idle = true;
        mc->next_post = MP_NEVER;
        mp_nr_cpus = MAX(mp_nr_cpus, cpu->cpu_index + 1);
    }
    if (!mc->costed) {
        mp_set_cost(mc, MAX(mp_time_from_ns(1), 1));
    }
}

void mp_time_set_cpu(CPUState *cpu, uint32_t ticks_per_insn)
{
    if (!mp_time_enabled()) {
        return;
    }
    g_assert(ticks_per_insn && ticks_per_insn < (1 << 24));
    mp_add_cpu(cpu);
    mp_set_cost(mp_cpu(cpu), ticks_per_insn);
    mp_cpu(cpu)->costed = true;
}

/* The time at which a slice of this vCPU has to stop */
static int64_t mp_limit(MPCpu *mc)
{
    return MIN(mp.rounds.end, mc->next_post);
}

bool mp_give(MPCpu *mc)
{
    int64_t left = mp_limit(mc) - mc->clock.time;
    int count;

    if (left <= 0) {
        return false;
    }
    if (left >= (int64_t)mc->clock.cost * MP_TIME_MAX_COUNT) {
        count = MP_TIME_MAX_COUNT;
    } else if (likely(left <= UINT32_MAX)) {
        /* left / cost rounded up, for per_tick is rounded down */
        count = (((uint64_t)left * mc->clock.per_tick) >> 32) + 1;
    } else {
        count = DIV_ROUND_UP(left, mc->clock.cost);
    }
    mc->clock.budget = count;
    mc->clock.cpu->neg.icount_decr.u16.low = count;
    return true;
}

static inline bool mp_refill(MPCpu *mc)
{
    mp_set_count(mc, 0);
    return mp_give(mc);
}

bool mp_time_expired(CPUState *cpu)
{
    return mp.brk || !mp_refill(mp_cpu(cpu));
}

void mp_time_free(CPUState *cpu, bool on)
{
    MPCpu *mc = mp_cpu(cpu);

    if (mc == mp_current) {
        mp_set_count(mc, 0);
        mc->clock.cost = on ? 0 : mc->usual;
        mp_give(mc);
    }
}

/* The quantum has become shorter */
void mp_shrink(int64_t end)
{
    if (end < mp.rounds.end) {
        mp.rounds.end = end;
        if (mp_current) {
            mp_refill(mp_current);
        }
    }
}

/*
 * A block counts all its instructions when it begins.  How much of that comes
 * after the one whose device access is under way?
 */
static int mp_undone(MPCpu *mc)
{
    uintptr_t pc = mc->clock.cpu->mem_io_pc;

    return pc ? cpu_unwind_count_left(mc->clock.cpu, pc) : 0;
}

int64_t mp_running_time(void)
{
    return mp_local(mp_current, mp_undone(mp_current));
}

bool mp_in_guest(void)
{
    return mp_current && current_cpu == mp_current->clock.cpu;
}

int64_t mp_time_local(CPUState *cpu)
{
    MPCpu *mc;

    if (!mp_time_enabled()) {
        return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    }
    mc = mp_cpu(cpu);
    return mc == mp_current ? mp_running_time() : mc->clock.time;
}

static int64_t mp_begun(const MPCpu *mc)
{
    const MPTimeClock *c = &mc->clock;

    return c->time == c->stall_to ? c->stall_from : c->time;
}

int64_t mp_time_begun(CPUState *cpu)
{
    MPCpu *mc = mp_cpu(cpu);

    return mp_time_enabled() && mc != mp_current ? mp_begun(mc)
                                                 : mp_time_local(cpu);
}

uint64_t mp_time_insns(CPUState *cpu)
{
    MPCpu *mc = mp_cpu(cpu);

    if (!mp_time_enabled()) {
        return 0;
    }
    return mc->insns + mc->clock.budget - mp_time_count(cpu) -
           (mc == mp_current ? mp_undone(mc) : 0);
}

/* As mp_time_now(), but it may be earlier than what another vCPU has read. */
int64_t mp_context_time(void)
{
    if (mp.in_fn) {
        return mp.fn_time;
    }
    return mp_in_guest() ? mp_running_time() : mp.now;
}

unsigned mp_time_code_age(void)
{
    return qatomic_read(&tb_ctx.tb_flush_count);
}

bool mp_time_where(CPUState *cpu, uintptr_t ra, MPTimeWhere *w)
{
    /*
     * The misses of a loop ask for the same few addresses, so the answers are
     * kept.
     */
    static __thread struct {
        uintptr_t ra;
        CPUUnwindInsn insn;
    } memo[4096], *m;
    static __thread unsigned int flushes;
    MPCpu *mc = mp_cpu(cpu);
    int64_t executed;

    if (!ra || mc != mp_current) {
        return false;
    }
    if (flushes != mp_time_code_age()) {
        flushes = mp_time_code_age();
        memset(memo, 0, sizeof(memo));
    }
    m = &memo[(ra ^ ra >> 12) % ARRAY_SIZE(memo)];
    if (m->ra != ra) {
        if (!cpu_unwind_insn(cpu, ra, &m->insn)) {
            m->ra = 0;
            return false;
        }
        m->ra = ra;
    }
    executed = mc->clock.budget - mp_time_count(cpu) - m->insn.left;
    w->pc = m->insn.pc;
    w->code = m->insn.code;
    w->insns = mc->insns + executed;
    w->left = m->insn.insns;
    w->ticks = mc->clock.time + executed * mc->clock.cost;
    w->own = (int64_t)(m->insn.start - m->insn.left) * mc->clock.cost;
    return true;
}

bool mp_time_is_beyond(CPUState *cpu, const MPTimeWhere *w)
{
    return w->ticks - w->own >= mp_limit(mp_cpu(cpu));
}

void mp_time_yield(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_cpu(cpu);
    MPTimeWhere w;

    /*
     * Usually nothing happens.  The clock at the block's end is quick to read,
     * and the instruction does not begin later.
     */
    if (!mp_time_enabled() || mc != mp_current ||
        mp_local(mc, 0) <= mp_limit(mc) || !mp_time_where(cpu, ra, &w) ||
        !mp_time_is_beyond(cpu, &w)) {
        return;
    }
    cpu_restore_state(cpu, ra);
    mp_set_count(mc, 0);
    cpu_loop_exit_noexc(cpu);
}

/*
 * Waking up
 */

bool mp_runnable(CPUState *cpu)
{
    return (!cpu->halted || cpu_has_work(cpu)) && !cpu->stop && !cpu->stopped;
}

/* @mc, which was idle, has something to do from time @t on. */
static void mp_wake(MPCpu *mc, int64_t t)
{
    set_bit(mc->clock.cpu->cpu_index, mp_active);
    mc->idle = false;
    mc->clock.time = MAX(mc->clock.time, t);
    mp.again = true;
    rd_woken(&mp.rounds, mc->clock.time);
    /* The running vCPU may have had a long slice, because it was alone. */
    mp_shrink(t + mp_span(t));
}

void mp_maybe_wake(CPUState *cpu)
{
    MPCpu *mc = mp_cpu(cpu);

    if (!mp_runnable(cpu)) {
        return;
    }
    if (mc->idle) {
        mp_wake(mc, mp_context_time());
    } else if (mc->rd.state == MP_HALTED) {
        /* It has halted in the phase under way.  The phase's end makes it idle. */
        mc->clock.time = MAX(mc->clock.time, mp_context_time());
        mc->rd.state = RD_READY;
        rd_woken(&mp.rounds, mc->clock.time);
    }
}

/*
 * Posted functions
 */

void mp_run_posts(MPCpu *mc)
{
    bool locked = bql_locked();

    if (!locked) {
        bql_lock();
    }
    while (mc->next_post <= mc->clock.time) {
        MPPost p = mc->post[0];

        mc->nr_posts--;
        memmove(mc->post, mc->post + 1, mc->nr_posts * sizeof(*mc->post));
        mc->next_post = mc->nr_posts ? mc->post[0].at : MP_NEVER;

        mp.in_fn = true;
        mp.fn_time = mc->clock.time;
        current_cpu = mc->clock.cpu;
        p.fn(p.opaque);
        mp.in_fn = false;
    }
    if (!mc->nr_posts) {
        clear_bit(mc->clock.cpu->cpu_index, mp_posted);
    }
    if (!locked) {
        bql_unlock();
    }
}

/*
 * A function is posted for @at, for a vCPU that has come to @reached.  If that is
 * too late, the quantum becomes as short as the function's latency for a while.
 * Each further function with such a latency extends that time, because it would
 * come too late at the usual quantum.
 */
static void mp_note_latency(int64_t at, int64_t reached)
{
    int64_t now = mp_context_time();
    int64_t latency = MAX(at - now, mp_time_from_ns(MP_SHORT_FLOOR_NS));
    bool on = now < mp.short_until;

    if (latency >= mp.quantum || (!on && at >= reached)) {
        return;
    }
    mp.short_quantum = on ? MIN(mp.short_quantum, latency) : latency;
    mp.short_until = now + mp_time_from_ns(MP_SHORT_NS);
}

void mp_time_post(CPUState *target, int64_t at, MPTimeFunc *fn, void *opaque)
{
    MPCpu *mc;
    unsigned int i;

    g_assert(bql_locked());
    if (!mp_time_enabled()) {
        fn(opaque);
        return;
    }

    mc = mp_cpu(target);
    if (mc != mp_current && !mc->idle) {
        mp_note_latency(at, mp_begun(mc));
    }
    if (at <= (mc == mp_current ? mp_running_time()
               : mc->idle       ? mp_context_time()
                                : mc->clock.time)) {
        fn(opaque);
        return;
    }

    if (mc->nr_posts == mc->max_posts) {
        mc->max_posts = MAX(8, mc->max_posts * 2);
        mc->post = g_renew(MPPost, mc->post, mc->max_posts);
    }
    for (i = mc->nr_posts; i > 0 && mc->post[i - 1].at > at; i--) {
        mc->post[i] = mc->post[i - 1];
    }
    mc->post[i] = (MPPost){ .at = at, .fn = fn, .opaque = opaque };
    mc->nr_posts++;
    mc->next_post = mc->post[0].at;
    set_bit(target->cpu_index, mp_posted);

    if (mc == mp_current) {
        mp_refill(mc);
    } else if (mc->idle && at < mp.rounds.end) {
        /*
         * @target wakes in this quantum, so the running vCPU is no longer
         * alone.
         */
        mp.again = true;
        rd_woken(&mp.rounds, at);
        set_bit(target->cpu_index, mp_active);
        mp_shrink(at + mp_span(at));
    }
}

/* The earliest time at which a posted function wakes a halted vCPU */
int64_t mp_next_wake(void)
{
    int64_t t = MP_NEVER;
    unsigned long i;

    for (i = find_first_bit(mp_posted, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_posted, mp_nr_cpus, i + 1)) {
        if (!test_bit(i, mp_active)) {
            t = MIN(t, mp_cpus[i].next_post);
        }
    }
    return t;
}

/* Include halted vCPUs in the quantum if a posted function wakes them in it */
void mp_activate_posted(void)
{
    unsigned long i;

    for (i = find_first_bit(mp_posted, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_posted, mp_nr_cpus, i + 1)) {
        if (mp_cpus[i].next_post < mp.rounds.end) {
            set_bit(i, mp_active);
        }
    }
}

void mp_drop_posts(void *opaque)
{
    int i;

    for (i = 0; i < mp_nr_cpus; i++) {
        mp_cpus[i].nr_posts = 0;
        mp_cpus[i].next_post = MP_NEVER;
    }
    bitmap_zero(mp_posted, MP_TIME_MAX_CPUS);
    mp.short_until = 0;
}

/*
 * What a board saves
 */

/* No machine runs for so long, so a saved time beyond it is damaged. */
static bool mp_is_time(int64_t t)
{
    return t >= 0 && t < MP_NEVER / 4;
}

static void mp_must_be(MPTimeVisitor *v, bool good, const char *what)
{
    if (!good && !v->why) {
        v->why = what;
    }
}

/* See mp-state.h.inc. */
enum mp_fate { MP_SAVED, MP_ZERO, MP_FIXED, MP_SET, MP_HOST, MP_PART };

static void mp_visit_member(MPTimeVisitor *v, enum mp_fate fate, void *p,
                            size_t n, const char *name)
{
    if (fate == MP_SAVED) {
        v->move(v, p, n);
    } else if (fate == MP_ZERO) {
        mp_must_be(v, buffer_is_zero(p, n), name);
    }
}

/* All of the clock, so that no member can be left out; but not the pointer */
static void mp_visit_clock(MPCpu *mc, MPTimeVisitor *v)
{
    CPUState *cpu = mc->clock.cpu;
    uint32_t per_tick = mc->clock.per_tick;

    mc->clock.cpu = NULL;
    v->move(v, &mc->clock, sizeof(mc->clock));
    mc->clock.cpu = cpu;
    v->move(v, &cpu->neg.icount_decr.u16.low,
            sizeof(cpu->neg.icount_decr.u16.low));
    mp_must_be(v, mc->clock.cost == mc->usual,
               "an instruction that takes no time");
    mp_must_be(v, mc->clock.per_tick == per_tick && mp_is_time(mc->clock.time),
               "clock");
}

static bool mp_visit_posts(MPCpu *mc, MPTimeVisitor *v)
{
    uint32_t n = mc->nr_posts;

    v->move(v, &n, sizeof(n));
    if (n > MP_VISIT_POSTS) {
        return false;
    }
    if (v->loading) {
        mc->nr_posts = mc->max_posts = n;
        mc->post = g_renew(MPPost, mc->post, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        MPPost *p = &mc->post[i];
        uint64_t number = 0;

        if (!v->loading && !v->post(v, &number, &p->fn, &p->opaque)) {
            return false;
        }
        v->move(v, &number, sizeof(number));
        v->move(v, &p->at, sizeof(p->at));
        if (v->loading &&
            (!mp_is_time(p->at) || !v->post(v, &number, &p->fn, &p->opaque))) {
            mc->nr_posts = 0;
            return false;
        }
    }
    mc->next_post = n ? mc->post[0].at : MP_NEVER;
    if (n) {
        set_bit(mc->clock.cpu->cpu_index, mp_posted);
    } else {
        clear_bit(mc->clock.cpu->cpu_index, mp_posted);
    }
    return true;
}

static void mp_visit_cpu(MPCpu *mc, MPTimeVisitor *v)
{
#define MP_CPU(fate, type, name) \
    mp_visit_member(v, MP_##fate, &mc->name, sizeof(mc->name), #name);
#include "mp-state.h.inc"
#undef MP_CPU
    mp_must_be(v, mc->rd.state == RD_REST, "rd");
    mp_visit_clock(mc, v);
    mp_must_be(v, mp_visit_posts(mc, v), "post");
}

bool mp_time_visit(MPTimeVisitor *v)
{
    v->why = NULL;
#define MP_STATE(fate, type, name) \
    mp_visit_member(v, MP_##fate, &mp.name, sizeof(mp.name), #name);
#include "mp-state.h.inc"
#undef MP_STATE
    v->move(v, &mp.rounds.end, sizeof(mp.rounds.end));
    v->move(v, mp_active, sizeof(mp_active));
    mp_must_be(v, QSIMPLEQ_EMPTY(&mp.points), "points");
    mp_must_be(v, mp_is_time(mp.now), "now");
    for (int i = 0; !v->why && i < MP_TIME_MAX_CPUS; i++) {
        if (mp_cpus[i].clock.cpu) {
            mp_visit_cpu(&mp_cpus[i], v);
        } else {
            mp_must_be(v, !test_bit(i, mp_active), "active");
        }
    }
    mp.deadline_valid = false;
    return !v->why;
}
