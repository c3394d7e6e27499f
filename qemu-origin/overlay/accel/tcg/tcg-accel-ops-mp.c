/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: each vCPU has a clock of its own.  The clocks advance in
 * parallel, and all vCPUs run up to the end of the same quantum.
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * The interface and its semantics are in include/system/mp-time.h.  How the vCPUs
 * of a quantum run is in mp-rounds.c.
 *
 *      now                        end = min(now + quantum, next timer)
 *       |                          |
 *   cpu0 ===========================>      all run up to the end
 *   cpu1 =========================>
 *   cpu2 - - - - - -[woken]=========>      a woken vCPU catches up
 *   cpu3 (halted, skipped)
 *
 * At the boundary between two quanta, timers run and queued work is done.  At
 * some boundaries, chosen by machine time only, the main loop passes the gate
 * and dispatches its handlers.
 *
 * The order of vCPUs, the ends of quanta and the times of events are
 * deterministic.  Only two things come from outside: what the main loop's
 * handlers find when they run, and requests to stop the machine.
 *
 * Locking: the state below belongs to the vCPU thread while that thread runs
 * guest code or holds the BQL.  While other threads run guest code, too, nobody
 * changes it, but each vCPU's MPCpu belongs to the thread that runs it.  The
 * state belongs to the main loop thread while that thread holds the BQL, which
 * it does (except to poll) only while the vCPU thread waits.  Fields that other
 * threads use are marked "any thread".
 */

#include "qemu/osdep.h"
#include "block/aio.h"
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "qemu/bitops.h"
#include "qemu/error-report.h"
#include "qemu/guest-random.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "qemu/option.h"
#include "hw/core/cpu.h"
#include "migration/blocker.h"
#include "system/cpus.h"
#include "system/accel-ops.h"
#include "system/cpu-timers.h"
#include "system/device-request.h"
#include "system/mp-time.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "tcg/startup.h"
#include "tcg/tcg.h"
#include "tcg-accel-ops.h"
#include "tcg-accel-ops-mp.h"
#include "internal-common.h"
#include "mp-internal.h"
#include "tb-context.h"

/*
 * The main loop passes the gate once in this much machine time.  That bounds
 * the latency of the monitor and of input, and costs one poll() if there is
 * nothing to do.
 */
#define MP_SYNC_NS (1 * SCALE_MS)

/* The quantum of a lone runnable vCPU is so many times longer */
#define MP_LONE_QUANTA 64

/*
 * A posted function that comes too late makes the quantum short for so long,
 * but not shorter than the floor.
 */
#define MP_SHORT_NS       (100 * SCALE_US)
#define MP_SHORT_FLOOR_NS 100

/* Bottom halves that schedule each other get so many passes of the main loop */
#define MP_SYNC_PASSES 64

/* More functions than this are never posted for one vCPU */
#define MP_VISIT_POSTS 65536

/* Upper limit of the disagreement between CPU clocks: 1 ms */
#define MP_MAX_QUANTUM_NS 1000000
#define MP_MAX_PACE       1000000

struct MPState mp;

__thread MPTimeClock *mp_time_clock;
__thread MPCpu *mp_current;

MPCpu mp_cpus[MP_TIME_MAX_CPUS];
int mp_nr_cpus;
__thread bool mp_time_in_fiber;
static const MPRounds *mp_by_rounds;

/* vCPUs that may have something to run; the scheduler skips all others */
DECLARE_BITMAP(mp_active, MP_TIME_MAX_CPUS);

/* vCPUs with posted functions */
static DECLARE_BITMAP(mp_posted, MP_TIME_MAX_CPUS);

/*
 * The gate between the main loop thread and the vCPU thread.  BQL.
 * The main loop thread is
 *   BUSY     running handlers; the vCPU thread waits
 *   POLLING  in poll(), or on its way there; not holding the BQL
 *   WAITING  back from poll(), waits for the gate to open
 */
static struct {
    enum { GATE_BUSY, GATE_POLLING, GATE_WAITING } state;
    bool open;
    unsigned int passes; /* how often handlers were dispatched */
    unsigned int busy;   /* passes since the last POLLING */
    const GPollFD *fds;  /* what is polled; valid unless BUSY */
    unsigned int nr_fds;
    QemuCond cond;
    MPTimeFunc *call; /* of mp_time_call_main(), NULL: none */
    void *call_opaque;
} gate;

