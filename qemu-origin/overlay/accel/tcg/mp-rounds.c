/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: how the vCPUs of a quantum run, on one or more host threads
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
 * A vCPU stops in the middle of a helper, so vCPUs run on stacks that can be left
 * there, fibers.  QEMU's coroutines would not do: devices behave differently in one.
 * A thread runs one vCPU after the other on the same fiber.  If one stops, it keeps
 * that fiber to the end of its slice, and the thread takes another.
 *
 * Each vCPU belongs to a thread, so that what it needs stays in that processor's
 * caches.  In a phase each thread runs its own vCPUs, then those that others have
 * not begun.  The first thread does the serial part.  Where a vCPU has to go on by
 * itself, that thread runs it, too.  A phase with few vCPUs is not worth waking
 * others: the first thread runs them one after the other (mp_small_phase()).
 *
 * What happens depends on the state of the guest only:
 *   - in a shared phase a vCPU's stops depend on its own state, which no other
 *     changes, and on how far the others had come when the phase began; in a phase
 *     with few vCPUs on the clocks of the others
 *   - acts are done in the order of their keys, then of vCPUs
 *   - what no guest sees (translating code) is done within a phase
 *
 * Without a memory model nothing says who may touch a line, so there the first thread
 * runs all vCPUs, one after the other (mp_time_share()).
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
 * Stacks begin at the same place of a page.  So that they do not compete for the
 * same sets of the host's caches, each begins so much lower than the one before.
 */
#define MP_STACK_STEP  1088
#define MP_STACK_STEPS 64

/*
 * Look so often whether another thread is ready before sleeping: some 50 us.  Not
 * with cpu_relax(): a hypervisor may take that for a reason to run somebody else.
 */
#define MP_POLLS 50000

/* A thread keeps so many fibers for itself. */
#define MP_UNUSED 32

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
    MP_OUT,     /* must not go on in this quantum */
    MP_ODD,     /* its slice has ended for an unusual reason */
};

/*
 * Where to go on on another stack.  siglongjmp() would be a good part of a turn:
 * it mangles addresses and looks for handlers to run.
 */
typedef void *MPPlace[5];

/* A function of its own, because the builtins do not work in the same one. */
static G_NORETURN void __attribute__((noinline)) mp_go_on(MPPlace p)
{
    __builtin_longjmp(p, 1);
}

typedef struct MPFiber MPFiber;
struct MPFiber {
    MPPlace env;        /* where it goes on */
    sigjmp_buf jmp_env; /* where it goes on if guest code leaves */
    void *stack;
    size_t size;
    MPFiber *next; /* in MPWorker.unused or mp_spare */
};

typedef struct MPWorker {
    /*
     * Its part of the phase under way, in one word so that a thread that comes
     * late takes nothing of the wrong phase: the phase's number, how many vCPUs
     * there are, how many are taken.
     */
    uint64_t QEMU_ALIGNED(64) offer;
    /* The vCPUs that it has run in this phase and that are not at rest now */
    unsigned long QEMU_ALIGNED(64) left[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];
    MPCpu *list[MP_TIME_MAX_CPUS];
    unsigned int nr;
    /* The phase's next vCPU, when a turn is over or there was none; NULL: no more */
    MPCpu *(*next)(MPCpu *done);
    unsigned int done; /* vCPUs that it has run in this phase */
    unsigned int from; /* so many workers' lists are taken, its own first */
    MPPlace env;       /* its own stack */
    MPFiber *unused;   /* fibers on which no vCPU stands */
    unsigned int nr_unused;
    QemuThread thread;
} MPWorker;

#define MP_PHASE_COUNT 16
#define MP_PHASE_EPOCH 32

static MPWorker mp_workers[MP_MAX_THREADS];
static TCGContext *mp_shared_tcg_ctx;

static __thread MPWorker *mp_self;

/* Fibers that any thread may take: often one thread enters them, another leaves. */
static MPFiber *mp_spare;
static QemuSpin mp_spare_lock;

/* How many vCPUs of the phase are done */
static unsigned int mp_finished QEMU_ALIGNED(64);
/* Threads that sleep until the next phase with many vCPUs */
static unsigned int mp_asleep QEMU_ALIGNED(64);
/* The first thread sleeps until all are done. */
static bool mp_first_asleep;
static QemuMutex mp_lock;
static QemuCond mp_wake_up, mp_phase_end;

