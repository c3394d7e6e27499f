/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the misses of the command add up to: by object, line and page; and what is wrong
 * with the objects that cost most.  docs/profile.md explains the problems and how their
 * savings are estimated.
 */
#ifndef LAUNCHER_PROFILE_TALLY_H
#define LAUNCHER_PROFILE_TALLY_H

#include "resolve.h"

#define LINE_MOST  256 /* bytes of a line (profile.line), at most */
#define TALLY_CPUS 256
#define NEAREST    16 /* distances in hops */

struct sum {
    uint64_t count[CAUSES], ticks[CAUSES], all_count, all_ticks;
};

void sum_add(struct sum *s, const struct miss *m);

/* The processors and threads that missed. */
struct users {
    uint64_t cpu[TALLY_CPUS / 64];
    const struct thread *who; /* the first one */
    bool several;             /* another thread, too */
};

struct line {
    uint64_t mm, address;
    int object; /* whose misses on it cost most */
    struct sum sum;
    struct users users;
    GArray *misses;  /* indexes */
    bool prefetched; /* some copy of it came by a prefetch for reading */
};

struct page {
    uint64_t mm, address, home; /* home of the last miss */
    int object;                 /* that waited most for memory alone; the first one, if none did */
    uint64_t ticks, count;
    double saving;   /* ticks, if it were on @best */
    uint64_t best;   /* node; UNKNOWN: it is where it should be */
    GArray *nodes;   /* struct page_node, by number: those that have anything to do with it */
    GArray *objects; /* struct page_object, while misses are summed up */
};

struct page_node {
    uint64_t node;
    uint64_t memory; /* transactions of the node that waited for memory alone */
    uint64_t users;  /* all of the node */
    uint64_t homes;  /* of anybody, when the page was there */
};

enum problem_kind {
    PROBLEM_FALSE,
    PROBLEM_TRUE,
    PROBLEM_UPGRADE,
    PROBLEM_PREFETCH,
    PROBLEM_CONFLICT,
    PROBLEM_PLACE,
    PROBLEM_MOVING,
    PROBLEM_FETCH,
    PROBLEM_TLB, /* not misses: of part tlb in stalls.csv */
    PROBLEMS
};

struct problem {
    enum problem_kind kind;
    int object, code; /* code: where most of it is spent */
    const char
        *lock; /* the function of a lock of the kernel that `code` called for that; NULL: none */
    uint64_t best; /* node of instructions that are far, or a thread's processor; else UNKNOWN */
    uint64_t count, cost; /* transactions and ticks */
    double saving;        /* ticks that the remedy would save */
};

struct tally {
    struct profile *p;
    struct resolver *r;
    struct sum all, *object; /* by object */
    struct users *users;     /* by object */
    GPtrArray *lines, *pages;
    GArray *problems; /* the greatest saving first */
    struct problem
        hidden; /* the first one of the kernel's, where these are no problems; cost 0: none */
    uint64_t kernel_sharing; /* what sharing of the kernel's objects costs, in ticks */
    uint8_t *judged; /* by miss, while problems are looked for: its problem_kind; PROBLEMS: none */
    struct refills {
        uint64_t count, ticks;
    } * tlb;                /* TLB refills by object */
    uint64_t stall_ticks;   /* of the command, from stalls.csv */
    char *own_line[3];      /* the remedy against false sharing, by language (tally.c) */
    double memory[NEAREST]; /* mean ticks that memory at so many hops takes; 0: nobody asked */
};

struct tally *tally_new(struct profile *p, struct resolver *r);

static inline double tally_us(const struct tally *t, uint64_t ticks)
{
    return (double)ticks * t->p->tick_us;
}

/*
 * The problem that comes first; NULL: none stands out.  If sharing of the kernel's objects costs half of all misses and more,
 * that is one of theirs, even for whoever has not asked for them.
 */
const struct problem *tally_first(const struct tally *t);
bool tally_is_of_kernel(const struct tally *t);

/* The numbers of all objects, the costliest first.  g_free(). */
int *tally_objects(const struct tally *t);

/*
 * Add up the ticks of each processor by part: all of its time, or what it waited for the command.
 * Busy and idle time are there in both.
 */
void tally_parts(const struct tally *t, bool whole, uint64_t (*ticks)[PARTS]);

/* Do several threads use @l, and is most of its cost sharing? */
bool line_is_contended(const struct line *l);

extern const char *const problem_name[PROBLEMS];

/* What helps against @q, in the language of the code that has most of it. */
const char *problem_remedy(const struct tally *t, const struct problem *q);

#endif