/* The translator's state of the thread of the vCPUs */
static TCGContext *mp_tcg_ctx;

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

static void mp_set_hz(uint64_t hz)
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

/* How far vCPUs may be apart at time @t */
static int64_t mp_span(int64_t t)
{
    return unlikely(t < mp.short_until) ? mp.short_quantum : mp.quantum;
}

/*
 * Clocks and the instruction counter
 */

static MPCpu *mp_cpu(CPUState *cpu)
{
    return &mp_cpus[cpu->cpu_index];
}

static void mp_set_cost(MPCpu *mc, uint32_t cost)
{
    mc->clock.cost = cost;
    mc->clock.per_tick = UINT32_MAX / cost;
}

static void mp_add_cpu(CPUState *cpu)
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
    return MIN(mp.end, mc->next_post);
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

/* The quantum has become shorter */
static void mp_shrink(int64_t end)
{
    if (end < mp.end) {
        mp.end = end;
        if (mp_current) {
            mp_refill(mp_current);
        }
    }
}

/*
 * The block's start counted all of its instructions.  How many of them come
 * after the one that makes the device access under way?
 */
static int mp_undone(MPCpu *mc)
{
    uintptr_t pc = mc->clock.cpu->mem_io_pc;

    return pc ? cpu_unwind_insns_left(mc->clock.cpu, pc) : 0;
}

static int64_t mp_running_time(void)
{
    return mp_local(mp_current, mp_undone(mp_current));
}

static bool mp_in_guest(void)
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

int64_t mp_time_local_at(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_cpu(cpu);

    if (!mp_time_enabled() || !ra || mc != mp_current) {
        return mp_time_local(cpu);
    }
    return mp_local(mc, cpu_unwind_insns_left(cpu, ra));
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

/* As mp_time_now(), but not made monotonic */
static int64_t mp_context_time(void)
{
    if (mp.in_fn) {
        return mp.fn_time;
    }
    return mp_in_guest() ? mp_running_time() : mp.now;
}

int64_t mp_time_now(void)
{
    int64_t t;

    if (!mp_time_enabled()) {
        return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    }
    if (mp.in_fn) {
        return mp.fn_time;
    }
    if (!mp_in_guest()) {
        return qatomic_read_i64(&mp.now);
    }
    mp_time_stand_still();
    t = mp_running_time();
    if (t < mp.seen) {
        return mp.seen;
    }
    mp.seen = t;
    return t;
}

static int64_t mp_get_ns(void)
{
    return mp_time_to_ns(mp_time_now());
}

unsigned mp_time_code_age(void)
{
    return qatomic_read(&tb_ctx.tb_flush_count);
}

bool mp_time_where(CPUState *cpu, uintptr_t ra, MPTimeWhere *w)
{
    /* The misses of a loop ask for the same few addresses: keep the answers. */
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
    w->ticks = mc->clock.time + executed * mc->clock.cost;
    return true;
}

void mp_time_yield(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_cpu(cpu);
    MPTimeWhere w;

    /* The clock at the end of the block is an upper bound for the one here */
    if (!mp_time_enabled() || mc != mp_current ||
        mp_local(mc, 0) <= mp_limit(mc) || !mp_time_where(cpu, ra, &w) ||
        !mp_time_is_beyond(cpu, &w)) {
        return;
    }
    cpu_restore_state(cpu, ra);
    mp_set_count(mc, 0);
    cpu_loop_exit_noexc(cpu);
}

void mp_set_rounds(const MPRounds *rounds)
{
    mp_by_rounds = rounds;
}

bool mp_beside_others(void)
{
    return unlikely(mp_time_in_fiber) && !mp.in_order && !mp_current->token;
}

void mp_time_share(bool on)
{
    mp.shared = on;
}

unsigned mp_time_threads(void)
{
    return mp_time_enabled() ? mp.nr_threads : 1;
}

void mp_time_stand_still(void)
{
    if (mp_time_in_fiber) {
        mp_by_rounds->stand_still();
    }
}

bool mp_time_is_beyond(CPUState *cpu, const MPTimeWhere *w)
{
    MPCpu *mc = mp_cpu(cpu);

    return w->ticks - mc->clock.cost >= mp_limit(mc);
}

/*
 * Timers
 */

static int64_t mp_deadline(void)
{
    if (!mp.deadline_valid) {
        int64_t d =
            qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL);

        if (d >= 0) {
            int64_t t = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

            mp.deadline = d < INT64_MAX - t ? mp_time_from_ns(t + d) : MP_NEVER;
        } else {
            mp.deadline = MP_NEVER;
        }
        mp.deadline_valid = true;
    }
    return mp.deadline;
}

