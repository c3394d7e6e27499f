/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time on more than one host thread
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * system/mp-time.h says what a round and a stop are.
 *
 *      round        phase: all run         serial part
 *   cpu0 (thread 0) ======* stop           act
 *   cpu1 (thread 1) ==========* stop                act
 *   cpu2 (thread 0)        ====* stop          act
 *   cpu3 (thread 1)        ==================| end of the quantum
 *
 * A vCPU stops in the middle of a helper, so each has a stack of its own, a fiber.
 * QEMU's coroutines would not do: devices behave differently in one.  In a phase
 * each thread takes the next vCPU of a list.  The first thread does the serial
 * part.  Where a vCPU has to go on by itself, that thread runs its fiber, too.  A
 * phase with few vCPUs is not worth waking others: the first thread does all.
 *
 * What happens depends on the state of the guest only:
 *   - a vCPU's stops depend on its own state, which no other changes in a phase
 *   - acts are done in the order of their keys, then of vCPUs
 *   - what no guest sees (translating code) is done within a phase
 *
 * The first thread holds the RCU read lock during a quantum, for all.
 *
 * Left out: hosts whose compilers keep the addresses of thread-local variables in
 * registers.  There a fiber could not move to another thread.
 */

/* siglongjmp() goes from one stack to another. */
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 0

#include "qemu/osdep.h"
#include <ucontext.h>
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "qemu/memalign.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "qemu/units.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "tcg/tcg.h"
#include "tcg-accel-ops-mp.h"
#include "internal-common.h"
#include "mp-internal.h"

#define MP_STACK_SIZE (1 * MiB)

/*
 * Look so often whether another thread is ready before sleeping: some 50 us.  Not
 * with cpu_relax(): a hypervisor may take that for a reason to run somebody else.
 */
#define MP_POLLS 50000

/* With fewer vCPUs a phase is not shared. */
#define MP_WORTH_SHARING 6

/* Lines of this round are noted in a map of so many bits. */
#define MP_LINE_BITS 12

enum {
    MP_REST,    /* at the end of the quantum, or halted */
    MP_READY,   /* runs in the next phase */
    MP_STOPPED, /* has a stop */
    MP_POSTS,   /* posted functions are due */
    MP_HALTED,  /* has just halted */
    MP_ALONE,   /* in mp_time_begin_alone() */
    MP_ODD,     /* its slice has ended for an unusual reason */
};

typedef struct MPFiber {
    sigjmp_buf env;
    void *stack;
    size_t size;
} MPFiber;

typedef struct MPWorker {
    QemuThread thread;
    sigjmp_buf env; /* where the fiber that it runs returns to */
} MPWorker;

static MPWorker mp_workers[MP_MAX_THREADS];
static TCGContext *mp_shared_tcg_ctx;

static __thread MPWorker *mp_self;

/*
 * The phase under way, in one word so that a thread that comes late takes nothing
 * of the wrong phase: its number, how many vCPUs it has, how many are taken.
 */
#define MP_PHASE_COUNT 16
#define MP_PHASE_EPOCH 32
static uint64_t mp_offer QEMU_ALIGNED(64);
/* How many of them are done */
static unsigned int mp_finished QEMU_ALIGNED(64);
/* Threads that sleep until the next phase with many vCPUs */
static unsigned int mp_asleep;
/* The first thread sleeps until all are done. */
static bool mp_first_asleep;
static QemuMutex mp_lock;
static QemuCond mp_wake_up, mp_phase_end;

