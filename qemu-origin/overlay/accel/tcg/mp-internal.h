/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: what its own files share
 *
 *   tcg-accel-ops-mp.c   clocks, quanta, the gate to the main loop
 *   mp-rounds.c          runs the vCPUs of a quantum, on one or more host threads
 *
 * The interface for others is in system/mp-time.h and tcg-accel-ops-mp.h.
 */
#ifndef ACCEL_TCG_MP_INTERNAL_H
#define ACCEL_TCG_MP_INTERNAL_H

#include "qemu/bitmap.h"
#include "qemu/queue.h"
#include "system/mp-time.h"
#include "tcg-accel-ops-mp.h"

#define MP_NEVER INT64_MAX

/* The most host threads that -icount mode=mp,threads=N accepts */
#define MP_MAX_THREADS 64

typedef struct MPPost {
    int64_t at;
    MPTimeFunc *fn;
    void *opaque;
} MPPost;

typedef struct MPCpu {
    /* What each turn needs stands together. */
    MPTimeClock clock;
    int64_t next_post;     /* time of post[0], or MP_NEVER */
    uint64_t insns;        /* executed when the counter was last set */
    struct MPFiber *fiber; /* here and below: only mp-rounds.c uses it */
    uint64_t held;         /* quantum in which it does nothing more */
    MPTimeStop *stop;      /* what it does next, if phase is MP_STOPPED */
    int64_t reached;      /* its clock in the instruction at which it stopped */
    int64_t mark;         /* others may not be behind this: the key of a stop */
    uint64_t looked;      /* round in which stop->look() was called, 0: never */
    uint64_t token_insns; /* the instruction for which it got the token */
    uint64_t token_block; /* mp_block() of it */
    int reason;           /* why its slice ended, EXCP_* */
    uint8_t phase;        /* MP_REST and so on */
    bool inside;          /* a slice is under way */
    bool token;           /* all others stand still until it stops again */
    bool soft;            /* and it gives the token back by itself */
    bool out;             /* it leaves its slice before its instruction */
    bool alone;           /* between mp_time_begin_alone() and its end */
    /* All use the rest. */
    bool idle;   /* nothing to do since clock.time */
    bool costed; /* the board has set clock.cost */
    unsigned int nr_posts, max_posts;
    MPPost *post; /* ordered by time, then by age */
} QEMU_ALIGNED(64) MPCpu;

/* A function of mp_time_at_boundary() */
typedef struct MPPoint {
    MPTimeFunc *fn;
    void *opaque;
    QSIMPLEQ_ENTRY(MPPoint) next;
} MPPoint;

struct MPState {
    int64_t now; /* any thread: no runnable vCPU is behind it */
    int64_t end; /* end of the quantum */
    int64_t quantum;
    int64_t short_quantum; /* instead of quantum, until short_until */
    int64_t short_until;
    int64_t seen;     /* largest clock value a vCPU has read */
    int64_t fn_time;  /* time of the posted function under way */
    int64_t deadline; /* of the earliest timer, if valid */
    bool deadline_valid;
    bool in_fn;      /* a posted function is under way */
    bool bh_pending; /* a vCPU wants the main loop to run */
    bool again;      /* a vCPU was woken in this quantum */
    bool brk;        /* leave the quantum, go to the boundary */
    bool debug;      /* a debugger stops the machine */
    bool kicked;     /* any thread: look at all vCPUs */
    bool in_order;   /* vCPUs run one by one, the one furthest behind first */
    int64_t horizon; /* if so: no other vCPU does anything before it */
    int64_t woken;   /* nor do those that were woken since the phase began */
    QSIMPLEQ_HEAD(, MPPoint) points;
    int64_t next_sync; /* time at which the main loop is let in */
    int64_t pause_at;  /* the machine pauses at a sync from then on */
    MPTimeFunc *rest;  /* of mp_time_at_rest(), NULL: none */
    void *rest_opaque;
    int64_t quantum_ns;
    int64_t pace; /* speed of idle time against the host's; 0: jump */
    /* ticks = ns * ns_mul / ns_div, reduced */
    uint64_t hz, ns_mul, ns_div;
    unsigned int nr_threads; /* of mp-rounds.c */
    bool shared;             /* mp_time_share(): vCPUs may run beside others */
};

/* Of the thread: the vCPU that executes guest code, or for which it works */
extern __thread MPCpu *mp_current;

extern struct MPState mp;
extern MPCpu mp_cpus[MP_TIME_MAX_CPUS];
extern int mp_nr_cpus;

/* vCPUs that may have something to run; the scheduler skips all others */
extern unsigned long mp_active[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];

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

bool mp_runnable(CPUState *cpu);
void mp_run_posts(MPCpu *mc);
/* What remains to be done when a slice is over: @reason is EXCP_* */
void mp_slice_reason(MPCpu *mc, int reason);

/*
 * mp-rounds.c
 * @start: make the threads besides the caller's, which is the first one
 * @quantum: run the vCPUs up to the end of the quantum; true if one did anything
 * @stand_still: stop until all others stand still
 */
typedef struct MPRounds {
    void (*start)(void);
    bool (*quantum)(void);
    void (*stand_still)(void);
} MPRounds;

/* To be called by a constructor: this file uses mp-rounds.c only through it. */
void mp_set_rounds(const MPRounds *rounds);

/* Is the caller a fiber that runs beside others? */
bool mp_beside_others(void);

#endif /* ACCEL_TCG_MP_INTERNAL_H */
