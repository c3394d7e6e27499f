/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which measurements make which table.  No guest: the topology comes in, the
 * results come in, tables go out.
 *
 * A group is written once, as the table it prints; each number in it is asked
 * for by what snbench must be told to measure it.  The first time round an
 * unknown number becomes a job and an empty cell, the second time it is there:
 *
 *   plan_group() for all groups -> jobs -> somebody fills in job->value ->
 *   plan_group() again -> tables
 *
 * So groups share what they have in common.
 */
#ifndef SNSUITE_PLAN_H
#define SNSUITE_PLAN_H

#include "table.h"
#include <stdbool.h>
#include <stddef.h>

#define PLAN_NODES 64
#define PLAN_CPUS  128

struct topology {
    char machine[65]; /* its name */
    char system[48];  /* processors as thesis table 4.5 writes them: R12K 300/200/8 */
    int nodes;
    int cpus[PLAN_NODES]; /* of each node that are online: 0, 1, 2 */
    int cpu[PLAN_NODES][2];
    int hops[PLAN_NODES][PLAN_NODES];
};

struct cpus {
    int n;
    int cpu[PLAN_CPUS];
};

/* What a job's number is: the best of the iterations (thesis 4.3.1), and how several threads make
 * one. */
enum take { LEAST, MOST_SUM, MD_READ, MD_WRITE, MD_BACKOFF };

/* One experiment of one call of snbench. */
struct job {
    const char *experiment, *state;
    int home;
    struct cpus local, remote;
    const char *size; /* -a; NULL: snbench's default */
    bool drop, md;
    int iterations;
    bool done;
    bool wanted;                  /* asked for since somebody cleared this */
    double value[MD_BACKOFF + 1]; /* by enum take; NAN: none */
};

struct plan {
    const struct topology *t;
    int home;
    int iterations;
    int sharers; /* most nodes with sharers in `invalidations`; 0: all */
    struct job *job;
    size_t jobs, room;
};

struct group {
    const char *name, *help;
    /* Appends the group's tables; NULL, or why this machine has none. */
    const char *(*make)(struct plan *p, struct table *tables, int *n);
};
#define GROUP_TABLES 4
extern const struct group groups[];
extern const size_t n_groups;
const struct group *group_named(const char *name);

void plan_begin(struct plan *p, const struct topology *t, int home, int iterations);
void plan_end(struct plan *p);

int plan_nodes_with_cpus(const struct plan *p);

/* Same call of snbench: all but the experiment and its state agree. */
bool jobs_together(const struct job *a, const struct job *b);

#endif