/* vCPUs of the next phase, and of the one under way */
static MPCpu *mp_ready[MP_TIME_MAX_CPUS], *mp_running[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_ready, mp_nr_running;
/* vCPUs that have stopped, or have posts */
static MPCpu *mp_pending[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_pending;
/* vCPUs that want to be alone */
static MPCpu *mp_alone[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_alone;
/* Lines of the acts of this round */
static uint64_t mp_lines[(1 << MP_LINE_BITS) / 64];
/* Some vCPU has run in this quantum. */
static bool mp_ran;
/* No vCPU that is ready, or has to wait, does anything before it. */
static int64_t mp_lowest;

/*
 * Fibers
 */

/* Work for @mc, in its fiber or in its name */
static void mp_become(MPCpu *mc)
{
    current_cpu = mc->clock.cpu;
    mp_current = mc;
    mp_time_clock = &mc->clock;
}

static void mp_become_nobody(void)
{
    mp_current = NULL;
    mp_time_clock = NULL;
}

/* In a fiber: back to the thread, until it enters the fiber again */
static void __attribute__((noinline)) mp_fiber_leave(MPFiber *f)
{
    if (!sigsetjmp(f->env, 0)) {
        siglongjmp(mp_self->env, 1);
    }
}

static void mp_slice_over(int reason)
{
    MPCpu *mc = mp_current;

    qatomic_set(&mc->clock.cpu->running, false);
    if (mc->clock.budget) {
        mp_set_count(mc, 0);
    }
    mc->reason = reason;
    mc->held |= mc->out;
    mc->inside = mc->out = mc->token = false;
    mp_fiber_leave(mc->fiber);
}

/* Guest code has left by siglongjmp() to its vCPU's jmp_env. */
static void __attribute__((noinline)) mp_fiber_again(void)
{
    MPCpu *mc = mp_current;
    CPUState *cpu = mc->clock.cpu;

    if (mc->token && mc->soft) {
        mp_time_end_alone(cpu);
    }
    mp_slice_over(mc->waiting || mc->out ? cpu_exec_turn_end(cpu)
                                         : cpu_exec_turn_again(cpu));
}

/* Never returns, so that the jmp_env stays valid. */
static void mp_fiber_main(void)
{
    if (sigsetjmp(mp_current->clock.cpu->jmp_env, 0)) {
        mp_fiber_again();
    }
    while (true) {
        mp_slice_over(cpu_exec_turn(mp_current->clock.cpu));
    }
}

/* The context to return to when a fiber has been made */
static __thread ucontext_t mp_maker;

static void mp_fiber_begin(void)
{
    MPFiber *f = mp_current->fiber;

    if (!sigsetjmp(f->env, 0)) {
        setcontext(&mp_maker);
    }
    mp_fiber_main();
}

static void mp_fiber_new(MPCpu *mc)
{
    MPFiber *f = g_new0(MPFiber, 1);
    ucontext_t uc;

    f->size = MP_STACK_SIZE;
    f->stack = qemu_alloc_stack(&f->size);
    if (getcontext(&uc) < 0) {
        abort();
    }
    uc.uc_link = NULL;
    uc.uc_stack.ss_sp = f->stack;
    uc.uc_stack.ss_size = f->size;
    makecontext(&uc, mp_fiber_begin, 0);
    mc->fiber = f;
    swapcontext(&mp_maker, &uc);
}

/* Run @mc until it stops or its slice is over. */
static void __attribute__((noinline)) mp_fiber_enter(MPCpu *mc)
{
    mp_become(mc);
    if (unlikely(!mc->fiber)) {
        mp_fiber_new(mc);
    }
    mp_time_in_fiber = true;
    if (!sigsetjmp(mp_self->env, 0)) {
        siglongjmp(mc->fiber->env, 1);
    }
    mp_time_in_fiber = false;
    mp_become_nobody();
}

/*
 * What a vCPU does in a phase
 */

/* Why @mc cannot begin another slice, MP_READY: it can */
static unsigned int mp_why_not(MPCpu *mc)
{
    CPUState *cpu = mc->clock.cpu;

    if (unlikely(mc->clock.time >= mc->next_post)) {
        return MP_POSTS;
    }
    if (mc->clock.time >= mp.end ||
        unlikely(mp.brk || mc->waiting || mc->held ||
                 !QSIMPLEQ_EMPTY_ATOMIC(&cpu->work_list))) {
        return MP_REST;
    }
    return likely(mp_runnable(cpu)) ? MP_READY : MP_HALTED;
}

static void mp_turn(MPCpu *mc)
{
    CPUState *cpu = mc->clock.cpu;

    do {
        if (!mc->inside) {
            mc->phase = mp_why_not(mc);
            if (mc->phase != MP_READY) {
                return;
            }
            mc->inside = true;
            qatomic_set(&cpu->running, true);
        }
        if (!mc->out) {
            mp_set_count(mc, 0);
            mp_give(mc);
        }
        qatomic_set(&mp_ran, true);
        mp_fiber_enter(mc);
        if (mc->inside) {
            return; /* It has set its phase. */
        }
    } while (likely(mc->reason != EXCP_DEBUG && mc->reason != EXCP_ATOMIC &&
                    !cpu->stop));
    mc->phase = MP_ODD;
}

/* Run vCPUs of the phase under way until all are taken. */
static void mp_work(void)
{
    while (true) {
        uint64_t offer = qatomic_fetch_inc(&mp_offer);
        unsigned int i = extract64(offer, 0, MP_PHASE_COUNT);

        if (i >= extract64(offer, MP_PHASE_COUNT, MP_PHASE_COUNT)) {
            return;
        }
        mp_turn(mp_running[i]);
        qatomic_inc(&mp_finished);
        if (unlikely(qatomic_read(&mp_first_asleep))) {
            qemu_mutex_lock(&mp_lock);
            qemu_cond_signal(&mp_phase_end);
            qemu_mutex_unlock(&mp_lock);
        }
    }
}

/* Wait until another phase than @epoch is offered; returns its number. */
static uint32_t mp_await_phase(uint32_t epoch)
{
    uint32_t now;

    for (int i = 0; i < MP_POLLS; i++) {
        now = qatomic_read(&mp_offer) >> MP_PHASE_EPOCH;
        if (now != epoch) {
            return now;
        }
        barrier();
    }
    qemu_mutex_lock(&mp_lock);
    qatomic_inc(&mp_asleep);
    while ((now = qatomic_read(&mp_offer) >> MP_PHASE_EPOCH) == epoch) {
        qemu_cond_wait(&mp_wake_up, &mp_lock);
    }
    qatomic_dec(&mp_asleep);
    qemu_mutex_unlock(&mp_lock);
    return now;
}

static void *mp_worker_fn(void *opaque)
{
    uint32_t epoch = 0;

    mp_self = opaque;
    qemu_thread_runs_all_cpus = true;
    rcu_register_thread();
    tcg_ctx = mp_shared_tcg_ctx;
    while (true) {
        epoch = mp_await_phase(epoch);
        mp_work();
    }
    return NULL;
}

static void mp_start(void)
{
    mp_shared_tcg_ctx = tcg_ctx;
    mp_self = &mp_workers[0];
    qemu_thread_runs_all_cpus = true;
    qemu_mutex_init(&mp_lock);
    qemu_cond_init(&mp_wake_up);
    qemu_cond_init(&mp_phase_end);
    for (unsigned int i = 1; i < mp.nr_threads; i++) {
        g_autofree char *name = g_strdup_printf("CPUs %u/TCG", i);

        qemu_thread_create(&mp_workers[i].thread, name, mp_worker_fn,
                           &mp_workers[i], QEMU_THREAD_DETACHED);
    }
}

/* Wait until all vCPUs of the phase are done. */
static void mp_await_end(void)
{
    for (int i = 0; i < MP_POLLS; i++) {
        if (qatomic_load_acquire(&mp_finished) == mp_nr_running) {
            return;
        }
    }
    qemu_mutex_lock(&mp_lock);
    qatomic_set_mb(&mp_first_asleep, true);
    while (qatomic_load_acquire(&mp_finished) != mp_nr_running) {
        qemu_cond_wait(&mp_phase_end, &mp_lock);
    }
    qatomic_set(&mp_first_asleep, false);
    qemu_mutex_unlock(&mp_lock);
}

/* Offer the phase to all threads, and do what they leave. */
static void mp_share_phase(void)
{
    static uint64_t epoch;

    qatomic_set(&mp_finished, 0);
    epoch += 1ull << MP_PHASE_EPOCH;
    qatomic_xchg(&mp_offer, epoch | (uint64_t)mp_nr_running << MP_PHASE_COUNT);
    if (unlikely(qatomic_read(&mp_asleep))) {
        qemu_mutex_lock(&mp_lock);
        qemu_cond_broadcast(&mp_wake_up);
        qemu_mutex_unlock(&mp_lock);
    }
    mp_work();
    mp_await_end();
}

static void mp_phase(void)
{
    memcpy(mp_running, mp_ready, mp_nr_ready * sizeof(*mp_ready));
    mp_nr_running = mp_nr_ready;
    mp_nr_ready = 0;
    mp.alone = mp_nr_running == 1 && !mp_nr_pending;
    mp.horizon = mp.end;
    if (mp.nr_threads > 1 && mp_nr_running >= MP_WORTH_SHARING) {
        mp_share_phase();
    } else {
        for (unsigned int i = 0; i < mp_nr_running; i++) {
            mp_turn(mp_running[i]);
        }
    }
    mp.alone = false;
}

/* Let @mc go on by itself until it stops again. */
static void mp_give_token(MPCpu *mc, bool soft)
{
    mc->token = true;
    mc->soft = soft;
    mp_turn(mc);
    mc->token = mc->soft = false;
}

/*
 * Stops
 */

bool mp_time_fiber_must_stop(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_current;
    MPTimeWhere w;

    if (mp.alone) {
        return false;
    }
    return !mc->token || !mp_time_where(cpu, ra, &w) ||
           w.insns != mc->token_insns;
}

static void mp_stop_as(MPCpu *mc, unsigned int phase)
{
    mc->phase = phase;
    mp_fiber_leave(mc->fiber);
}

void mp_time_stop(MPTimeStop *s)
{
    MPCpu *mc = mp_current;
    MPTimeWhere w;

    s->cpu = mc->clock.cpu;
    if (mp_time_where(s->cpu, s->ra, &w)) {
        mc->reached = w.ticks - mc->clock.cost;
        mc->token_insns = w.insns;
    } else {
        mc->reached = mp_local(mc, 0);
        mc->token_insns = 0;
    }
    mp_set_count(mc, 0);
    mc->stop = s;
    mp_stop_as(mc, MP_STOPPED);
    mc->stop = NULL;
    if (unlikely(mc->out)) {
        cpu_restore_state(s->cpu, s->ra);
        mp_set_count(mc, 0);
        cpu_loop_exit_noexc(s->cpu);
    }
}

static void mp_stop_for_token(void)
{
    MPTimeStop s = {
        .line = MP_TIME_NO_LINE,
        .key = mp_local(mp_current, 0),
    };

    g_assert(!bql_locked());
    mp_time_stop(&s);
}

void mp_time_begin_alone(CPUState *cpu)
{
    if (mp_beside_others()) {
        mp_set_count(mp_current, 0);
        mp_stop_as(mp_current, MP_ALONE);
    }
}

void mp_time_end_alone(CPUState *cpu)
{
    MPCpu *mc = mp_current;

    if (mp_time_in_fiber && mc->token && mc->soft) {
        mp_set_count(mc, 0);
        mp_stop_as(mc, MP_READY);
    }
}

/*
 * The serial part
 */

static void mp_make_ready(MPCpu *mc, int64_t reached)
{
    mc->phase = MP_READY;
    mc->reached = reached;
    mp_lowest = MIN(mp_lowest, reached);
    mp_ready[mp_nr_ready++] = mc;
}

static void mp_make_pending(MPCpu *mc)
{
    mp_pending[mp_nr_pending++] = mc;
}

/* @mc has run: what now? */
static void mp_sort_out(MPCpu *mc)
{
    CPUState *cpu = mc->clock.cpu;

    switch (mc->phase) {
    case MP_READY:
        mp_make_ready(mc, mc->clock.time);
        break;
    case MP_STOPPED:
        mp_make_pending(mc);
        break;
    case MP_POSTS:
        mc->reached = mc->clock.time;
        mp_make_pending(mc);
        break;
    case MP_HALTED:
        mc->idle = true;
        if (mc->next_post < mp.end && cpu->halted) {
            mc->clock.time = MAX(mc->clock.time, mc->next_post);
            mc->reached = mc->clock.time;
            mc->phase = MP_POSTS;
            mp_make_pending(mc);
        } else {
            mc->phase = MP_REST;
            clear_bit(cpu->cpu_index, mp_active);
        }
        break;
    case MP_ALONE:
        mp_alone[mp_nr_alone++] = mc;
        break;
    case MP_ODD:
        mp_become(mc);
        mp_slice_reason(mc, mc->reason);
        mp_become_nobody();
        mp_make_ready(mc, mc->clock.time);
        break;
    }
}

/* Run phases until all vCPUs have a stop that matters, or are at rest. */
static void mp_run_ready(void)
{
    while (mp_nr_ready) {
        mp_phase();
        mp_lowest = MP_NEVER;
        for (unsigned int i = 0; i < mp_nr_running; i++) {
            mp_sort_out(mp_running[i]);
        }
        for (unsigned int i = 0; i < mp_nr_alone; i++) {
            mp_give_token(mp_alone[i], true);
            mp_sort_out(mp_alone[i]);
        }
        mp_nr_alone = 0;
    }
}

static bool mp_line_noted(uint64_t line, bool note)
{
    unsigned int bit =
        (line ^ line >> MP_LINE_BITS) & MAKE_64BIT_MASK(0, MP_LINE_BITS);
    bool noted = mp_lines[bit / 64] >> bit % 64 & 1;

    if (note) {
        mp_lines[bit / 64] |= 1ull << bit % 64;
    }
    return noted;
}

/* Is @mc's turn in this round? */
static bool mp_may_act(const MPCpu *mc)
{
    const MPTimeStop *s = mc->stop;

    if (s->line != MP_TIME_NO_LINE && mp_line_noted(s->line, false)) {
        return false;
    }
    switch (s->order) {
    case MP_TIME_ALL:
        return s->key <= mp_lowest && s->key <= mp.end;
    case MP_TIME_PARTNER: {
        const MPCpu *other = &mp_cpus[s->partner->cpu_index];

        /* If it is at rest it does not come before the end of the quantum. */
        return other->phase == MP_REST ||
               (other->phase == MP_READY ? other->reached : other->mark) >=
                   s->key;
    }
    default:
        return true;
    }
}

static void mp_act(MPCpu *mc)
{
    MPTimeStop *s = mc->stop;
    int64_t before = mc->clock.time;

    if (!s->act) {
        mp_give_token(mc, false);
        mp_sort_out(mc);
        return;
    }
    mp_become(mc);
    s->act(s);
    mp_become_nobody();
    if (s->line != MP_TIME_NO_LINE) {
        mp_line_noted(s->line, true);
    }
    mp_make_ready(mc, mc->reached + mc->clock.time - before);
}

/* Have a vCPU leave its slice before the instruction under way. */
static void mp_send_out(MPCpu *mc)
{
    mc->out = true;
    mp_make_ready(mc, MP_NEVER);
}

/* Pending vCPUs in the order of their keys, then of their indices */
static void mp_sort_pending(void)
{
    for (unsigned int i = 1; i < mp_nr_pending; i++) {
        MPCpu *mc = mp_pending[i];
        unsigned int j = i;

        while (j > 0 && (mp_pending[j - 1]->mark > mc->mark ||
                         (mp_pending[j - 1]->mark == mc->mark &&
                          mp_pending[j - 1] > mc))) {
            mp_pending[j] = mp_pending[j - 1];
            j--;
        }
        mp_pending[j] = mc;
    }
}

/* Find out what pending vCPUs wait for; who must not go on is sent out. */
static void mp_look(void)
{
    unsigned int n = mp_nr_pending;

    mp_nr_pending = 0;
    for (unsigned int i = 0; i < n; i++) {
        MPCpu *mc = mp_pending[i];
        MPTimeStop *s = mc->stop;
        int64_t before = mc->clock.time;
        bool out = false;

        if (mc->phase == MP_POSTS) {
            mc->mark = mc->clock.time;
        } else {
            if (s->look) {
                mp_become(mc);
                out = s->look(s);
                mp_become_nobody();
                mc->reached += mc->clock.time - before;
            }
            mc->mark = s->key;
        }
        if (out) {
            mp_send_out(mc);
        } else {
            mp_make_pending(mc);
        }
    }
    mp_sort_pending();
}

/*
 * Do what pending vCPUs have stopped for, as far as it is their turn.  False: it
 * was nobody's.
 */
static bool mp_take(void)
{
    static MPCpu *todo[MP_TIME_MAX_CPUS];
    unsigned int n, acts = 0;

    mp_look();
    n = mp_nr_pending;
    memcpy(todo, mp_pending, n * sizeof(*todo));
    mp_nr_pending = 0;
    memset(mp_lines, 0, sizeof(mp_lines));
    mp.horizon = MP_NEVER;
    for (unsigned int i = 0; i < n; i++) {
        MPCpu *mc = todo[i];

        if (mc->phase == MP_POSTS) {
            mp_run_posts(mc);
            mp_make_ready(mc, mc->clock.time);
            acts++;
        } else if (mp_may_act(mc)) {
            mp_act(mc);
            acts++;
        } else {
            mp_lowest = MIN(mp_lowest, mc->mark);
            mp_make_pending(mc);
        }
        /* An act may have woken somebody. */
        mp_lowest = MIN(mp_lowest, mp.horizon);
    }
    return acts;
}

/* vCPUs that were woken in this quantum run in it. */
static void mp_take_woken(void)
{
    MPCpu *mc;
    unsigned long i;

    if (mp.again) {
        mp.again = false;
        for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
             i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
            mc = &mp_cpus[i];
            if (mc->phase == MP_REST && mp_why_not(mc) != MP_REST) {
                mp_make_ready(mc, mc->clock.time);
            }
        }
    }
    mc = mp_peek_waiting();
    if (mc && !mp_nr_ready && !mp_nr_pending && mc->key <= mp.end && !mp.brk) {
        mp_make_ready(mp_next_waiting(), mc->clock.time);
    }
}

static bool mp_rounds(void)
{
    unsigned long i;
    bool acted;

    mp.passed = true;
    mp_ran = false;
    mp_nr_ready = mp_nr_pending = 0;
    for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
        mp_cpus[i].held = false;
        mp_make_ready(&mp_cpus[i], mp_cpus[i].clock.time);
    }
    while (mp_nr_ready || mp_nr_pending) {
        mp_run_ready();
        mp_lowest = MP_NEVER;
        acted = mp_take();
        mp_take_woken();
        if (!mp_nr_ready && !acted) {
            /* They wait for a time beyond the end of the quantum. */
            unsigned int n = mp_nr_pending;

            mp_nr_pending = 0;
            for (i = 0; i < n; i++) {
                mp_send_out(mp_pending[i]);
            }
        }
    }
    return mp_ran;
}

static const MPRounds mp_rounds_ops = {
    .start = mp_start,
    .quantum = mp_rounds,
    .stop_for_token = mp_stop_for_token,
};

static void __attribute__((constructor)) mp_register(void)
{
    mp_set_rounds(&mp_rounds_ops);
}
