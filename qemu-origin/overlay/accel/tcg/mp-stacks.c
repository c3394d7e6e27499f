/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: the stacks of the vCPUs
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * A vCPU stops in the middle of a helper, so vCPUs run on stacks that can be left
 * there, fibers.  QEMU's coroutines would not do: devices behave differently in one.
 * A thread runs one vCPU after the other on the same fiber.  If one stops, it keeps
 * that fiber to the end of its slice, and the thread takes another.
 *
 * MP_FIBERS_MOVE says on which hosts a vCPU may go on in another thread than the one
 * that made its fiber.
 *
 *   mp_run()        run vCPUs until the caller has no more
 *   mp_stop_as()    in a fiber: the vCPU's turn is over, its slice is not
 *   mp_time_begin_alone(), mp_time_begin_ordered(), mp_time_end_alone()
 *                   system/mp-time.h
 */

/* siglongjmp() goes from one stack to another. */
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 0

#include "qemu/osdep.h"
#include <ucontext.h>
#include "qemu/main-loop.h"
#include "qemu/memalign.h"
#include "qemu/thread.h"
#include "qemu/units.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "tcg/tcg.h"
#include "mp-accel.h"
#include "internal-common.h"
#include "mp-internal.h"
#ifdef CONFIG_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#define MP_STACK_SIZE (1 * MiB)

/*
 * The memory of each stack begins at the same place of a page, so all stacks
 * would compete for the same sets of the host's caches.  Therefore each stack
 * begins so many bytes lower than the one before.
 */
#define MP_STACK_STEP  1088
#define MP_STACK_STEPS 64

/* Where fibers move, a thread keeps so many for itself. */
#define MP_UNUSED 32

/*
 * ThreadSanitizer keeps the calls of each stack, so it must know on which one the
 * thread goes on.  It must not see a call between the switch and the jump.
 */
#ifdef CONFIG_TSAN
#define MP_NOT_SEEN __attribute__((no_sanitize_thread))
static inline __attribute__((always_inline)) void mp_tsan_switch(MPPlace to)
{
    __tsan_switch_to_fiber(to[MP_PLACE_TSAN], 0);
}

static inline __attribute__((always_inline)) void mp_tsan_here(MPPlace p)
{
    p[MP_PLACE_TSAN] = __tsan_get_current_fiber();
}

static inline void mp_tsan_new(MPPlace p)
{
    p[MP_PLACE_TSAN] = __tsan_create_fiber(0);
}
#else
#define MP_NOT_SEEN
static inline void mp_tsan_switch(MPPlace to)
{
}

static inline void mp_tsan_here(MPPlace p)
{
}

static inline void mp_tsan_new(MPPlace p)
{
}
#endif

/*
 * A function of its own, because __builtin_longjmp() must not be in the
 * function that has called __builtin_setjmp().
 */
static G_NORETURN void MP_NOT_SEEN __attribute__((noinline)) mp_go_on(MPPlace p)
{
    mp_tsan_switch(p);
    __builtin_longjmp(p, 1);
}

struct MPFiber {
    MPPlace env; /* where the fiber goes on */
    /* where it goes on if guest code leaves by siglongjmp() */
    sigjmp_buf jmp_env;
    void *stack;
    size_t size;
    MPThread *home; /* the thread that made it */
    MPFiber *next;  /* in MPThread.unused or mp_spare */
};

__thread MPThread *mp_thread;

/*
 * Fibers without a vCPU that any thread may take.  A fiber that moves often ends on
 * another thread than the one that took it.
 */
static MPFiber *mp_spare;
static QemuSpin mp_spare_lock;

void mp_stacks_init(void)
{
    qemu_spin_init(&mp_spare_lock);
}

/* From now on the thread works for @mc. */
void mp_become(MPCpu *mc)
{
    current_cpu = mc->clock.cpu;
    mp_current = mc;
    mp_time_clock = &mc->clock;
}

void mp_become_nobody(void)
{
    mp_current = NULL;
    mp_time_clock = NULL;
}

/* The state of @mc that says why it cannot begin a slice. RD_READY: it can. */
unsigned int mp_why_not(MPCpu *mc)
{
    CPUState *cpu = mc->clock.cpu;

    if (unlikely(mc->clock.time >= mc->next_post)) {
        return RD_DUE;
    }
    if (mc->clock.time >= mp.rounds.end ||
        unlikely(mp.brk || mc->held == mp.quantum_nr ||
                 !QSIMPLEQ_EMPTY_ATOMIC(&cpu->work_list))) {
        return RD_REST;
    }
    return likely(mp_runnable(cpu)) ? RD_READY : MP_HALTED;
}

/*
 * The next vCPU that can run: @mc if it can, else the next one of the phase
 * that can
 */
static MPCpu *mp_find(MPCpu *mc)
{
    while (mc && !mc->inside) {
        mc->rd.state = mp_why_not(mc);
        if (mc->rd.state == RD_READY) {
            break;
        }
        mc = mp_thread->next(mc);
    }
    return mc;
}

/* @mc is about to begin its slice on the stack @f, or to go on in it. */
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
    if (unlikely(!qatomic_read(&mp.ran))) {
        qatomic_set(&mp.ran, true);
    }
    mp_become(mc);
    mp_time_in_fiber = true;
}

static MPFiber *mp_fiber_new(void);