static void mp_timer_armed(void)
{
    mp.deadline_valid = false;
    if (mp.in_fn || mp_in_guest()) {
        /* vCPUs that have not run yet in this quantum stop at the deadline */
        mp_shrink(MAX(mp_deadline(), mp_context_time()));
    }
}

static void mp_run_timers(void)
{
    mp.deadline_valid = false;
    qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
    if (mp_deadline() <= mp.now) {
        /* The timer belongs to an AioContext: the main loop runs it */
        qemu_clock_notify(QEMU_CLOCK_VIRTUAL);
        mp.bh_pending = true;
    }
}

/*
 * Waking up
 */

bool mp_runnable(CPUState *cpu)
{
    return (!cpu->halted || cpu_has_work(cpu)) && !cpu->stop && !cpu->stopped;
}

/* Another vCPU has something to do from time @t on */
static void mp_note_woken(int64_t t)
{
    mp.woken = MIN(mp.woken, t);
    mp.horizon = MIN(mp.horizon, t);
}

/* @mc has something to do from time @t on */
static void mp_wake(MPCpu *mc, int64_t t)
{
    set_bit(mc->clock.cpu->cpu_index, mp_active);
    mc->idle = false;
    mc->clock.time = MAX(mc->clock.time, t);
    mp.again = true;
    mp_note_woken(mc->clock.time);
    /* The running vCPU is no longer alone */
    mp_shrink(t + mp_span(t));
}

static void mp_maybe_wake(CPUState *cpu)
{
    MPCpu *mc = mp_cpu(cpu);

    if (mc->idle && mp_runnable(cpu)) {
        mp_wake(mc, mp_context_time());
    }
}

static void mp_handle_interrupt(CPUState *cpu, int mask)
{
    tcg_handle_interrupt(cpu, mask);
    mp_maybe_wake(cpu);
}

static void mp_kick_vcpu_thread(CPUState *cpu)
{
    if (qemu_in_vcpu_thread()) {
        if (mp_current && mp_current->clock.cpu == cpu) {
            cpu_exit(cpu);
        } else if (mp_cpu(cpu)->clock.cpu) {
            mp_maybe_wake(cpu);
        }
    }
    /*
     * A request of another thread need not stop the running vCPU: the boundary
     * comes soon, and the request may take effect only there.
     */
    qatomic_set(&mp.kicked, true);
    qemu_cond_broadcast(cpu->halt_cond);
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
    } else if (mc->idle && at < mp.end) {
        /* It wakes in this quantum: the running vCPU is no longer alone */
        mp.again = true;
        mp_note_woken(at);
        set_bit(target->cpu_index, mp_active);
        mp_shrink(at + mp_span(at));
    }
}

/* When does the first halted vCPU wake for a posted function? */
static int64_t mp_next_wake(void)
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
static void mp_activate_posted(void)
{
    unsigned long i;

    for (i = find_first_bit(mp_posted, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_posted, mp_nr_cpus, i + 1)) {
        if (mp_cpus[i].next_post < mp.end) {
            set_bit(i, mp_active);
        }
    }
}

static void mp_reset(void *opaque)
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
 * The gate
 */

/* Main loop thread: about to release the BQL and to poll */
static void mp_main_loop_poll(const GPollFD *fds, unsigned int nr_fds,
                              int64_t timeout_ns)
{
    gate.fds = fds;
    gate.nr_fds = nr_fds;
    if (timeout_ns != 0 || gate.busy >= MP_SYNC_PASSES) {
        /* All bottom halves have run */
        gate.state = GATE_POLLING;
        gate.busy = 0;
        if (first_cpu) {
            qemu_cond_broadcast(first_cpu->halt_cond);
        }
    }
}

/* Main loop thread: back from polling, about to dispatch handlers */
static void mp_main_loop_dispatch(void)
{
    if (gate.state == GATE_POLLING) {
        gate.state = GATE_WAITING;
        /* Without vCPUs nobody opens the gate */
        while (!gate.open && first_cpu) {
            if (gate.call) {
                gate.call(gate.call_opaque);
                gate.call = NULL;
                qemu_cond_broadcast(first_cpu->halt_cond);
            } else {
                qemu_cond_wait_bql(&gate.cond);
            }
        }
        gate.state = GATE_BUSY;
    }
    gate.passes++;
    gate.busy++;
}

