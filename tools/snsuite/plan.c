/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of tables and their measurements; see plan.h. */
#define _GNU_SOURCE
#include "plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The fixed cost of leaving and entering a node in ns, which the thesis subtracts from the first
 * hop (4.3.2).
 */
#define REMOTE_PENALTY 230.0

/* A smaller array, of 1024 lines. */
#define SMALL "128K"

static const struct cpus none;

static struct cpus one(int cpu)
{
    return (struct cpus){ 1, { cpu } };
}

static bool same_cpus(const struct cpus *a, const struct cpus *b)
{
    return a->n == b->n && !memcmp(a->cpu, b->cpu, a->n * sizeof(a->cpu[0]));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool jobs_together(const struct job *a, const struct job *b)
{
    return a->home == b->home && same_cpus(&a->local, &b->local) &&
           same_cpus(&a->remote, &b->remote) && same_text(a->size, b->size) && a->drop == b->drop &&
           a->md == b->md && a->iterations == b->iterations;
}

void plan_begin(struct plan *p, const struct topology *t, int home, int iterations)
{
    *p = (struct plan){ .t = t, .home = home, .iterations = iterations };
}

void plan_end(struct plan *p)
{
    free(p->job);
    p->job = NULL;
    p->jobs = p->room = 0;
}

/*
 * The value of a job. An unknown job is added to the plan, and its value is NAN until it has been
 * measured.
 */
static double ask(struct plan *p, struct job j, enum take take)
{
    j.home = p->home;
    j.iterations = j.iterations ? j.iterations : p->iterations;
    for (size_t i = 0; i < p->jobs; i++) {
        if (same_text(p->job[i].experiment, j.experiment) && same_text(p->job[i].state, j.state) &&
            jobs_together(&p->job[i], &j)) {
            p->job[i].wanted = true;
            return p->job[i].value[take];
        }
    }
    if (p->jobs == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->job = realloc(p->job, p->room * sizeof(*p->job));
        if (!p->job) {
            fprintf(stderr, "snsuite: out of memory\n");
            exit(1);
        }
    }
    j.wanted = true;
    for (int i = 0; i <= MD_BACKOFF; i++) {
        j.value[i] = NAN;
    }
    p->job[p->jobs++] = j;
    return NAN;
}

static bool is_bandwidth(const char *experiment)
{
    return !strncmp(experiment, "bw", 2);
}

static double measure(struct plan *p, const char *experiment, const char *state, struct cpus local,
                      struct cpus remote)
{
    struct job j = { .experiment = experiment, .state = state, .local = local, .remote = remote };

    if (!is_bandwidth(experiment)) {
        j.size = SMALL;
    }
    /* A search makes some thirty measurements anyway. */
    if (!strncmp(experiment, "restart", 7)) {
        j.iterations = 1;
    }
    return ask(p, j, is_bandwidth(experiment) ? MOST : LEAST);
}

/* The nodes that have a processor, by distance from home, then by number; returns how many. */
static int by_distance(const struct plan *p, int *node)
{
    int n = 0;

    for (int h = 0; h < PLAN_NODES; h++) {
        for (int i = 0; i < p->t->nodes; i++) {
            if (p->t->hops[p->home][i] == h && p->t->cpus[i]) {
                node[n++] = i;
            }
        }
    }
    return n;
}

int plan_nodes_with_cpus(const struct plan *p)
{
    int node[PLAN_NODES];

    return by_distance(p, node);
}

static int hops(const struct plan *p, int node)
{
    return p->t->hops[p->home][node];
}

static int farthest(const struct plan *p)
{
    int node[PLAN_NODES], n = by_distance(p, node);

    return hops(p, node[n - 1]);
}

static const char *needs_two(const struct plan *p)
{
    return p->t->cpus[p->home] < 2 ? "the home node has not two processors" : NULL;
}

static const char *needs_remote(const struct plan *p)
{
    return farthest(p) == 0 ? "the machine has no second node" : NULL;
}

/* ---- tables 4.6 to 4.9 ---- */

static const char *make_local(struct plan *p, struct table *tables, int *n)
{
    static const char *const states[] = { "UOWN", "SHRD", "CEXH", "CEXM", "DEXD", "DEXT" };
    /* What the thesis measured: a column for each experiment, a string for each state. */
    static const char *const columns[] = { "lmbench-read", "lmbench-rdex", "lmbench-upgrd",
                                           "restart-read", "bw-read",      "bw-rdex",
                                           "bw-zero",      "bw-upgrd" };
    static const char *const has[] = { "11011110", "11111111", "11011100",
                                       "11011110", "10011000", "01010100" };
    struct cpus local = one(p->t->cpu[p->home][0]), remote = one(p->t->cpu[p->home][1]);
    struct table *t = &tables[(*n)++];

    table_begin(
        t, "local",
        "state,b2b_READ_ns,b2b_RDEX_ns,b2b_UPGRD_ns,restart_READ_ns,bw_READ_MB/s,bw_RDEX_MB/s,"
        "bw_zero_MB/s,bw_UPGRD_MB/s");
    for (int s = 0; s < 6; s++) {
        if (s && p->t->cpus[p->home] < 2) {
            break;
        }
        table_word(t, states[s]);
        for (int c = 0; c < 8; c++) {
            const char *e = columns[c];

            if (has[s][c] == '0') {
                table_word(t, "");
                continue;
            }
            /* In state DEXT the measured access is a store (table 4.6, footnote 2). */
            if (!strcmp(states[s], "DEXT") && !strcmp(e, "restart-read")) {
                e = "restart-rdex";
            }
            table_number(t, measure(p, e, states[s], local, s ? remote : none), 1);
        }
    }
    return NULL;
}

/* ---- tables 4.11 to 4.14 ---- */

/* Measures unowned lines of home from processor 0 or 1 of a node. */
static double from_processor(struct plan *p, int node, int which, const char *experiment)
{
    return measure(p, experiment, "UOWN", one(p->t->cpu[node][which]), none);
}

static double from_node(struct plan *p, int node, const char *experiment)
{
    return from_processor(p, node, 0, experiment);
}

/*
 * The mean over the nodes h hops away; *count: how many there are. Is there only one, a latency is
 * the lesser of those of its two processors: what one processor happens to have in its caches
 * vanishes in a mean over nodes, but would show here.
 */
static double mean_at(struct plan *p, int h, const char *experiment, int *count)
{
    double sum = 0;
    int n = 0, last = 0;

    for (int i = 0; i < p->t->nodes; i++) {
        if (p->t->cpus[i] && hops(p, i) == h) {
            sum += from_node(p, i, experiment);
            last = i;
            n++;
        }
    }
    *count = n;
    if (n == 1 && p->t->cpus[last] > 1 && !is_bandwidth(experiment)) {
        sum = fmin(sum, from_processor(p, last, 1, experiment));
    }
    return sum / n;
}

static const char *make_detail(struct plan *p, struct table *tables, int *n)
{
    static const char *const columns[] = { "lmbench-read", "restart-read", "bw-read", "bw-rdex",
                                           "bw-zero" };
    int node[PLAN_NODES], nodes = by_distance(p, node);
    struct table *t;

    if (needs_remote(p)) {
        return needs_remote(p);
    }
    t = &tables[(*n)++];
    table_begin(t, "remote-detail",
                "node,hops,b2b_latency_ns,restart_latency_ns,READ_MB/s,RDEX_MB/s,zero_MB/s");
    for (int i = 0; i < nodes; i++) {
        table_number(t, node[i], 0);
        table_number(t, hops(p, node[i]), 0);
        for (int c = 0; c < 5; c++) {
            table_number(t, from_node(p, node[i], columns[c]), 1);
        }
    }
    return NULL;
}

static const char *make_remote(struct plan *p, struct table *tables, int *n)
{
    struct table *t, *delay;
    double base[3] = { NAN, NAN, NAN }, v[3], last = NAN, weighted = 0;
    static const char *const columns[] = { "lmbench-read", "bw-read", "bw-zero" };
    char header[256];
    int all = 0;

    if (needs_remote(p)) {
        return needs_remote(p);
    }
    t = &tables[(*n)++];
    delay = &tables[(*n)++];
    table_begin(
        t, "remote",
        "hops,nodes,b2b_latency_ns,latency_incr_%,READ_MB/s,READ_decr_%,zero_MB/s,zero_decr_%");
    snprintf(header, sizeof(header), "hop,%s_nodes,%s_delay_ns", p->t->machine, p->t->machine);
    table_begin(delay, "router-delay", header);
    for (int h = 0; h <= farthest(p); h++) {
        int count = 0;

        for (int c = 0; c < 3; c++) {
            v[c] = mean_at(p, h, columns[c], &count);
        }
        if (!count) {
            continue;
        }
        table_number(t, h, 0);
        table_number(t, count, 0);
        for (int c = 0; c < 3; c++) {
            table_number(t, v[c], 1);
            if (!h) {
                base[c] = v[c];
                table_word(t, "");
            } else {
                table_number(t, (c ? base[c] - v[c] : v[c] - base[c]) * 100 / base[c], 0);
            }
        }
        if (h) {
            double d = v[0] - last - (h == 1 ? REMOTE_PENALTY : 0);

            table_number(delay, h, 0);
            table_number(delay, count, 0);
            table_number(delay, d, 1);
            weighted += d * count;
            all += count;
        }
        last = v[0];
    }
    table_word(delay, "avg");
    table_word(delay, "");
    table_number(delay, weighted / all, 1);
    return NULL;
}

/* ---- tables 4.15 to 4.18, 4.20 ---- */

/*
 * Placements of requestor, home, and owner or sharer, two of them on one node. which 0: requestor
 * at home (x = 0); 1: owner at home (y = 0); 2: both on the same remote node (z = 0).
 */
static double placed(struct plan *p, int node, int which, const char *experiment, const char *state)
{
    const int *h = p->t->cpu[p->home], *c = p->t->cpu[node];

    if (node == p->home) {
        return measure(p, experiment, state, one(h[0]), one(h[1]));
    }
    if (which == 0) {
        return measure(p, experiment, state, one(h[0]), one(c[0]));
    }
    if (which == 1) {
        return measure(p, experiment, state, one(c[0]), one(h[0]));
    }
    return p->t->cpus[node] < 2 ? NAN : measure(p, experiment, state, one(c[0]), one(c[1]));
}

static void make_placed(struct plan *p, struct table *t, const char *name, const char *experiment,
                        const char *state)
{
    double total[7] = { 0 };
    int away = 0;

    table_begin(
        t, name,
        "hops,UOWN_ns,xhops0_ns,xhops0_dU_ns,yhops0_ns,yhops0_dU_ns,zhops0_ns,zhops0_dU_ns");
    for (int h = 0; h <= farthest(p); h++) {
        double row[7] = { 0 };
        int n = 0;

        for (int i = 0; i < p->t->nodes; i++) {
            double unowned;

            if (!p->t->cpus[i] || hops(p, i) != h) {
                continue;
            }
            n++;
            unowned = from_node(p, i, experiment);
            row[0] += unowned;
            for (int which = 0; which < 3; which++) {
                double v = placed(p, i, which, experiment, state);

                row[1 + 2 * which] += v;
                row[2 + 2 * which] += v - unowned;
            }
        }
        if (!n) {
            continue;
        }
        table_number(t, h, 0);
        for (int c = 0; c < 7; c++) {
            table_number(t, row[c] / n, 1);
            total[c] += h ? row[c] : 0;
        }
        away += h ? n : 0;
    }
    /* Averages leave out the home node, where the three placements are the same. */
    table_word(t, "avg");
    for (int c = 0; c < 7; c++) {
        table_number(t, away ? total[c] / away : NAN, 1);
    }
}

static const char *make_interventions(struct plan *p, struct table *tables, int *n)
{
    if (needs_two(p)) {
        return needs_two(p);
    }
    make_placed(p, &tables[(*n)++], "cexm", "lmbench-read", "CEXM");
    make_placed(p, &tables[(*n)++], "cexh", "lmbench-read", "CEXH");
    make_placed(p, &tables[(*n)++], "dext", "lmbench-rdex", "DEXT");
    make_placed(p, &tables[(*n)++], "dexd", "lmbench-read", "DEXD");
    return NULL;
}

static const char *make_single(struct plan *p, struct table *tables, int *n)
{
    if (needs_two(p)) {
        return needs_two(p);
    }
    make_placed(p, &tables[(*n)++], "single-sharer", "lmbench-rdex", "SHRD");
    return NULL;
}

/* ---- table 4.19 ---- */

static const char *make_invalidations(struct plan *p, struct table *tables, int *n)
{
    static const char *const columns[] = { "lmbench-rdex", "lmbench-upgrd", "bw-rdex", "bw-upgrd",
                                           "bw-zero" };
    int node[PLAN_NODES], nodes = by_distance(p, node);
    int most = p->sharers ? p->sharers : nodes;
    struct cpus sharers = { 0 };
    struct table *t;

    if (needs_two(p)) {
        return needs_two(p);
    }
    t = &tables[(*n)++];
    table_begin(t, "invalidations",
                "sharers,node,hops,RDEX_latency_ns,UPGRD_latency_ns,RDEX_bw_MB/s,UPGRD_bw_MB/s,"
                "zero_bw_MB/s");
    for (int i = 0; i < most; i++) {
        /*
         * The first sharer is the other processor of the home node, because the local processor
         * does not invalidate itself.
         */
        sharers.cpu[sharers.n++] = p->t->cpu[node[i]][i == 0];
        table_number(t, i + 1, 0);
        table_number(t, node[i], 0);
        table_number(t, hops(p, node[i]), 0);
        for (int c = 0; c < 5; c++) {
            struct job j = { .experiment = columns[c],
                             .state = "SHRD",
                             .local = one(p->t->cpu[p->home][0]),
                             .remote = sharers,
                             .size = SMALL,
                             .drop = true };

            table_number(t, ask(p, j, is_bandwidth(columns[c]) ? MOST : LEAST), 1);
        }
    }
    return NULL;
}

/* ---- table 4.10 ---- */

static const char *make_contention(struct plan *p, struct table *tables, int *n)
{
    struct cpus local = one(p->t->cpu[p->home][0]),
                both = { 2, { p->t->cpu[p->home][0], p->t->cpu[p->home][1] } };
    int node[PLAN_NODES], nodes = by_distance(p, node);
    double b2b = measure(p, "lmbench-read", "UOWN", local, none),
           restart = measure(p, "restart-read", "UOWN", local, none),
           single = measure(p, "bw-read", "UOWN", local, none), sysad = NAN, memory = NAN;
    struct table *t = &tables[(*n)++];

    if (p->t->cpus[p->home] == 2) {
        sysad = measure(p, "bwmp-read", "UOWN", both, none);
    }
    if (nodes >= 4) {
        struct cpus four = { 0 };

        for (int i = 0; i < 4; i++) {
            four.cpu[four.n++] = p->t->cpu[node[i]][0];
        }
        memory = measure(p, "bwmp-read", "UOWN", four, none);
    }
    table_begin(t, "contention",
                "system,READ_latency_b-to-b_ns,READ_latency_restart_ns,READ_latency_delta_ns,READ_"
                "bw_1P_MB/s,"
                "READ_bw_SysAD_MB/s,SysAD_ratio,READ_bw_memory_MB/s,memory_ratio");
    table_word(t, p->t->system);
    table_number(t, b2b, 1);
    table_number(t, restart, 1);
    table_number(t, b2b - restart, 1);
    table_number(t, single, 1);
    table_number(t, sysad, 1);
    table_number(t, sysad / single, 2);
    table_number(t, memory, 1);
    table_number(t, memory / single, 2);
    return NULL;
}

/* ---- table 6.1 ---- */

static const char *make_backoff(struct plan *p, struct table *tables, int *n)
{
    enum { FIRST = 4, LAST = 14 };
    static const char *const columns[] = { "bw-zero", "bw-rdex" };
    int node[PLAN_NODES], nodes = by_distance(p, node);
    struct table *t;

    /*
     * The processors of the home node take no part: on the thesis' machine they did the measuring
     * and waiting.
     */
    if (nodes - 1 < FIRST) {
        return "it takes five nodes";
    }
    t = &tables[(*n)++];
    table_begin(
        t, "backoff",
        "threads,zero_RDEX_MB/s,zero_WB_MB/s,zero_boff_%,read_RDEX_MB/s,read_WB_MB/s,read_boff_%");
    for (int threads = FIRST; threads <= LAST && threads < nodes; threads++) {
        struct cpus all = { 0 };

        for (int i = 1; i <= threads; i++) {
            all.cpu[all.n++] = p->t->cpu[node[i]][0];
        }
        table_number(t, threads, 0);
        for (int c = 0; c < 2; c++) {
            /* Several threads make thousands of requests, so small arrays are enough. */
            struct job j = { .experiment = columns[c],
                             .state = "SHRD",
                             .local = all,
                             .remote = all,
                             .size = SMALL,
                             .md = true };

            table_number(t, ask(p, j, MD_READ), 1);
            table_number(t, ask(p, j, MD_WRITE), 1);
            table_number(t, ask(p, j, MD_BACKOFF), 0);
        }
    }
    return NULL;
}

const struct group groups[] = {
    { "local", "latency and bandwidth within a node, by state (tables 4.6 to 4.9)", make_local },
    { "remote", "by distance, and the delay of a router (4.11, 4.12, 4.14)", make_remote },
    { "remote-detail", "by node (4.13)", make_detail },
    { "interventions", "lines owned by another processor: cexm, cexh, dext, dexd (4.15 to 4.18)",
      make_interventions },
    { "invalidations", "lines shared by one, two, three ... nodes (4.19)", make_invalidations },
    { "single-sharer", "lines shared by one processor, by distance (4.20)", make_single },
    { "contention", "two processors on a bus, four nodes on a memory (4.10)", make_contention },
    { "backoff", "invalidations under load (6.1)", make_backoff },
};
const size_t n_groups = sizeof(groups) / sizeof(groups[0]);

const struct group *group_named(const char *name)
{
    for (size_t i = 0; i < n_groups; i++) {
        if (!strcmp(groups[i].name, name)) {
            return &groups[i];
        }
    }
    return NULL;
}
