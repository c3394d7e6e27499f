/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine time: what its own files share
 *
 *   tcg-accel-ops-mp.c   clocks, quanta, the gate to the main loop; runs the
 *                        vCPUs of a quantum in turn, on one host thread
 *   mp-rounds.c          runs them in rounds, on one or more host threads
 *
 * The interface for others is in system/mp-time.h and tcg-accel-ops-mp.h.
 */
#ifndef ACCEL_TCG_MP_INTERNAL_H
#define ACCEL_TCG_MP_INTERNAL_H

#include "qemu/bitmap.h"
#include "qemu/queue.h"
#include "system/mp-time.h"

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
    int reason;           /* why its slice ended, EXCP_* */
    uint8_t phase;        /* MP_REST and so on */
    bool inside;          /* a slice is under way */
    bool token;           /* all others stand still until it stops again */
    bool soft;            /* and it gives the token back by itself */
    bool out;             /* it leaves its slice before its instruction */
    /* All use the rest. */
    bool idle;    /* nothing to do since clock.time */
    bool waiting; /* in mp_time_order() */
    bool costed;  /* the board has set clock.cost */
    int64_t key;  /* the others' clocks that it waits for, if waiting */
    int64_t due;  /* if waiting: others may go on up to this time */
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
    bool unarmed;    /* a vCPU's jmp_env is not that of mp_loop() yet */
    bool passed;     /* all vCPUs had their turn in this quantum */
    int64_t horizon; /* no other vCPU does anything before it */
    QSIMPLEQ_HEAD(, MPPoint) points;
    unsigned int nr_waiting;
    int64_t next_sync; /* time at which the main loop is let in */
    int64_t pause_at;  /* the machine pauses at a sync from then on */
    MPTimeFunc *rest;  /* of mp_time_at_rest(), NULL: none */
    void *rest_opaque;
    int64_t quantum_ns;
    int64_t pace; /* speed of idle time against the host's; 0: jump */
    /* ticks = ns * ns_mul / ns_div, reduced */
    uint64_t hz, ns_mul, ns_div;
    unsigned int nr_threads; /* of mp-rounds.c; 0: mp_passes() */
    bool alone;              /* only one vCPU runs in this round */
};

/* Of the thread: the vCPU that executes guest code, or for which it works */
extern __thread MPCpu *mp_current;

extern struct MPState mp;
extern MPCpu mp_cpus[MP_TIME_MAX_CPUS];
extern int mp_nr_cpus;

/* vCPUs that may have something to run; the scheduler skips all others */
extern unsigned long mp_active[BITS_TO_LONGS(MP_TIME_MAX_CPUS)];

/* Add the executed instructions to the clock, and set the counter to @count */
void mp_set_count(MPCpu *mc, int count);
/*
 * Set the counter, which is 0, to what is left of the slice.  False: nothing
 * is left.
 */
bool mp_give(MPCpu *mc);
/* The vCPU's clock if @undone instructions of its block are yet to come */
int64_t mp_local(MPCpu *mc, int undone);
bool mp_runnable(CPUState *cpu);
void mp_run_posts(MPCpu *mc);
/* What remains to be done when a slice is over: @reason is EXCP_* */
void mp_slice_reason(MPCpu *mc, int reason);
/* The vCPU that is the next of those that wait, which no longer waits */
MPCpu *mp_next_waiting(void);
/* The one that mp_next_waiting() would return; NULL: none */
MPCpu *mp_peek_waiting(void);

/*
 * mp-rounds.c
 * @start: make the threads besides the caller's, which is the first one
 * @quantum: run the vCPUs up to the end of the quantum; true if one did anything
 * @stop_for_token: stop until all others stand still
 */
typedef struct MPRounds {
    void (*start)(void);
    bool (*quantum)(void);
    void (*stop_for_token)(void);
} MPRounds;

/* To be called by a constructor: this file uses mp-rounds.c only through it. */
void mp_set_rounds(const MPRounds *rounds);

/* Is the caller a fiber that runs beside others? */
bool mp_beside_others(void);

#endif /* ACCEL_TCG_MP_INTERNAL_H */
