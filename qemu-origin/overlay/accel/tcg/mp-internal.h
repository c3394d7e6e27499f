/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: what its own files have in common
 *
 * Each file knows only those above it:
 *
 *   mp-clock.c           clocks, and what is posted for them
 *   mp-stacks.c          the stacks on which vCPUs run and stop
 *   mp-workers.c         threads, phases and stops; rounds/rounds.h says who waits
 *   tcg-accel-ops-mp.c   quanta, timers, the gate to the main loop
 *
 * mp-state.h.inc has the members of the structs, and which of them are saved.  The
 * interface for others is in system/mp-time.h and mp-accel.h.
 */
#ifndef ACCEL_TCG_MP_INTERNAL_H
#define ACCEL_TCG_MP_INTERNAL_H

#include "qemu/bitmap.h"
#include "qemu/queue.h"
#include "system/mp-time.h"
#include "mp-accel.h"

#define MP_NEVER RD_NEVER

/* The most host threads that -icount mode=mp,threads=N accepts */
#define MP_MAX_THREADS 64

/* States of a vCPU besides enum rd_state */
enum {
    MP_HALTED = RD_OTHER, /* has just halted */
    MP_ALONE,             /* it waits until no other thread runs a vCPU */
    MP_ORDERED,           /* in mp_time_begin_ordered() */
    MP_ODD,               /* its slice has ended for an unusual reason */
};

typedef struct MPFiber MPFiber;

typedef struct MPPost {
    int64_t at;
    MPTimeFunc *fn;
    void *opaque;
} MPPost;

/* A function of mp_time_at_boundary() or mp_time_at_end() */
typedef struct MPPoint {
    MPTimeFunc *fn;
    void *opaque;
    QSIMPLEQ_ENTRY(MPPoint) next;
} MPPoint;

typedef QSIMPLEQ_HEAD(, MPPoint) MPPoints;

typedef struct MPCpu {
#define MP_CPU(fate, type, name) type name;
#include "mp-state.h.inc"
#undef MP_CPU
} QEMU_ALIGNED(64) MPCpu;

struct MPState {
#define MP_STATE(fate, type, name) type name;
#include "mp-state.h.inc"
#undef MP_STATE
};

/*
 * The calling thread's: the vCPU that runs on it, or for which it does
 * something
 */
extern __thread MPCpu *mp_current;

extern struct MPState mp;
extern MPCpu mp_cpus[MP_TIME_MAX_CPUS];
extern int mp_nr_cpus;

/* vCPUs that may have something to run; the scheduler skips all others */
extern unsigned long mp_active[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];
/* vCPUs with posted functions */
extern unsigned long mp_posted[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];

/* Add the executed instructions to the clock, and set the counter to @count */
static inline void mp_set_count(MPCpu *mc, int count)
{
    CPUState *cpu = mc->clock.cpu;
    int executed = mc->clock.budget - mp_time_count(cpu);

    mc->insns += executed;
    mc->clock.time += (int64_t)executed * mc->clock.cost;
    mc->clock.budget = count;
    cpu->neg.icount_decr.u16.low = count;
}

/*
 * Set the counter, which is 0, to what is left of the slice.  False: nothing
 * is left.
 */
bool mp_give(MPCpu *mc);

/* The vCPU's clock if @undone instructions of its block are yet to come */
static inline int64_t mp_local(const MPCpu *mc, int undone)
{
    return mp_time_block_end(&mc->clock) - (int64_t)undone * mc->clock.cost;
}

static inline MPCpu *mp_cpu(CPUState *cpu)
{
    return &mp_cpus[cpu->cpu_index];
}

static inline MPCpu *mp_of(struct rd_cpu *c)
{
    return container_of(c, MPCpu, rd);
}

/*
 * mp-clock.c
 */

void mp_set_hz(uint64_t hz);
/* How far vCPUs may be apart at time @t */
int64_t mp_span(int64_t t);
void mp_add_cpu(CPUState *cpu);
/* The quantum has become shorter. */
void mp_shrink(int64_t end);
/* Does a vCPU's helper, or a device that it accesses, call? */
bool mp_in_guest(void);
int64_t mp_running_time(void);
/* As mp_time_now(), but not made monotonic */
int64_t mp_context_time(void);
bool mp_runnable(CPUState *cpu);
/* Wake @cpu if it has something to do. */
void mp_maybe_wake(CPUState *cpu);
void mp_run_posts(MPCpu *mc);
/* When does the first halted vCPU wake for a posted function? */
int64_t mp_next_wake(void);
/* Include halted vCPUs in the quantum if a posted function wakes them in it. */
void mp_activate_posted(void);
void mp_drop_posts(void *opaque);

/*
 * mp-stacks.c
 */

/*
 * Where to go on on another stack.  siglongjmp() would be a good part of a turn:
 * it mangles addresses and looks for handlers to run.
 */
#ifdef CONFIG_TSAN
#define MP_PLACE_TSAN 5 /* ThreadSanitizer's name of the stack */
typedef void *MPPlace[6];
#else
typedef void *MPPlace[5];
#endif

/*
 * May a fiber go on in another thread than it stopped in?  Compilers keep addresses of
 * thread-local variables across calls.  Not so gcc and clang for 64-bit x86, which reach
 * those variables by a segment register.  Elsewhere a vCPU that stands on a fiber goes
 * on in the thread that made the fiber, and threads meet more often.
 */
#ifdef __x86_64__
#define MP_FIBERS_MOVE 1
#else
#define MP_FIBERS_MOVE 0
#endif

/* What a host thread that runs vCPUs has */
typedef struct MPThread {
    /*
     * The next vCPU of the phase; @done: the one whose turn is over, NULL at
     * first.  NULL: there are no more.
     */
    MPCpu *(*next)(MPCpu *done);
    MPPlace env;     /* its own stack */
    MPFiber *unused; /* fibers on which no vCPU stands */
    unsigned int nr_unused;
    /* vCPUs that only this thread can run, because they stand on its fibers */
    unsigned long standing[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];
} MPThread;

/* The calling thread's */
extern __thread MPThread *mp_thread;

void mp_stacks_init(void);
/* From now on the thread works for @mc: in its fiber, or on its behalf. */
void mp_become(MPCpu *mc);
void mp_become_nobody(void);
/* The state of @mc that says why it cannot begin a slice. RD_READY: it can. */
unsigned int mp_why_not(MPCpu *mc);
/* The only thread that can run @mc. NULL: any can. */
MPThread *mp_home(const MPCpu *mc);
/*
 * Run @mc, then what next() returns. @mc NULL: begin with next(NULL).  A vCPU that
 * stands on a fiber must be at home here.
 */
void mp_run(MPCpu *mc, MPCpu *(*next)(MPCpu *done));
/* In a fiber: end the turn in this state. Returns when the vCPU goes on. */
void mp_stop_as(MPCpu *mc, unsigned int state);

/*
 * mp-workers.c
 */

void mp_workers_init(void);
/* Create the other threads. The caller's is the first one. */
void mp_workers_start(void);
/*
 * Between quanta: wait until the other threads sleep.  They do, until the next
 * quantum: a fork() then finds no lock taken and no list half changed.
 */
void mp_workers_rest(void);
/* Run the vCPUs up to the end of the quantum.  True if one did anything. */
bool mp_workers_quantum(void);

#endif /* ACCEL_TCG_MP_INTERNAL_H */
