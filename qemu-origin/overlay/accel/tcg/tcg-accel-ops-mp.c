/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: each vCPU has a clock of its own.  The clocks advance in
 * parallel, and all vCPUs run up to the end of the same quantum.
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * The interface and its semantics are in include/system/mp-time.h.  What is here:
 * the ends of quanta, timers, and the gate to the main loop.  The clocks are in
 * mp-clock.c, how the vCPUs of a quantum run is in mp-workers.c.
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
#include "exec/tb-flush.h"
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
#include "mp-accel.h"
#include "internal-common.h"
#include "mp-internal.h"
#include "tb-context.h"

/*
 * The main loop passes the gate once in this much machine time.  That bounds
 * the latency of the monitor and of input, and costs one poll() if there is
 * nothing to do.
 */
#define MP_SYNC_NS (1 * SCALE_MS)

/* If only one vCPU can run, its quantum is so many times longer. */
#define MP_LONE_QUANTA 64

/*
 * So many passes of the main loop are made at most in one sync, because bottom
 * halves may schedule each other for ever.
 */
#define MP_SYNC_PASSES 64

/* The longest quantum that the option accepts: 1 ms */
#define MP_MAX_QUANTUM_NS 1000000
#define MP_MAX_PACE       1000000

/* A machine that has been idle for so long slows down to the host's pace. */
#define MP_PACE_NS (10 * NANOSECONDS_PER_SECOND)
/* It is not idle if it computes for so long without a pause. */
#define MP_BUSY_NS (1 * NANOSECONDS_PER_SECOND)

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

/*
 * tcg_ctx of the thread of the vCPUs, for the thread that replaces it after a
 * fork()
 */
static TCGContext *mp_tcg_ctx;

/*
 * The time that a vCPU may read
 */

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
    qatomic_store_release(&mp.kicked, true);
    qemu_cond_broadcast(cpu->halt_cond);
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