/* vCPUs of the next phase, and of the one under way */
static DECLARE_BITMAP(mp_ready, MP_TIME_MAX_CPUS);
static DECLARE_BITMAP(mp_running, MP_TIME_MAX_CPUS);
static unsigned int mp_nr_ready, mp_nr_running;
/* vCPUs that have stopped, or have posts, but for those in mp_waiting */
static MPCpu *mp_pending[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_pending;
/*
 * vCPUs with stops of MP_TIME_ALL, in the order of their marks, then of their
 * indices.  Many may wait for a line that they contest, and only the first ones
 * can act in a round.  The marks stand here so that nobody looks at the others.
 */
typedef struct MPWaiting {
    int64_t mark;
    MPCpu *mc;
} MPWaiting;
static MPWaiting mp_waiting_room[4 * MP_TIME_MAX_CPUS];
static MPWaiting *mp_waiting = mp_waiting_room; /* the first */
static unsigned int mp_nr_waiting;
/* vCPUs that want to be alone */
static MPCpu *mp_alone[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_alone;
/*
 * Lines of the acts of this round: in [0] of acts that are shared, in [1] of the
 * others.  Then the words that are not 0.
 */
static uint64_t mp_lines[2][(1 << MP_LINE_BITS) / 64];
static uint64_t *mp_lines_used[MP_TIME_MAX_CPUS];
static unsigned int mp_nr_lines_used;
/* The quantum's number and the round's, from 1 */
static uint64_t mp_quantum_nr, mp_round_nr = 1;
/* Some vCPU has run in it. */
static bool mp_ran;
/* No vCPU that is ready, or has to wait, does anything before it. */
static int64_t mp_lowest;
/* During a phase with many vCPUs: none does anything before it. */
static int64_t mp_floor;

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

/* Why @mc cannot begin another slice, MP_READY: it can */
static unsigned int mp_why_not(MPCpu *mc)
{
    CPUState *cpu = mc->clock.cpu;

    if (unlikely(mc->clock.time >= mc->next_post)) {
        return MP_POSTS;
    }
    if (mc->clock.time >= mp.end ||
        unlikely(mp.brk || mc->held == mp_quantum_nr ||
                 !QSIMPLEQ_EMPTY_ATOMIC(&cpu->work_list))) {
        return MP_REST;
    }
    return likely(mp_runnable(cpu)) ? MP_READY : MP_HALTED;
}

/* The next vCPU that has something to run: @mc if it has, else the phase's next one */
static MPCpu *mp_find(MPCpu *mc)
{
    while (mc && !mc->inside) {
        mc->phase = mp_why_not(mc);
        if (mc->phase == MP_READY) {
            break;
        }
        mc = mp_self->next(mc);
    }
    return mc;
}

/* @mc begins its slice, or goes on in it, on the stack @f. */
static void mp_go_in(MPCpu *mc, MPFiber *f)
{
    CPUState *cpu = mc->clock.cpu;

    if (!mc->inside) {
        mc->inside = true;
        qatomic_set(&cpu->running, true);
        if (mc->fiber != f) {
            mc->fiber = f;
            memcpy(&cpu->jmp_env, &f->jmp_env, sizeof(f->jmp_env));
        }
    }
    if (!mc->out) {
        mp_set_count(mc, 0);
        mp_give(mc);
    }
    if (unlikely(!qatomic_read(&mp_ran))) {
        qatomic_set(&mp_ran, true);
    }
    mp_become(mc);
    mp_time_in_fiber = true;
}

static MPFiber *mp_fiber_new(void);

static MPFiber *mp_fiber_take(void)
{
    MPWorker *w = mp_self;
    MPFiber *f = w->unused;

    if (likely(f)) {
        w->unused = f->next;
        w->nr_unused--;
        return f;
    }
    qemu_spin_lock(&mp_spare_lock);
    f = mp_spare;
    if (f) {
        mp_spare = f->next;
    }
    qemu_spin_unlock(&mp_spare_lock);
    return f ? f : mp_fiber_new();
}

/*
 * No vCPU stands on @f any more, but the caller does.  So other threads may get
 * another one.
 */
static void mp_fiber_put(MPFiber *f)
{
    MPWorker *w = mp_self;

    f->next = w->unused;
    w->unused = f;
    if (unlikely(++w->nr_unused > MP_UNUSED)) {
        MPFiber *other = f->next;

        f->next = other->next;
        w->nr_unused--;
        qemu_spin_lock(&mp_spare_lock);
        other->next = mp_spare;
        mp_spare = other;
        qemu_spin_unlock(&mp_spare_lock);
    }
}

/* Get a stack for @mc, which goes on there. */
static MPFiber *mp_fiber_for(MPCpu *mc)
{
    MPFiber *f = mc->inside ? mc->fiber : mp_fiber_take();

    mp_go_in(mc, f);
    return f;
}

/* In the fiber @f: go on with @mc, or on the thread's own stack if it is NULL */
static void __attribute__((noinline)) mp_fiber_leave(MPFiber *f, MPCpu *mc)
{
    void **to = mc ? mp_fiber_for(mc)->env : mp_self->env;

    if (!__builtin_setjmp(f->env)) {
        mp_go_on(to);
    }
}

/* Run vCPUs: @mc, or the phase's first one if it is NULL, then what next() returns. */
static void __attribute__((noinline))
mp_run(MPCpu *mc, MPCpu *(*next)(MPCpu *done))
{
    MPWorker *w = mp_self;

    w->next = next;
    mc = mp_find(mc ? mc : next(NULL));
    if (mc && !__builtin_setjmp(w->env)) {
        mp_go_on(mp_fiber_for(mc)->env);
    }
}

/* The running vCPU's turn is over. */
static void mp_turn_over(void)
{
    mp_time_in_fiber = false;
    mp_become_nobody();
}

/* A slice is over.  Returns when the fiber has another one to run. */
static void mp_slice_over(int reason)
{
    MPCpu *mc = mp_current;
    MPFiber *f = mc->fiber;
    CPUState *cpu = mc->clock.cpu;

    qatomic_set(&cpu->running, false);
    if (mc->clock.budget) {
        mp_set_count(mc, 0);
    }
    mc->reason = reason;
    /* If only its posted function made it leave, it goes on after that. */
    if (mc->out && mc->clock.time < mc->next_post) {
        mc->held = mp_quantum_nr;
    }
    mc->inside = mc->out = mc->token = false;
    mp_turn_over();
    if (unlikely(reason == EXCP_DEBUG || reason == EXCP_ATOMIC || cpu->stop)) {
        mc->phase = MP_ODD;
        mc = mp_self->next(mc);
    }
    mc = mp_find(mc);
    if (mc && !mc->inside) {
        mp_go_in(mc, f);
        return;
    }
    mp_fiber_put(f);
    mp_fiber_leave(f, mc);
}

/* Guest code has left by siglongjmp() to its vCPU's jmp_env. */
static void __attribute__((noinline)) mp_fiber_again(void)
{
    MPCpu *mc = mp_current;
    CPUState *cpu = mc->clock.cpu;

    mp_time_end_alone(cpu);
    mp_slice_over(mc->out ? cpu_exec_turn_end(cpu) : cpu_exec_turn_again(cpu));
}

/* The context to return to when a fiber has been made */
static __thread ucontext_t mp_maker;
static __thread MPFiber *mp_made;

/* The fiber is made.  Returns when it is entered. */
static void __attribute__((noinline)) mp_fiber_made(MPFiber *f)
{
    if (!__builtin_setjmp(f->env)) {
        setcontext(&mp_maker);
    }
}

/* Never returns, so that the jmp_env stays valid. */
static void mp_fiber_main(void)
{
    MPFiber *f = mp_made;

    if (sigsetjmp(f->jmp_env, 0)) {
        mp_fiber_again();
    } else {
        mp_fiber_made(f);
    }
    while (true) {
        mp_slice_over(cpu_exec_turn(mp_current->clock.cpu));
    }
}

static MPFiber *mp_fiber_new(void)
{
    static unsigned int made;
    MPFiber *f = g_new0(MPFiber, 1);
    ucontext_t uc;

    f->size = MP_STACK_SIZE;
    f->stack = qemu_alloc_stack(&f->size);
    if (getcontext(&uc) < 0) {
        abort();
    }
    uc.uc_link = NULL;
    uc.uc_stack.ss_sp = f->stack;
    uc.uc_stack.ss_size =
        f->size - MP_STACK_STEP * (qatomic_fetch_inc(&made) % MP_STACK_STEPS);
    makecontext(&uc, mp_fiber_main, 0);
    mp_made = f;
    swapcontext(&mp_maker, &uc);
    return f;
}

/* Find out what @mc waits for; true: it must not go on. */
static bool mp_look(MPCpu *mc)
{
    MPTimeStop *s = mc->stop;
    int64_t before = mc->clock.time;
    bool out = false;

    mc->looked = mp_round_nr;
    if (s->look) {
        mp_become(mc);
        out = s->look(s);
        mp_become_nobody();
        mc->reached += mc->clock.time - before;
    }
    mc->mark = s->key;
    return out;
}

/*
 * Phases
 */

/* @mc's turn in a phase is over. */
static void mp_note_turn(MPCpu *mc)
{
    if (mc->phase != MP_REST) {
        set_bit(mc->clock.cpu->cpu_index, mp_self->left);
    }
}

/* The next one of the thread's own vCPUs, then of those that other threads leave */
static MPCpu *mp_next_offered(MPCpu *done)
{
    MPWorker *self = mp_self;

    if (done) {
        mp_note_turn(done);
    }
    for (; self->from < mp.nr_threads; self->from++) {
        unsigned int nr = self - mp_workers + self->from;
        MPWorker *w = &mp_workers[nr % mp.nr_threads];
        uint64_t offer = qatomic_fetch_inc(&w->offer);
        unsigned int i = extract64(offer, 0, MP_PHASE_COUNT);

        if (i < extract64(offer, MP_PHASE_COUNT, MP_PHASE_COUNT)) {
            self->done++;
            return w->list[i];
        }
    }
    return NULL;
}

/* Run vCPUs of the phase under way until all are taken. */
static void mp_work(void)
{
    MPWorker *self = mp_self;

    self->done = self->from = 0;
    mp_run(NULL, mp_next_offered);
    if (!self->done) {
        return;
    }
    qatomic_add(&mp_finished, self->done);
    if (unlikely(qatomic_read(&mp_first_asleep))) {
        qemu_mutex_lock(&mp_lock);
        qemu_cond_signal(&mp_phase_end);
        qemu_mutex_unlock(&mp_lock);
    }
}

/* Wait until another phase than @epoch is offered; returns its number. */
static uint32_t mp_await_phase(uint32_t epoch)
{
    uint32_t now;

    for (int i = 0; i < MP_POLLS; i++) {
        now = qatomic_read(&mp_self->offer) >> MP_PHASE_EPOCH;
        if (now != epoch) {
            return now;
        }
        barrier();
    }
    qemu_mutex_lock(&mp_lock);
    qatomic_inc(&mp_asleep);
    while ((now = qatomic_read(&mp_self->offer) >> MP_PHASE_EPOCH) == epoch) {
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
    /* In a child of fork() nobody sleeps. */
    mp_asleep = 0;
    mp_first_asleep = false;
    qemu_thread_runs_all_cpus = true;
    qemu_spin_init(&mp_spare_lock);
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

/* Offer each thread its vCPUs, and do what they leave. */
static void mp_share_phase(void)
{
    static uint64_t epoch;
    unsigned long i;

    for (i = find_first_bit(mp_running, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_running, mp_nr_cpus, i + 1)) {
        MPWorker *w = &mp_workers[i % mp.nr_threads];

        w->list[w->nr++] = &mp_cpus[i];
    }
    qatomic_set(&mp_finished, 0);
    epoch += 1ull << MP_PHASE_EPOCH;
    for (i = 0; i < mp.nr_threads; i++) {
        MPWorker *w = &mp_workers[i];

        qatomic_xchg(&w->offer, epoch | (uint64_t)w->nr << MP_PHASE_COUNT);
        w->nr = 0;
    }
    if (unlikely(qatomic_read(&mp_asleep))) {
        qemu_mutex_lock(&mp_lock);
        qemu_cond_broadcast(&mp_wake_up);
        qemu_mutex_unlock(&mp_lock);
    }
    mp_work();
    mp_await_end();
}

/* Where @mc goes on; MP_NEVER: it is sent out. */
static int64_t mp_begins(const MPCpu *mc)
{
    return mc->inside ? mc->reached : mc->clock.time;
}

/* A posted function wakes @mc, which has halted, in this quantum. */
static bool mp_will_wake(const MPCpu *mc)
{
    return mc->next_post < mp.end && mc->clock.cpu->halted;
}

/*
 * Where @mc is: nothing that it does before this time can come.  It has run, or is
 * ready to.
 */
static int64_t mp_position(MPCpu *mc)
{
    switch (mc->phase) {
    case MP_REST:
    case MP_OUT:
        return MP_NEVER;
    case MP_HALTED:
        return mp_will_wake(mc) ? MAX(mc->clock.time, mc->next_post) : MP_NEVER;
    case MP_STOPPED:
        if (!mc->looked && mp_look(mc)) {
            mc->phase = MP_OUT;
            return MP_NEVER;
        }
        return mc->mark;
    default:
        return mp_begins(mc);
    }
}

/* When the first of the vCPUs that wait may do something */
static int64_t mp_first_mark(void)
{
    int64_t t = mp_nr_waiting ? mp_waiting[0].mark : MP_NEVER;

    for (unsigned int i = 0; i < mp_nr_pending; i++) {
        t = MIN(t, mp_pending[i]->mark);
    }
    return t;
}

/* The phase under way, if it has few vCPUs */
static struct {
    MPCpu *run[MP_WORTH_SHARING];
    int64_t at[MP_WORTH_SHARING];
    unsigned int nr, taken;
    int64_t rest; /* no vCPU that has run, or waits, does anything before it */
} mp_few;

/* The next one of a few vCPUs.  None comes before the horizon but this one. */
static MPCpu *mp_next_of_few(MPCpu *done)
{
    unsigned int i = mp_few.taken++;

    if (done) {
        mp_note_turn(done);
        mp_few.rest = MIN(mp_few.rest, mp.woken);
        if (i < mp_few.nr) {
            mp_few.rest = MIN(mp_few.rest, mp_position(done));
        }
    }
    if (i == mp_few.nr) {
        return NULL;
    }
    mp.horizon =
        i + 1 < mp_few.nr ? MIN(mp_few.rest, mp_few.at[i + 1]) : mp_few.rest;
    return mp_few.run[i];
}

/*
 * A few vCPUs: one after the other, the one that is the furthest behind first.  None
 * has to stop as long as it is behind all others, which is mp.horizon.
 */
static void mp_small_phase(void)
{
    unsigned int n = 0, j;

    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        for (uint64_t set = mp_running[i]; set; set &= set - 1) {
            MPCpu *mc = &mp_cpus[i * BITS_PER_LONG + ctz64(set)];
            int64_t t = mp_begins(mc);

            for (j = n++; j > 0 && mp_few.at[j - 1] > t; j--) {
                mp_few.run[j] = mp_few.run[j - 1];
                mp_few.at[j] = mp_few.at[j - 1];
            }
            mp_few.run[j] = mc;
            mp_few.at[j] = t;
        }
    }
    mp_few.nr = n;
    mp_few.taken = 0;
    mp_few.rest = mp_first_mark();
    mp.in_order = true;
    mp.woken = MP_NEVER;
    mp_run(NULL, mp_next_of_few);
    mp.in_order = false;
}

/* The next vCPU of a phase of a single thread.  Takes it from mp_running. */
static MPCpu *mp_next_running(MPCpu *done)
{
    if (done) {
        mp_note_turn(done);
    }
    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        uint64_t set = mp_running[i];

        if (set) {
            mp_running[i] = set & (set - 1);
            return &mp_cpus[i * BITS_PER_LONG + ctz64(set)];
        }
    }
    return NULL;
}

static void mp_phase(void)
{
    mp_floor = MIN(mp_lowest, mp_first_mark());
    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        mp_running[i] = mp_ready[i];
        mp_ready[i] = 0;
    }
    mp_nr_running = mp_nr_ready;
    mp_nr_ready = 0;
    if (mp_nr_running < MP_WORTH_SHARING) {
        mp_small_phase();
    } else if (mp.nr_threads > 1 && mp.shared) {
        mp_share_phase();
    } else {
        mp_run(NULL, mp_next_running);
    }
}

static MPCpu *mp_next_nobody(MPCpu *done)
{
    return NULL;
}

/* Let @mc go on by itself until it stops again. */
static void mp_give_token(MPCpu *mc, bool soft)
{
    mc->token = true;
    mc->soft = soft;
    mp_run(mc, mp_next_nobody);
    mc->token = mc->soft = false;
}

/*
 * Stops
 */

/* The number of the last instruction of the block under way */
static uint64_t mp_block(const MPCpu *mc)
{
    return mc->insns + mc->clock.budget - mp_time_count(mc->clock.cpu);
}

/* The running vCPU is behind all others, so it may do what others notice. */
static bool mp_is_first(MPCpu *mc)
{
    return mp.in_order && mp_local(mc, 0) <= mp.horizon;
}

int64_t mp_time_floor(void)
{
    if (!mp_time_in_fiber) {
        return -1;
    }
    return mp.in_order ? mp.horizon : mp_floor;
}

bool mp_time_fiber_must_stop(CPUState *cpu, uintptr_t ra)
{
    MPCpu *mc = mp_current;
    MPTimeWhere w;

    if (mp_is_first(mc)) {
        return false;
    }
    return !mc->token || !mp_time_where(cpu, ra, &w) ||
           w.insns != mc->token_insns;
}

static void mp_stop_as(MPCpu *mc, unsigned int phase)
{
    mc->phase = phase;
    mp_turn_over();
    mp_fiber_leave(mc->fiber, mp_find(mp_self->next(mc)));
}

static G_NORETURN void mp_leave_slice(MPTimeStop *s)
{
    cpu_restore_state(s->cpu, s->ra);
    mp_set_count(mp_current, 0);
    cpu_loop_exit_noexc(s->cpu);
}

/* Nobody else comes before the end of the instruction, or of a device's access. */
static void mp_take_token(MPCpu *mc, uint64_t insns)
{
    mc->token = true;
    mc->token_insns = insns;
    mc->token_block = mp_block(mc);
}

/* Has nobody else anything to do before @s? */
static bool mp_comes_first(const MPTimeStop *s)
{
    return s->key <= mp.horizon &&
           (s->order != MP_TIME_ALL || s->key <= mp.end);
}

/* What @s wants can be done at once: nobody has to come first. */
static bool mp_stop_at_once(MPCpu *mc, MPTimeStop *s)
{
    bool again = mc->token && s->known && s->where.insns == mc->token_insns;

    if (!again && !mp_is_first(mc)) {
        return false;
    }
    if (s->look && s->look(s)) {
        mc->out = true;
        mp_leave_slice(s);
    }
    if (!again && !mp_comes_first(s)) {
        mc->looked = mp_round_nr;
        mc->mark = s->key;
        return false;
    }
    if (s->act) {
        s->act(s);
    } else if (!again) {
        mp_take_token(mc, s->known ? s->where.insns : 0);
    }
    return true;
}

void mp_time_stop(MPTimeStop *s)
{
    MPCpu *mc = mp_current;

    if (unlikely(!mp_time_in_fiber || mc->alone)) {
        s->cpu = current_cpu;
        if (s->act) {
            s->act(s);
        }
        return;
    }
    if (!s->look && !s->act && mp_is_first(mc) && mp_comes_first(s)) {
        mp_take_token(mc, 0);
        return;
    }
    s->cpu = mc->clock.cpu;
    s->known = mp_time_where(s->cpu, s->ra, &s->where);
    mc->looked = 0;
    if (mp_stop_at_once(mc, s)) {
        return;
    }
    if (s->known) {
        mc->reached = s->where.ticks - mc->clock.cost;
        mc->token_insns = s->where.insns;
    } else {
        mc->reached = mp_local(mc, 0);
        mc->token_insns = 0;
    }
    if (!mc->looked) {
        mc->mark = mc->reached;
    }
    mc->token = false;
    mc->token_block = mp_block(mc);
    mp_set_count(mc, 0);
    mc->stop = s;
    mp_stop_as(mc, MP_STOPPED);
    mc->stop = NULL;
    if (unlikely(mc->out)) {
        mp_leave_slice(s);
    }
}

static void mp_stand_still(void)
{
    MPCpu *mc = mp_current;
    MPTimeStop s = {
        .line = MP_TIME_NO_LINE,
        .key = mp_local(mc, 0),
    };

    /* The token counts for a block, because a device has no return address. */
    if (mp_is_first(mc) || (mc->token && mc->token_block == mp_block(mc))) {
        return;
    }
    if (!bql_locked()) {
        mp_time_stop(&s);
    } else if (mp.shared) {
        bql_unlock();
        mp_time_stop(&s);
        bql_lock();
    }
}

void mp_time_begin_alone(CPUState *cpu)
{
    MPCpu *mc = mp_current;

    if (mp_beside_others()) {
        mp_set_count(mc, 0);
        mp_stop_as(mc, MP_ALONE);
    }
    if (mp_time_in_fiber) {
        mc->alone = true;
    }
}

void mp_time_end_alone(CPUState *cpu)
{
    MPCpu *mc = mp_current;

    if (!mp_time_in_fiber) {
        return;
    }
    mc->alone = false;
    if (mc->token && mc->soft) {
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
    mp_nr_ready += !test_and_set_bit(mc->clock.cpu->cpu_index, mp_ready);
}

/* Have a vCPU leave its slice before the instruction under way. */
static void mp_send_out(MPCpu *mc)
{
    mc->out = true;
    mp_make_ready(mc, MP_NEVER);
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
        mc->reached = mc->mark = mc->clock.time;
        mp_make_pending(mc);
        break;
    case MP_HALTED:
        mc->idle = true;
        if (mp_will_wake(mc)) {
            mc->clock.time = MAX(mc->clock.time, mc->next_post);
            mc->reached = mc->mark = mc->clock.time;
            mc->phase = MP_POSTS;
            mp_make_pending(mc);
        } else {
            mc->phase = MP_REST;
            clear_bit(cpu->cpu_index, mp_active);
        }
        break;
    case MP_OUT:
        mp_send_out(mc);
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

/* A phase is over: those that are not at rest, in the order of their indices */
static void mp_sort_out_all(void)
{
    for (unsigned int i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        uint64_t left = 0;

        for (unsigned int k = 0; k < mp.nr_threads; k++) {
            uint64_t *l = &mp_workers[k].left[i];

            if (*l) {
                left |= *l;
                *l = 0;
            }
        }
        for (; left; left &= left - 1) {
            mp_sort_out(&mp_cpus[i * BITS_PER_LONG + ctz64(left)]);
        }
    }
}

/* vCPUs that were woken in this quantum run in it. */
static void mp_take_woken(void)
{
    unsigned long i;

    if (!mp.again) {
        return;
    }
    mp.again = false;
    for (i = find_first_bit(mp_active, mp_nr_cpus); i < mp_nr_cpus;
         i = find_next_bit(mp_active, mp_nr_cpus, i + 1)) {
        MPCpu *mc = &mp_cpus[i];

        if (mc->phase == MP_REST && mp_why_not(mc) != MP_REST) {
            mp_make_ready(mc, mc->clock.time);
        }
    }
}

/* Run phases until all vCPUs have a stop that matters, or are at rest. */
static void mp_run_ready(void)
{
    while (mp_nr_ready) {
        mp_phase();
        mp_lowest = MP_NEVER;
        mp_sort_out_all();
        for (unsigned int i = 0; i < mp_nr_alone; i++) {
            mp_give_token(mp_alone[i], true);
            mp_sort_out(mp_alone[i]);
        }
        mp_nr_alone = 0;
        mp_take_woken();
    }
}

static unsigned int mp_line_bit(uint64_t line)
{
    return (line ^ line >> MP_LINE_BITS) & MAKE_64BIT_MASK(0, MP_LINE_BITS);
}

static bool mp_line_taken(const MPTimeStop *s)
{
    unsigned int n = mp_line_bit(s->line);
    uint64_t words =
        mp_lines[1][n / 64] | (s->shared ? 0 : mp_lines[0][n / 64]);

    return s->line != MP_TIME_NO_LINE && words >> n % 64 & 1;
}

static void mp_note_line(const MPTimeStop *s)
{
    unsigned int n = mp_line_bit(s->line);
    uint64_t *word = &mp_lines[!s->shared][n / 64];

    if (s->line == MP_TIME_NO_LINE) {
        return;
    }
    if (!*word) {
        mp_lines_used[mp_nr_lines_used++] = word;
    }
    *word |= 1ull << n % 64;
}

static void mp_forget_lines(void)
{
    while (mp_nr_lines_used) {
        *mp_lines_used[--mp_nr_lines_used] = 0;
    }
}

/* Is @mc's turn in this round? */
static bool mp_may_act(const MPCpu *mc)
{
    const MPTimeStop *s = mc->stop;

    if (mp_line_taken(s)) {
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
        if (mc->phase == MP_STOPPED || mc->phase == MP_POSTS) {
            mp_lowest = MIN(mp_lowest, mc->reached);
        }
        return;
    }
    mp_become(mc);
    s->act(s);
    mp_become_nobody();
    mp_note_line(s);
    mp_make_ready(mc, mc->reached + mc->clock.time - before);
}

static bool mp_precedes(int64_t mark, const MPCpu *mc, int64_t other_mark,
                        const MPCpu *other)
{
    return mark != other_mark ? mark < other_mark : mc < other;
}

/* Where @mc belongs in mp_waiting */
static unsigned int mp_waiting_place(const MPCpu *mc)
{
    unsigned int low = 0, high = mp_nr_waiting;

    while (low < high) {
        unsigned int i = (low + high) / 2;

        if (mp_precedes(mc->mark, mc, mp_waiting[i].mark, mp_waiting[i].mc)) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

/* Enter @mc into mp_waiting.  The shorter part moves, if there is room for it. */
static void mp_wait_for_all(MPCpu *mc)
{
    unsigned int place = mp_waiting_place(mc);

    if (place <= mp_nr_waiting / 2 && mp_waiting > mp_waiting_room) {
        mp_waiting--;
        for (unsigned int i = 0; i < place; i++) {
            mp_waiting[i] = mp_waiting[i + 1];
        }
    } else {
        if (mp_waiting + mp_nr_waiting ==
            mp_waiting_room + ARRAY_SIZE(mp_waiting_room)) {
            memmove(mp_waiting_room, mp_waiting,
                    mp_nr_waiting * sizeof(*mp_waiting));
            mp_waiting = mp_waiting_room;
        }
        for (unsigned int i = mp_nr_waiting; i > place; i--) {
            mp_waiting[i] = mp_waiting[i - 1];
        }
    }
    mp_waiting[place] = (MPWaiting){ .mark = mc->mark, .mc = mc };
    mp_nr_waiting++;
}

/*
 * Look at those that have stopped since the last round.  Leaves in mp_pending those
 * that need not wait for all, in the order of their marks, then of their indices.
 */
static void mp_sort_pending(void)
{
    unsigned int n = mp_nr_pending;

    mp_nr_pending = 0;
    for (unsigned int i = 0; i < n; i++) {
        MPCpu *mc = mp_pending[i];
        unsigned int j;

        if (mc->phase == MP_STOPPED && !mc->looked && mp_look(mc)) {
            mp_send_out(mc);
            continue;
        }
        if (mc->phase == MP_STOPPED && mc->stop->order == MP_TIME_ALL) {
            mp_wait_for_all(mc);
            continue;
        }
        for (j = mp_nr_pending++;
             j > 0 && mp_precedes(mc->mark, mc, mp_pending[j - 1]->mark,
                                  mp_pending[j - 1]);
             j--) {
            mp_pending[j] = mp_pending[j - 1];
        }
        mp_pending[j] = mc;
    }
}

/*
 * Do what a pending vCPU has stopped for if it is its turn.  Others may have acted
 * since it looked: then it looks again, and waits for the next round if that has
 * changed its key.  False: nothing has changed.
 */
static bool mp_try(MPCpu *mc)
{
    int64_t mark = mc->mark;

    if (mc->phase == MP_POSTS) {
        mp_run_posts(mc);
        mp_make_ready(mc, mc->clock.time);
        return true;
    }
    if (mp_may_act(mc)) {
        if (mc->looked != mp_round_nr && mp_look(mc)) {
            mp_send_out(mc);
            return true;
        }
        if (mc->mark <= mark && mp_may_act(mc)) {
            mp_act(mc);
            return true;
        }
    }
    mp_lowest = MIN(mp_lowest, mc->mark);
    mp_make_pending(mc);
    return mc->mark != mark;
}

/*
 * Do what pending vCPUs have stopped for, as far as it is their turn.  False: it
 * was nobody's.  A vCPU that waits for all others cannot act if its mark is behind
 * mp_lowest.  mp_lowest only decreases here, so those after it in mp_waiting cannot
 * act either.
 */
static bool mp_take(void)
{
    static MPCpu *todo[MP_TIME_MAX_CPUS];
    unsigned int n, i = 0, taken = 0;
    bool changed = false;

    mp_round_nr++;
    mp_sort_pending();
    n = mp_nr_pending;
    memcpy(todo, mp_pending, n * sizeof(*todo));
    mp_nr_pending = 0;
    mp_forget_lines();
    mp.woken = MP_NEVER;
    while (true) {
        const MPWaiting *w = &mp_waiting[taken];
        MPCpu *mc;

        if (taken < mp_nr_waiting && w->mark <= mp_lowest &&
            (i == n || mp_precedes(w->mark, w->mc, todo[i]->mark, todo[i]))) {
            mc = w->mc;
            taken++;
        } else if (i < n) {
            mc = todo[i++];
        } else {
            break;
        }
        changed |= mp_try(mc);
        mp_lowest = MIN(mp_lowest, mp.woken);
    }
    mp_nr_waiting -= taken;
    mp_waiting = mp_nr_waiting ? mp_waiting + taken : mp_waiting_room;
    return changed;
}

/* Those that wait do so for a time beyond the end of the quantum. */
static void mp_send_all_out(void)
{
    for (unsigned int i = 0; i < mp_nr_pending; i++) {
        mp_send_out(mp_pending[i]);
    }
    for (unsigned int i = 0; i < mp_nr_waiting; i++) {
        mp_send_out(mp_waiting[i].mc);
    }
    mp_nr_pending = mp_nr_waiting = 0;
}

static bool mp_rounds(void)
{
    unsigned long i;
    bool changed;

    mp_ran = false;
    mp_quantum_nr++;
    mp_nr_pending = mp_nr_waiting = 0;
    mp_lowest = mp.now;
    /* Only a vCPU's thread touches it here: it is in that one's caches. */
    mp_nr_ready = 0;
    for (i = 0; i < BITS_TO_LONGS(mp_nr_cpus); i++) {
        mp_ready[i] = mp_active[i];
        mp_nr_ready += ctpop64(mp_ready[i]);
    }
    while (mp_nr_ready || mp_nr_pending || mp_nr_waiting) {
        mp_run_ready();
        mp_lowest = MP_NEVER;
        changed = mp_take();
        mp_take_woken();
        if (!mp_nr_ready && !changed) {
            mp_send_all_out();
        }
    }
    return mp_ran;
}

static const MPRounds mp_rounds_ops = {
    .start = mp_start,
    .quantum = mp_rounds,
    .stand_still = mp_stand_still,
};

static void __attribute__((constructor)) mp_register(void)
{
    mp_set_rounds(&mp_rounds_ops);
}