/* Would the main loop find something to do? */
static bool mp_gate_ready(void)
{
    GPollFD *fds;

    if (gate.state != GATE_POLLING) {
        return true;
    }
    fds = g_newa(GPollFD, gate.nr_fds);
    memcpy(fds, gate.fds, gate.nr_fds * sizeof(*fds));
    return g_poll(fds, gate.nr_fds, 0) > 0;
}

/* Serve requests of other threads to the vCPUs: stop, queued work */
static void mp_cpu_events(void)
{
    CPUState *cpu;

    while (qatomic_xchg(&mp.kicked, false)) {
        CPU_FOREACH(cpu) {
            mp_add_cpu(cpu);
            current_cpu = cpu;
            if (cpu->stop || !cpu_work_list_empty(cpu)) {
                qemu_wait_io_event_common(cpu);
            }
            qatomic_set(&cpu->thread_kicked, false);
            mp_maybe_wake(cpu);
        }
        current_cpu = first_cpu;
    }
}

static void mp_wait(int ms)
{
    if (!qatomic_read(&mp.kicked)) {
        if (ms < 0) {
            qemu_cond_wait_bql(first_cpu->halt_cond);
        } else {
            qemu_cond_timedwait_bql(first_cpu->halt_cond, ms);
        }
    }
    mp_cpu_events();
}

static void mp_gate_open(void)
{
    gate.open = true;
    qemu_cond_signal(&gate.cond);
}

static void mp_gate_close(void)
{
    while (gate.state != GATE_POLLING) {
        gate.open = true;
        qemu_cond_signal(&gate.cond);
        mp_wait(-1);
    }
    gate.open = false;
    mp.deadline_valid = false;
}

void mp_time_at_boundary(MPTimeFunc *fn, void *opaque)
{
    MPPoint *p = g_new(MPPoint, 1);

    g_assert(mp_time_enabled() && bql_locked());
    *p = (MPPoint){ .fn = fn, .opaque = opaque };
    QSIMPLEQ_INSERT_TAIL(&mp.points, p, next);
    if (mp.in_fn || mp_in_guest()) {
        mp_shrink(mp_context_time());
    } else {
        /* It may wait for an event, or be stopped. */
        qatomic_set(&mp.kicked, true);
        qemu_cond_broadcast(first_cpu->halt_cond);
    }
}

void mp_time_call_main(MPTimeFunc *fn, void *opaque)
{
    gate.call_opaque = opaque;
    gate.call = fn;
    /* It polls, or waits for the gate. */
    aio_notify(qemu_get_aio_context());
    qemu_cond_signal(&gate.cond);
    while (gate.call) {
        qemu_cond_wait_bql(first_cpu->halt_cond);
    }
}

static void mp_run_points(void)
{
    bql_lock();
    current_cpu = first_cpu;
    while (!QSIMPLEQ_EMPTY(&mp.points)) {
        MPPoint *p = QSIMPLEQ_FIRST(&mp.points);

        QSIMPLEQ_REMOVE_HEAD(&mp.points, next);
        p->fn(p->opaque);
        g_free(p);
    }
    bql_unlock();
}

void mp_time_pause_at(int64_t at)
{
    mp.pause_at = at;
}

void mp_time_at_rest(MPTimeFunc *fn, void *opaque)
{
    mp.rest = fn;
    mp.rest_opaque = opaque;
}

/*
 * Between two quanta nobody waits, and all slices are over.  What mp_quantum()
 * sets is not needed, except the end of the last quantum: mp_time_post() looks
 * at it.
 */
static bool mp_visit_cpu(MPCpu *mc, MPTimeVisitor *v)
{
    CPUState *cpu = mc->clock.cpu;
    uint32_t n = mc->nr_posts;

    v->move(v, &mc->clock.time, sizeof(mc->clock.time));
    v->move(v, &mc->clock.budget, sizeof(mc->clock.budget));
    v->move(v, &mc->clock.stall_from, sizeof(mc->clock.stall_from));
    v->move(v, &mc->clock.stall_to, sizeof(mc->clock.stall_to));
    v->move(v, &cpu->neg.icount_decr.u16.low,
            sizeof(cpu->neg.icount_decr.u16.low));
    v->move(v, &mc->insns, sizeof(mc->insns));
    v->move(v, &mc->idle, sizeof(mc->idle));
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
        if (v->loading && !v->post(v, &number, &p->fn, &p->opaque)) {
            mc->nr_posts = 0;
            return false;
        }
    }
    mc->next_post = n ? mc->post[0].at : MP_NEVER;
    if (n) {
        set_bit(cpu->cpu_index, mp_posted);
    } else {
        clear_bit(cpu->cpu_index, mp_posted);
    }
    return true;
}

