/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waits for whom: the order in which CPUs do what others may notice
 *
 * Each CPU has a clock of its own.  In a quantum all CPUs run up to the same time,
 * in rounds.  A round has two parts:
 *
 *   phase         CPUs run, each by itself, up to a stop or to the quantum's end.
 *                 With many CPUs the caller may run them at the same time.
 *   serial part   The stops are done, one after the other, as far as it is their
 *                 turn.  Those CPUs run in the next phase.
 *
 * A CPU stops before it does something that others may notice, and says what it
 * intends: struct rd_intent.  These rules say whose turn it is:
 *
 *   1. Intents are done in the order of their keys, then of the CPUs' indices.
 *   2. RD_FREE waits for nobody, RD_PARTNER until its partner has come to the
 *      key, RD_ALL until every other CPU has.
 *   3. In a round, a line is written by one CPU, or read by any number.
 *   4. What others do may change an intent, but makes its key no earlier.  So in a
 *      later round the CPU is asked again before it acts, and waits on if its key
 *      has become later.
 *   5. If it is nobody's turn, those that wait do so for a time beyond the end of
 *      the quantum, and start their instructions again in the next one.
 *
 * A phase of fewer than RD_FEW CPUs is not worth spreading.  There the CPU that is
 * the furthest behind runs first, and need not stop while it is behind all others.
 *
 * The result depends only on what the CPUs do.  How many threads run a phase, and
 * in which order they come to its end, changes nothing.
 *
 * Left out: clocks, threads, and what an act is.  The caller has them (struct
 * rd_ops).  Except in rd_ops.run calls for one struct rounds come one after the
 * other, and each sees what those before it have done.
 *
 *   rd_init()             once
 *   rd_quantum()          runs a quantum, by calling rd_ops
 *   rd_ready() rd_stopped() rd_due() rd_leaves()    what has become of a CPU
 *   rd_woken()            a CPU that was at rest has something to do
 *   rd_stop()             for a CPU that stops: may it go on at once?
 *   rd_is_first() rd_floor()         how far the others have come
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RD_MAX_CPUS 1024
#define RD_WORDS    (RD_MAX_CPUS / 64)
#define RD_NEVER    INT64_MAX
#define RD_NO_LINE  UINT64_MAX

/* With fewer CPUs a phase is not spread over threads. */
#define RD_FEW 6

/* Lines of a round are noted in a map of so many bits. */
#define RD_LINE_BITS 12

/* How far the others must have come before a CPU may do what it intends */
enum rd_order {
    RD_FREE,    /* nobody: only the order of keys in its round counts */
    RD_PARTNER, /* the partner has to reach the key */
    RD_ALL,     /* all others have to */
};

/*
 * What a CPU wants to do. rd_ops.look() sets all fields, or they are set before
 * rd_stop().
 */
struct rd_intent {
    enum rd_order order;
    unsigned partner; /* its index, if the order is RD_PARTNER */
    bool reads;       /* it only reads the line, and others may do so, too */
    uint64_t line;    /* what it reads or writes; RD_NO_LINE: nothing */
    int64_t key;      /* the CPU's clock, or when its request arrives */
};

enum rd_state {
    RD_REST,    /* at the end of the quantum, or halted */
    RD_READY,   /* runs in the next phase */
    RD_STOPPED, /* has an intent */
    RD_DUE,     /* what was posted for it is due */
    RD_OUT,     /* must leave its instruction, and not go on in this quantum */
    RD_OTHER,   /* from here on: states that only the caller knows */
};

/* A CPU's place in the order.  The caller keeps these, in an array of its own. */
struct rd_cpu {
    struct rd_intent *intent; /* while it has stopped */
    /* its clock when it goes on; RD_NEVER: not in this quantum */
    int64_t reached;
    int64_t earliest; /* while it waits: the first time at which it may act */
    uint64_t looked;  /* round of the latest rd_ops.look(), 0: not called yet */
    uint16_t index;
    uint8_t state; /* enum rd_state */
};

struct rounds;

/* What the rounds need from their caller */
struct rd_ops {
    /*
     * Run the CPUs of rounds.running, in any order, at the same time or not.
     * rounds.left says how long they can run.
     */
    void (*run)(struct rounds *r);
    /* Run CPUs, one after the other, as rd_next_of_few() says. */
    void (*run_few)(struct rounds *r);
    /*
     * A phase is over.  Say of each CPU that has run, in the order of the indices, what
     * it is: rd_ready(), rd_stopped(), rd_due(), rd_leaves(), or nothing if it is at rest.
     */
    void (*sort_out)(struct rounds *r);
    /* Call rd_ready() for CPUs at rest that have something to do now. */
    void (*wake)(struct rounds *r);
    /* When does a CPU that has not stopped go on?  RD_NEVER: not in this quantum. */
    int64_t (*begins)(struct rounds *r, struct rd_cpu *c);
    /*
     * Find out what the CPU wants to do now: set c->intent.  True: it must not
     * do that in this quantum.
     */
    bool (*look)(struct rounds *r, struct rd_cpu *c);
    /*
     * Do what c->intent says, call rd_ready(), and return true.  If only the CPU
     * itself can do it, let the CPU run alone until it stops again, say what it
     * is then as in sort_out(), and return false.
     */
    bool (*act)(struct rounds *r, struct rd_cpu *c);
    /* Do what is posted for the CPU, and call rd_ready(). */
    void (*due)(struct rounds *r, struct rd_cpu *c);
    /*
     * When the CPU runs again, it must leave its instruction instead of going
     * on in it.
     */
    void (*leave)(struct rounds *r, struct rd_cpu *c);
};