/* Would the main loop find something to do now? */
static bool mp_gate_ready(void)
{
    GPollFD *fds;

    if (gate.state != GATE_POLLING) {
        return true;
    }
    fds = g_newa(GPollFD, gate.nr_fds);
    for (unsigned int i = 0; i < gate.nr_fds; i++) {
        /* Not revents: the main loop's poll may write it meanwhile. */
        fds[i].fd = gate.fds[i].fd;
        fds[i].events = gate.fds[i].events;
        fds[i].revents = 0;
    }
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

void mp_time_at_end(MPTimeFunc *fn, void *opaque)
{
    MPPoint *p = g_new(MPPoint, 1);

    g_assert(mp_time_enabled() && bql_locked());
    *p = (MPPoint){ .fn = fn, .opaque = opaque };
    QSIMPLEQ_INSERT_TAIL(&mp.points, p, next);
}

void mp_time_at_boundary(MPTimeFunc *fn, void *opaque)
{
    mp_time_at_end(fn, opaque);
    if (mp.in_fn || mp_in_guest()) {
        mp_shrink(mp_context_time());
    } else {
        /*
         * The thread of the vCPUs may be waiting for an event, or be stopped.
         */
        qatomic_set(&mp.kicked, true);
        qemu_cond_broadcast(first_cpu->halt_cond);
    }
}

void mp_time_call_main(MPTimeFunc *fn, void *opaque)
{
    gate.call_opaque = opaque;
    gate.call = fn;
    /* The main loop is in poll(), or waits for the gate. */
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

/* Let the main loop do all that it has to do now, and wait until it is done */
static void mp_sync(void)
{
    unsigned int passes = gate.passes;

    if (unlikely(mp.now >= mp.pause_at)) {
        /* The main loop stops the vCPUs when it is let in below. */
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
    /* A debugger may let some vCPUs run while others are stopped. */
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

/*
 * How many times faster than the host's clock does idle time pass, if it does
 * not jump?  A machine that nobody talks to still has timers, and each costs the
 * host some work.  So time slows down to the host's pace when the machine has
 * been idle for long.
 * It is idle as long as no handler of the main loop gives a vCPU work and what
 * the timers start is done soon.
 */
static int64_t mp_pace(int64_t now)
{
    if (now - mp.idle_end > MP_BUSY_NS) {
        mp.idle_begin = now;
    }
    return now - mp.idle_begin < MP_PACE_NS ? mp.pace : 1;
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
        /*
         * Only a handler of the main loop, or a timer that it arms, can give a
         * vCPU work.
         */
        mp_wait(-1);
    } else {
        int64_t start = get_clock(), gone = 0, todo;
        int64_t begin = mp_time_to_ns(mp.now), pace = mp_pace(start);
        int i;

        do {
            todo = mp_time_to_ns(next) - begin - gone;
            todo = next == MP_NEVER ? -1 : DIV_ROUND_UP(todo, pace * SCALE_MS);
            mp_wait(MIN(todo, INT_MAX));
            gone = (get_clock() - start) * pace;
            mp.deadline_valid = false;
            next = MIN(mp_deadline(), mp_next_wake());
        } while (bitmap_empty(mp_active, mp_nr_cpus) && !mp_stopped() &&
                 begin + gone < mp_time_to_ns(next));
        if (begin + gone < mp_time_to_ns(next)) {
            mp.idle_begin = get_clock();
        }
        mp.idle_end = get_clock();
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

/* Run the function of mp_time_at_rest(). */
static void mp_at_rest(void)
{
    MPTimeFunc *fn = mp.rest;

    mp.rest = NULL;
    fn(mp.rest_opaque);
}

/*
 * Is there little room for translated code?  A vCPU that finds none ends its slice,
 * and others come before the rest of it.  So the guest would depend on the size of
 * the buffer.  Empty it between two quanta, while it has room for a quantum's code.
 */
static bool mp_code_scarce(void)
{
    return tcg_ctx->code_gen_ptr >
           tcg_ctx->code_gen_highwater - tcg_ctx->code_gen_buffer_size / 8;
}

static void mp_boundary(void)
{
    bql_lock();
    current_cpu = first_cpu;
    if (unlikely(mp_code_scarce())) {
        tb_flush(first_cpu);
    }
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
    if (unlikely(mp.rest && QSIMPLEQ_EMPTY(&mp.points))) {
        mp_at_rest();
    }
    bql_unlock();
}

/*
 * No vCPU runs in this quantum: all have halted, or have stalled beyond its
 * end.
 */
static void mp_skip(void)
{
    int64_t t = MIN(mp_deadline(), mp_next_wake());
    unsigned long i;

    for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
        t = MIN(t, mp_cpus[i].clock.time);
    }
    qatomic_set_i64(&mp.now, t == MP_NEVER ? mp.rounds.end : MAX(t, mp.now));
}

static void mp_quantum(void)
{
    int64_t deadline = mp_deadline();
    int64_t span = mp_span(mp.now);
    bool lone, ran;
    unsigned long i;

    i = find_first_bit(mp_active, mp_nr_cpus);
    lone = find_next_bit(mp_active, mp_nr_cpus, i + 1) >= mp_nr_cpus;
    mp.rounds.end = mp.now + (lone ? mp.quantum * MP_LONE_QUANTA : span);
    mp.rounds.end = MAX(mp.now, MIN(mp.rounds.end, deadline));
    if (unlikely(!bitmap_empty(mp_posted, mp_nr_cpus))) {
        mp.rounds.end = MIN(mp.rounds.end, MAX(mp_next_wake(), mp.now + span));
        mp_activate_posted();
    }

    rcu_read_lock();
    mp.again = false;
    ran = mp_workers_quantum();
    rcu_read_unlock();

    if (unlikely(mp.brk)) {
        mp.brk = false;
        qatomic_set(&mp.kicked, true);
    } else if (likely(ran)) {
        qatomic_set_i64(&mp.now, mp.rounds.end);
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
                     bitmap_empty(mp_active, mp_nr_cpus) || mp_code_scarce())) {
            mp_boundary();
        }
        mp_quantum();
    }
}

/*
 * The thread of the vCPUs in a child of fork(). mp_loop() depends on the
 * guest's state only, so it goes on from there.
 */
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

    mp_workers_start();
    mp_loop();
}

void mp_time_before_fork(void)
{
    mp_workers_rest();
}

void mp_time_forked(unsigned threads)
{
    mp.nr_threads = threads;
    /* The threads that waited for these are in the parent. */
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
    qemu_register_reset(mp_drop_posts, NULL);
    qemu_add_vm_change_state_handler(mp_vm_changed, NULL);
    cpu_thread_signal_created(cpu);
    qemu_guest_random_seed_thread_part2(cpu->random_seed);
    current_cpu = first_cpu;
    mp.kicked = true;
    bql_unlock();

    mp_workers_start();
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

    mp_workers_init();
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