bool mp_time_visit(MPTimeVisitor *v)
{
    v->move(v, &mp.now, sizeof(mp.now));
    v->move(v, &mp.end, sizeof(mp.end));
    v->move(v, &mp.seen, sizeof(mp.seen));
    v->move(v, &mp.next_sync, sizeof(mp.next_sync));
    v->move(v, &mp.short_quantum, sizeof(mp.short_quantum));
    v->move(v, &mp.short_until, sizeof(mp.short_until));
    v->move(v, mp_active, sizeof(mp_active));
    for (int i = 0; i < mp_nr_cpus; i++) {
        if (mp_cpus[i].clock.cpu && !mp_visit_cpu(&mp_cpus[i], v)) {
            return false;
        }
    }
    mp.deadline_valid = false;
    return true;
}

/* Let the main loop do all that it has to do now, and wait until it is done */
static void mp_sync(void)
{
    unsigned int passes = gate.passes;

    if (unlikely(mp.now >= mp.pause_at)) {
        /* The main loop, which is let in below, stops the vCPUs */
        mp.pause_at = MP_NEVER;
        qemu_system_vmstop_request_prepare();
        qemu_system_vmstop_request(RUN_STATE_PAUSED);
    }

    mp.next_sync = mp.now + mp_time_from_ns(MP_SYNC_NS);
    mp.bh_pending = false;
    if (gate.state == GATE_POLLING) {
        if (!mp_gate_ready()) {
            return;
        }
        mp_gate_open();
        while (gate.passes == passes) {
            mp_wait(-1);
        }
    }
    mp_gate_close();
}

static void mp_bh_scheduled(void)
{
    if (qemu_in_vcpu_thread()) {
        mp.bh_pending = true;
        if (mp.in_fn || mp_in_guest()) {
            mp_shrink(mp_context_time() + mp.quantum);
        }
    }
}

/*
 * The vCPU thread
 */

static bool mp_stopped(void)
{
    CPUState *cpu;

    if (mp.debug || !runstate_is_running()) {
        return true;
    }
    if (likely(!first_cpu->stopped)) {
        return false;
    }
    /* a debugger may let some of the others run */
    CPU_FOREACH(cpu) {
        if (!cpu->stopped) {
            return false;
        }
    }
    return true;
}

static void mp_vm_changed(void *opaque, bool running, RunState state)
{
    if (running) {
        mp.debug = false;
    }
}

/* No vCPU has anything to do: advance to the next event, or wait for one */
static void mp_idle(void)
{
    int64_t next = MIN(mp_deadline(), mp_next_wake());

    if (next != MP_NEVER && !mp.pace) {
        qatomic_set_i64(&mp.now, MAX(mp.now, next));
        return;
    }

    mp_gate_open();
    if (next == MP_NEVER && !mp.pace) {
        /* Only the main loop, or a timer that it arms, can end this */
        mp_wait(-1);
    } else {
        int64_t start = get_clock(), gone = 0, todo;
        int64_t begin = mp_time_to_ns(mp.now);
        int i;

        do {
            todo = mp_time_to_ns(next) - begin - gone;
            todo =
                next == MP_NEVER ? -1 : DIV_ROUND_UP(todo, mp.pace * SCALE_MS);
            mp_wait(MIN(todo, INT_MAX));
            gone = (get_clock() - start) * mp.pace;
            mp.deadline_valid = false;
            next = MIN(mp_deadline(), mp_next_wake());
        } while (bitmap_empty(mp_active, mp_nr_cpus) && !mp_stopped() &&
                 begin + gone < mp_time_to_ns(next));
        qatomic_set_i64(&mp.now,
                        MAX(mp.now, MIN(next, mp_time_from_ns(begin + gone))));
        for (i = 0; i < mp_nr_cpus; i++) {
            if (test_bit(i, mp_active)) {
                mp_cpus[i].clock.time = MAX(mp_cpus[i].clock.time, mp.now);
            }
        }
    }
    mp_gate_close();
}