static MPFiber *mp_fiber_take(void)
{
    MPThread *w = mp_thread;
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
 * No vCPU needs @f any more, but the caller may still run on it.  So @f stays with
 * this thread, and if the thread has too many, another one goes to mp_spare.
 */
static void mp_fiber_put(MPFiber *f)
{
    MPThread *w = mp_thread;

    f->next = w->unused;
    w->unused = f;
    w->nr_unused++;
    if (MP_FIBERS_MOVE && unlikely(w->nr_unused > MP_UNUSED)) {
        MPFiber *other = f->next;

        f->next = other->next;
        w->nr_unused--;
        qemu_spin_lock(&mp_spare_lock);
        other->next = mp_spare;
        mp_spare = other;
        qemu_spin_unlock(&mp_spare_lock);
    }
}

MPThread *mp_home(const MPCpu *mc)
{
    return !MP_FIBERS_MOVE && mc->inside ? mc->fiber->home : NULL;
}

/*
 * The stack on which @mc goes on: its own if it has stopped in the middle of a
 * slice
 */
static MPFiber *mp_fiber_for(MPCpu *mc)
{
    MPFiber *f = mc->inside ? mc->fiber : mp_fiber_take();
    MPThread *home = mp_home(mc);

    if (home) {
        clear_bit(mc->rd.index, home->standing);
    }
    mp_go_in(mc, f);
    return f;
}

/*
 * In the fiber @f: switch to the stack of @mc, or to the thread's own if @mc is
 * NULL.
 */
static void __attribute__((noinline)) mp_fiber_leave(MPFiber *f, MPCpu *mc)
{
    void **to = mc ? mp_fiber_for(mc)->env : mp_thread->env;

    if (!__builtin_setjmp(f->env)) {
        mp_go_on(to);
    }
}

/* See mp-internal.h. */
void __attribute__((noinline)) mp_run(MPCpu *mc, MPCpu *(*next)(MPCpu *done))
{
    MPThread *w = mp_thread;

    w->next = next;
    mp_tsan_here(w->env);
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

/*
 * The slice that ran on this fiber is over.  Returns when the fiber has another
 * slice to run.
 */
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
    /* Only a posted function made it leave: it goes on when that has run. */
    if (mc->out && mc->clock.time < mc->next_post) {
        mc->held = mp.quantum_nr;
    }
    mc->inside = mc->out = mc->token = false;
    mp_turn_over();
    if (unlikely(reason == EXCP_DEBUG || reason == EXCP_ATOMIC || cpu->stop)) {
        mc->rd.state = MP_ODD;
        mc = mp_thread->next(mc);
    }
    mc = mp_find(mc);
    if (mc && !mc->inside) {
        mp_go_in(mc, f);
        return;
    }
    mp_fiber_put(f);
    mp_fiber_leave(f, mc);
}

void mp_stop_as(MPCpu *mc, unsigned int state)
{
    MPThread *home = mp_home(mc);

    mc->rd.state = state;
    if (home) {
        set_bit(mc->rd.index, home->standing);
    }
    mp_turn_over();
    mp_fiber_leave(mc->fiber, mp_find(mp_thread->next(mc)));
}

/* Stop as @state.  The vCPU goes on in its phase, with all others standing still. */
static void mp_let_others(MPCpu *mc, unsigned int state)
{
    int left = mp_time_count(mc->clock.cpu);

    mp_set_count(mc, 0);
    mp_stop_as(mc, state);
    if (left > 0) {
        mp_set_count(mc, left); /* the slice ends where it would have ended */
    }
}

/*
 * Where one thread runs the phase, the others stand still.  A stop would let them come
 * first, and their order would depend on which code was translated before.
 */
void mp_time_begin_alone(CPUState *cpu)
{
    if (unlikely(mp_time_in_fiber)) {
        if (mp.beside) {
            mp_let_others(mp_current, MP_ALONE);
        }
        mp_current->alone = true;
    }
}

/* Under mp_time_spread(false) vCPUs touch lines in the order in which they run. */
void mp_time_begin_ordered(CPUState *cpu)
{
    MPCpu *mc = mp_current;

    if (unlikely(mp_time_in_fiber)) {
        if (mp.spread && !mp.rounds.in_order && !mc->token) {
            mp_let_others(mc, MP_ORDERED);
        }
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
        /*
         * It goes on in its phase.  If it stopped here, the round would depend
         * on which code was translated before.
         */
        mc->token = mc->soft = false;
    }
}

/*
 * Guest code has left by siglongjmp() to the jmp_env of its vCPU: go on with
 * the turn.
 */
static void __attribute__((noinline)) mp_fiber_again(void)
{
    MPCpu *mc = mp_current;
    CPUState *cpu = mc->clock.cpu;

    mp_time_end_alone(cpu);
    mp_slice_over(mc->out ? cpu_exec_turn_end(cpu) : cpu_exec_turn_again(cpu));
}

/* The context to which a new fiber returns when it is ready to be entered */
static __thread ucontext_t mp_maker;
static __thread MPPlace mp_maker_place; /* for ThreadSanitizer only */
static __thread MPFiber *mp_made;

/*
 * The new fiber is ready: go back to its maker.  Returns when the fiber is
 * entered.
 */
static void __attribute__((noinline)) mp_fiber_made(MPFiber *f)
{
    if (!__builtin_setjmp(f->env)) {
        mp_tsan_switch(mp_maker_place);
        setcontext(&mp_maker);
    }
}

/*
 * The function that a fiber runs.  It never returns, so that its jmp_env stays
 * valid.
 */
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

    f->home = mp_thread;
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
    mp_tsan_new(f->env);
    mp_tsan_here(mp_maker_place);
    mp_tsan_switch(f->env);
    swapcontext(&mp_maker, &uc);
    return f;
}
