/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads do all their life: they run, are ready, or are blocked (blocked.csv).  Sums by thread, and by what
 * they wait for.
 *
 *   blocked_sum()        the sums; NULL: the profile has none
 *   blocked_free()
 *   blocked_headline()   the report's first line; NULL: what threads wait for is not the first thing to say
 *   report_blocked()     tables of the report
 *   page_blocked()       tables of a page
 *   blocked_csv()        each row, with names
 *
 * The sums take a look at each row, so whoever needs them makes them once.
 */
#ifndef LAUNCHER_PROFILE_BLOCKED_H
#define LAUNCHER_PROFILE_BLOCKED_H

#include "kernel_time.h"
#include "tally.h"

/* A thread of the command: ticks by state, and by what it was blocked for. */
struct life {
    const struct thread *who;
    uint64_t state[STATES], blocked[WAITS], all;
    uint64_t stalled[STATE_INTERRUPT + 1]; /* of these, what it waited for memory */
};

/* All waits for one thing. */
struct cause_of_wait {
    char *name;
    bool kernel; /* a lock of the kernel */
    enum awaited what;
    int object, code;      /* of a lock; the program's line with the longest wait; -1: none */
    uint64_t count, ticks; /* while they were blocked */
    uint64_t ready;        /* then, until they ran */
    guint threads;
    guint wakers, woken;     /* threads that ended such waits, and how often they did */
    const struct thread *by; /* who ended most of them; NULL: none of ours */
    uint64_t by_count, irqs; /* how often it did; how often an interrupt did */
};

struct blocked {
    GArray *lives;  /* struct life: the longest first */
    GArray *causes; /* struct cause_of_wait: the longest first */
    uint64_t time;  /* of all lives, but for waits for the end of threads and processes */
    struct kernel_time *locks; /* of the kernel */
};

struct blocked *blocked_sum(const struct tally *t);
void blocked_free(struct blocked *b); /* NULL: nothing happens */
char *blocked_headline(const struct tally *t, const struct blocked *b);
void report_blocked(const struct tally *t, const struct blocked *b, int top);
void page_blocked(const struct tally *t, const struct blocked *b);
void blocked_csv(const struct tally *t);

#endif
