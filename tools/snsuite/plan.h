/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which measurements make which table. This part runs on the host, too: it gets the topology and
 * the results, and makes tables.
 *
 * A group is written once, as the table that it prints. It asks for each number by describing the
 * job that measures it. In the first pass an unknown number becomes a job and an empty cell, in the
 * second pass it is there:
 *
 *   make() of all groups -> jobs -> the caller fills in job->value ->
 *   make() again -> tables
 *
 * So groups that need the same number share its measurement.
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
    int cpus[PLAN_NODES]; /* processors of each node that are online: 0, 1 or 2 */
    int cpu[PLAN_NODES][2];
    int hops[PLAN_NODES][PLAN_NODES];
};

struct cpus {
    int n;
    int cpu[PLAN_CPUS];
};

/*
 * How a value comes from the rows of a job: the best of the iterations (thesis 4.3.1), for
 * bandwidths of several CPUs the best of their sums; or what the memory controller counted.
 */
enum take { LEAST, MOST, MD_READ, MD_WRITE, MD_BACKOFF };

/* An experiment, as a part of a call of snbench. */
struct job {
    const char *experiment, *state;
    int home;
    struct cpus local, remote;
    const char *size; /* -a; NULL: snbench's default */
    bool drop, md;
    int iterations;
    bool done;
    bool wanted;                  /* asked for since this was cleared */
    double value[MD_BACKOFF + 1]; /* by enum take; NAN: not measured */
};

struct plan {
    const struct topology *t;
    int home;
    int iterations;
    int sharers; /* greatest number of sharing nodes in `invalidations`; 0: all */
    struct job *job;
    size_t jobs, room;
};

struct group {
    const char *name, *help;
    /* Appends the tables of the group. NULL, or why this machine has none. */
    const char *(*make)(struct plan *p, struct table *tables, int *n);
};
#define GROUP_TABLES 4
extern const struct group groups[];
extern const size_t n_groups;
const struct group *group_named(const char *name);

void plan_begin(struct plan *p, const struct topology *t, int home, int iterations);
void plan_end(struct plan *p);

int plan_nodes_with_cpus(const struct plan *p);

/* Whether two jobs fit into one call of snbench: all but experiment and state agree. */
bool jobs_together(const struct job *a, const struct job *b);

#endif