/*
 * The debugger can ask that timers stand still while it steps a vCPU.  A halted
 * vCPU may need a timer to execute anything, so its request is ignored.
 */
static void mp_enable_timers(void)
{
    bool enable = true;
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        enable &= cpu->halted || !(cpu->singlestep_enabled & SSTEP_NOTIMER);
    }
    qemu_clock_enable(QEMU_CLOCK_VIRTUAL, enable);
}

static void mp_boundary(void)
{
    bql_lock();
    current_cpu = first_cpu;
    do {
        /*
         * Nobody notifies us when a timer is postponed or deleted.  Look at
         * each boundary, whether or not the main loop has run.
         */
        mp.deadline_valid = false;
        mp_cpu_events();
        if (mp_stopped()) {
            mp_gate_open();
            while (mp_stopped()) {
                mp_wait(-1);
            }
            mp_gate_close();
            mp_enable_timers();
        }
        if (mp.bh_pending || mp.now >= mp.next_sync) {
            mp_sync();
        }
        if (mp_deadline() <= mp.now) {
            mp_run_timers();
        }
        if (!mp.bh_pending && !qatomic_read(&mp.kicked) &&
            bitmap_empty(mp_active, mp_nr_cpus)) {
            mp_idle();
        }
    } while (mp.bh_pending || qatomic_read(&mp.kicked) || mp_stopped() ||
             mp_deadline() <= mp.now);
    if (unlikely(mp.rest)) {
        MPTimeFunc *fn = mp.rest;

        mp.rest = NULL;
        fn(mp.rest_opaque);
    }
    bql_unlock();
}

void mp_slice_reason(MPCpu *mc, int reason)
{
    CPUState *cpu = mc->clock.cpu;

    if (reason == EXCP_DEBUG) {
        bql_lock();
        cpu_handle_guest_debug(cpu);
        bql_unlock();
        mp.brk = true;
        mp.debug = true;
    } else if (reason == EXCP_ATOMIC) {
        sigjmp_buf env;

        /* cpu_exec_step_atomic() sets a jmp_env of its own */
        memcpy(&env, &cpu->jmp_env, sizeof(env));
        mp_set_count(mc, 1);
        cpu_exec_step_atomic(cpu);
        mp_set_count(mc, 0);
        memcpy(&cpu->jmp_env, &env, sizeof(env));
    }
    if (unlikely(cpu->stop)) {
        mp.brk = true;
    }
}

/* All vCPUs have stalled beyond this quantum, or have halted */
static void mp_skip(void)
{
    int64_t t = MIN(mp_deadline(), mp_next_wake());
    unsigned long i;

    for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
        t = MIN(t, mp_cpus[i].clock.time);
    }
    qatomic_set_i64(&mp.now, t == MP_NEVER ? mp.end : MAX(t, mp.now));
}

static void mp_quantum(void)
{
    int64_t deadline = mp_deadline();
    int64_t span = mp_span(mp.now);
    bool lone, ran;
    unsigned long i;

    i = find_first_bit(mp_active, mp_nr_cpus);
    lone = find_next_bit(mp_active, mp_nr_cpus, i + 1) >= mp_nr_cpus;
    mp.end = mp.now + (lone ? mp.quantum * MP_LONE_QUANTA : span);
    mp.end = MAX(mp.now, MIN(mp.end, deadline));
    if (unlikely(!bitmap_empty(mp_posted, mp_nr_cpus))) {
        mp.end = MIN(mp.end, MAX(mp_next_wake(), mp.now + span));
        mp_activate_posted();
    }

    rcu_read_lock();
    mp.again = false;
    ran = mp_by_rounds->quantum();
    rcu_read_unlock();

    if (unlikely(mp.brk)) {
        mp.brk = false;
        qatomic_set(&mp.kicked, true);
    } else if (likely(ran)) {
        qatomic_set_i64(&mp.now, mp.end);
    } else {
        mp_skip();
    }
}

static G_NORETURN void mp_loop(void)
{
    while (true) {
        if (unlikely(!QSIMPLEQ_EMPTY(&mp.points))) {
            mp_run_points();
        }
        if (unlikely(mp.bh_pending || qatomic_read(&mp.kicked) ||
                     mp.now >= mp.next_sync || mp_deadline() <= mp.now ||
                     bitmap_empty(mp_active, mp_nr_cpus))) {
            mp_boundary();
        }
        mp_quantum();
    }
}