struct rd_waiting {
    int64_t earliest;
    struct rd_cpu *c;
};

struct rounds {
    const struct rd_ops *ops;
    char *cpus; /* the first struct rd_cpu */
    size_t stride;
    unsigned ncpus;
    unsigned
        spread_from; /* phases of so many CPUs are spread, at most RD_FEW */

    int64_t end; /* of the quantum; may shrink while it runs */
    /*
     * if in_order: the running CPU may act up to here, no other comes earlier
     */
    int64_t horizon;
    /* earliest clock of the CPUs that were woken in this phase */
    int64_t woken;
    /* if not in_order: no CPU acts before this time in the phase */
    int64_t floor;
    int64_t
        /* earliest time at which any CPU that is ready, or waits, may act */
        lowest;
    uint64_t nr;   /* of the round, from 1 */
    bool in_order; /* a phase of a few CPUs is under way */

    /* CPUs of the next phase, and of the one under way */
    uint64_t ready[RD_WORDS], running[RD_WORDS];
    unsigned nready, nrunning;
    /*
     * How long these CPUs have to the end of the quantum, all together.  A phase in
     * which they have little is not worth spreading, however many they are.
     */
    int64_t left_ready, left;

    /*
     * CPUs that have stopped, or for which something is due; those of RD_ALL
     * are in `waiting`
     */
    struct rd_cpu *pending[RD_MAX_CPUS], *todo[RD_MAX_CPUS];
    unsigned npending;

    /*
     * CPUs that wait for all others (RD_ALL), by time, then by index.  Many CPUs
     * may wait for a line that they contest, and only the first few can act in
     * a round.  A copy of the time stands here, so that a round need not look at
     * the structs of the others.
     */
    struct rd_waiting room[4 * RD_MAX_CPUS], *waiting; /* the first */
    unsigned nwaiting;

    /* Lines that were accessed in this round: [0] read, [1] written */
    uint64_t lines[2][(1 << RD_LINE_BITS) / 64];
    uint64_t *lines_used[RD_MAX_CPUS];
    unsigned nlines_used;

    /*
     * The phase under way, if it has few CPUs.  The CPU that is the furthest
     * behind comes first.
     */
    struct {
        struct rd_cpu *run[RD_FEW];
        int64_t at[RD_FEW];
        unsigned nr, taken;
        /* earliest time at which one that has run, or waits, may act */
        int64_t rest;
    } few;
};

/*
 * @cpus: the first CPU's place, @stride: bytes from one to the next.  The places are
 * zero; rd_init() numbers @max of them, at most RD_MAX_CPUS.
 */
void rd_init(struct rounds *r, const struct rd_ops *ops, struct rd_cpu *cpus,
             size_t stride, unsigned max);

static inline struct rd_cpu *rd_cpu(struct rounds *r, unsigned i)
{
    return (struct rd_cpu *)(void *)(r->cpus + i * r->stride);
}

/*
 * Run CPUs 0 to @ncpus - 1 from @now to r->end.  @active: those that may have
 * something to do, as a bitmap; all others are at rest.
 */
void rd_quantum(struct rounds *r, unsigned ncpus, int64_t now,
                const uint64_t *active);

/* The CPU goes on at @reached. */
void rd_ready(struct rounds *r, struct rd_cpu *c, int64_t reached);
/* It has stopped: c->intent. */
void rd_stopped(struct rounds *r, struct rd_cpu *c);
/* Something is posted for it, for @at. */
void rd_due(struct rounds *r, struct rd_cpu *c, int64_t at);
/* Its instruction has to start again in the next quantum. */
void rd_leaves(struct rounds *r, struct rd_cpu *c);
/* A CPU that was at rest has something to do from @t on. */
static inline void rd_woken(struct rounds *r, int64_t t)
{
    r->woken = t < r->woken ? t : r->woken;
    r->horizon = t < r->horizon ? t : r->horizon;
}

/* In rd_ops.run_few: the next CPU; @done: the one that has run, NULL at first.  NULL: none */
struct rd_cpu *rd_next_of_few(struct rounds *r, struct rd_cpu *done);

/* Is a running CPU, whose clock is @now, behind all others? */
static inline bool rd_is_first(const struct rounds *r, int64_t now)
{
    return r->in_order && now <= r->horizon;
}

/* Until the running CPU stops, no other CPU does anything before this time. */
static inline int64_t rd_floor(const struct rounds *r)
{
    return r->in_order ? r->horizon : r->floor;
}

/*
 * May the running CPU do @in now, because nobody else has to do something
 * first?
 */
static inline bool rd_comes_first(const struct rounds *r,
                                  const struct rd_intent *in)
{
    return in->key <= r->horizon && (in->order != RD_ALL || in->key <= r->end);
}

enum rd_answer {
    RD_GO,   /* do it at once */
    RD_WAIT, /* end the turn, with RD_STOPPED */
    RD_LEAVE /* not in this quantum */
};

/*
 * A running CPU, whose clock is @now, wants to do c->intent.  @again: the
 * instruction has stopped before, and all others still stand still for it.  If
 * the answer is RD_WAIT and c->looked is 0, look() was not called, and the
 * caller must set c->earliest.
 */
enum rd_answer rd_stop(struct rounds *r, struct rd_cpu *c, int64_t now,
                       bool again);

#endif