/* The thread in a child of fork(): only the guest's state matters to mp_loop() */
static void *mp_forked_thread_fn(void *arg)
{
    CPUState *cpu = arg;

    rcu_register_thread();
    tcg_ctx = mp_tcg_ctx;

    bql_lock();
    qemu_thread_get_self(cpu->thread);
    cpu->thread_id = qemu_get_thread_id();
    current_cpu = first_cpu;
    bql_unlock();

    mp_by_rounds->start();
    mp_loop();
}

void mp_time_forked(void)
{
    /* Whoever waited for these is in the parent. */
    qemu_cond_init(&gate.cond);
    qemu_cond_init(first_cpu->halt_cond);
    qemu_thread_create(first_cpu->thread, "CPU futures", mp_forked_thread_fn,
                       first_cpu, QEMU_THREAD_JOINABLE);
}

static void *mp_cpu_thread_fn(void *arg)
{
    static Error *blocker;
    CPUState *cpu = arg;

    rcu_register_thread();
    tcg_register_thread();
    mp_tcg_ctx = tcg_ctx;

    bql_lock();
    qemu_thread_get_self(cpu->thread);
    cpu->thread_id = qemu_get_thread_id();
    cpu->neg.can_do_io = true;
    error_setg(&blocker, "machine time (-icount mode=mp) cannot be migrated");
    migrate_add_blocker(&blocker, &error_fatal);
    qemu_register_reset(mp_reset, NULL);
    qemu_add_vm_change_state_handler(mp_vm_changed, NULL);
    cpu_thread_signal_created(cpu);
    qemu_guest_random_seed_thread_part2(cpu->random_seed);
    current_cpu = first_cpu;
    mp.kicked = true;
    bql_unlock();

    mp_by_rounds->start();
    mp_loop();
}

/*
 * -icount mode=mp
 */

static bool mp_configure(QemuOpts *opts, Error **errp)
{
    static const char *const others[] = { "shift", "align",  "sleep",
                                          "rr",    "rrfile", "rrsnapshot" };
    uint64_t quantum = qemu_opt_get_number(opts, "quantum", 1000);
    uint64_t pace = qemu_opt_get_number(opts, "pace", 0);
    uint64_t threads = qemu_opt_get_number(opts, "threads", 1);

    for (int i = 0; i < ARRAY_SIZE(others); i++) {
        if (qemu_opt_get(opts, others[i])) {
            error_setg(errp, "icount: mode=mp and %s are incompatible",
                       others[i]);
            return false;
        }
    }
    if (quantum < 1 || quantum > MP_MAX_QUANTUM_NS) {
        error_setg(errp, "icount: quantum must be between 1 and %d ns",
                   MP_MAX_QUANTUM_NS);
        return false;
    }
    if (pace > MP_MAX_PACE) {
        error_setg(errp, "icount: pace must be between 0 and %d", MP_MAX_PACE);
        return false;
    }

    if (threads < 1 || threads > MP_MAX_THREADS) {
        error_setg(errp, "icount: threads must be between 1 and %d",
                   MP_MAX_THREADS);
        return false;
    }

    mp.nr_threads = threads;
    mp.quantum_ns = quantum;
    mp.pace = pace;
    mp.pause_at = MP_NEVER;
    QSIMPLEQ_INIT(&mp.points);
    mp_set_hz(NANOSECONDS_PER_SECOND);
    qemu_cond_init(&gate.cond);
    device_requests_at_points(qemu_in_vcpu_thread);
    return true;
}

static void mp_init_accel(AccelOpsClass *ops)
{
    ops->handle_interrupt = mp_handle_interrupt;
    ops->kick_vcpu_thread = mp_kick_vcpu_thread;
    ops->get_virtual_clock = mp_get_ns;
    ops->get_elapsed_ticks = mp_time_now;
}

const ICountModeOps mp_time_icount_ops = {
    .name = "mp",
    .mode = ICOUNT_MP,
    .configure = mp_configure,
    .init_accel = mp_init_accel,
    .cpu_thread_fn = mp_cpu_thread_fn,
    .get_raw = mp_time_now,
    .timer_armed = mp_timer_armed,
    .bh_scheduled = mp_bh_scheduled,
    .main_loop_poll = mp_main_loop_poll,
    .main_loop_dispatch = mp_main_loop_dispatch,
};
