/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times accesses to lines in their state; see measure.h. */
#include "measure.h"
#include "bench.h"
#include "md.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a state is tried with the same pages, and how often other pages are taken then. */
#define TRIES 5
#define MOVES 3

const char *const md_unit[MD_KINDS] = { "RDEX_MB/s", "WB_MB/s", "boff_%" };

/*
 * Were the timed lines requested once each, and in their state? by_class: how many of them the
 * home's controller found in which, or NULL.
 */
static int compare(struct bench *b, const uint64_t *by_class, char *error)
{
    const struct spec *s = b->s;
    struct counts before = { 0 }, after = { 0 };
    uint64_t want[MAX_NODES] = { 0 }, all = 0;

    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];
        uint64_t lines = bench_lines(b, l->t.accesses * s->stride);
        struct counts c;

        if (counts_read(b->m, s->home, l->array.base, b->timed, &c, error)) {
            return -1;
        }
        for (int k = 0; k < b->m->nodes; k++) {
            before.by_node[k] += l->before.by_node[k];
            after.by_node[k] += c.by_node[k];
        }
        want[l->w.node] += lines;
        all += lines;
    }
    if (state_compare(b, &before, &after, want, b->lines, "while it was timed", error)) {
        return -1;
    }
    return by_class ? state_classes(b, by_class, all, "while it was timed", error) : 0;
}

/*
 * Measures once. counted: what the home's controller counts in `mode` in the measured time, or
 * NULL.
 */
static int try_once(struct bench *b, const struct experiment *e, int work, int mode,
                    uint64_t *counted, char *error)
{
    const struct spec *s = b->s;
    atomic_int start = s->local.n, stop = 0;
    uint64_t by_class[HUBMD_COUNTERS], *classes = counted || e->request == UPGRD ? NULL : by_class;
    struct md md;

    b->displaced = false;
    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];

        l->t = (struct timing){
            .kernel = e->kernel,
            .stride = s->stride,
            .work = work,
            .base = l->array.base,
            .elements = b->timed / s->stride,
            .start = &start,
            .stop = e->until_first || s->md ? &stop : NULL,
        };
        /*
         * Make the code now: this calls the kernel, whose memory may be at home, and the controller
         * must not count that.
         */
        work_run(&l->w, work_code, &l->t);
    }
    if (state_establish(b, e, error)) {
        return -1;
    }
    for (int i = 0; i < s->local.n && e->displace; i++) {
        struct stretch t = bench_all(b, &b->local[i].soil);

        t.passes = PASSES;
        work_run(&b->local[i].w, work_store, &t);
    }
    for (int i = 0; i < s->local.n; i++) {
        struct local *l = &b->local[i];

        if (counts_read(b->m, s->home, l->array.base, b->timed, &l->before, error)) {
            return -1;
        }
    }
    if (counted) {
        if (md_open(&md, s->home, error, ERROR_SIZE)) {
            return -1;
        }
        md_start(&md, mode);
    } else if (classes && !md_open(&md, s->home, error, ERROR_SIZE)) {
        md_start(&md, MD_DIRSTATE);
    } else {
        classes = NULL; /* another program counts with it */
    }
    for (int i = 0; i < s->local.n; i++) {
        work_begin(&b->local[i].w, work_time, &b->local[i].t);
    }
    for (int i = 0; i < s->local.n; i++) {
        work_wait(&b->local[i].w);
    }
    if (counted || classes) {
        md_stop(&md, counted ? counted : classes);
        md_close(&md);
    }
    return compare(b, classes, error);
}

/*
 * Measures until it succeeds, at most TRIES times: a clock tick while lines are prepared or timed
 * may displace many of them.
 */
static int time_once(struct bench *b, const struct experiment *e, int work, char *error)
{
    for (int i = 0; i < TRIES; i++) {
        if (!try_once(b, e, work, 0, NULL, error)) {
            return 0;
        }
    }
    return -1;
}

/* The same with the counters of the home's controller. */
static int time_counted(struct bench *b, const struct experiment *e, int iteration, char *error)
{
    int mode = iteration % 2 ? MD_OUT : MD_IN, status = -1;
    uint64_t n[HUBMD_COUNTERS];
    double ns = 0;

    for (int i = 0; i < TRIES && status; i++) {
        status = try_once(b, e, 0, mode, n, error);
    }
    if (status) {
        return -1;
    }
    for (int i = 0; i < b->s->local.n; i++) {
        ns = fmax(ns, b->local[i].t.ns);
    }
    if (mode == MD_IN) {
        b->md[MD_READS].value[b->md[MD_READS].n++] = n[0] * LINE_BYTES * 1e3 / ns;
        b->md[MD_WRITES].value[b->md[MD_WRITES].n++] = n[1] * LINE_BYTES * 1e3 / ns;
    } else {
        /*
         * Counter 2: interventions and invalidations; counter 3: those that backoff left to the
         * requestor.
         */
        b->md[MD_BACKOFFS].value[b->md[MD_BACKOFFS].n++] =
            n[2] + n[3] ? n[3] * 100.0 / (n[2] + n[3]) : 0;
    }
    return 0;
}

double *bench_md(struct bench *b, enum md_kind k, size_t *n)
{
    *n = b->md[k].n;
    return b->md[k].value;
}

/* The time of one step of work without misses in ns: the least of three measurements. */
static double no_misses(struct bench *b, const struct experiment *e, int work, char *list,
                        void (*how)(struct worker *, void *))
{
    double least = INFINITY;

    for (int i = 0; i < 3; i++) {
        struct timing t = { .kernel = e->kernel,
                            .stride = b->s->stride,
                            .work = work,
                            .base = list,
                            .elements = 8192 };

        work_run(&b->local[0].w, how, &t);
        if (t.ns / t.accesses < least) {
            least = t.ns / t.accesses;
        }
    }
    return least;
}

/*
 * The back-to-back time of one number of work instructions for each local CPU, in ns: the least of
 * `least` measurements. A clock tick makes a measurement long, so up to TRIES more follow as long
 * as a CPU is above its expected time.
 */
static int back_to_back(struct bench *b, const struct experiment *e, int work, int least,
                        const double *expected, double *ns, char *error)
{
    bool above = true;

    for (int n = 0; n < least || (above && n < least + TRIES); n++) {
        if (time_once(b, e, work, error)) {
            return -1;
        }
        above = false;
        for (int i = 0; i < b->s->local.n; i++) {
            struct timing *t = &b->local[i].t;

            ns[i] = n ? fmin(ns[i], t->ns / t->accesses) : t->ns / t->accesses;
            above |= expected && ns[i] > expected[i];
        }
    }
    return 0;
}

static int restart(struct bench *b, const struct experiment *e, double *values, int iteration,
                   char *error)
{
    const struct spec *s = b->s;
    double ns[MAX_CPUS], expected[MAX_CPUS];
    struct search search[MAX_CPUS];
    int pending = s->local.n, status = 0, begun = 0;
    bool done[MAX_CPUS] = { false };

    while (begun < s->local.n && search_begin(&search[begun], &s->search)) {
        begun++;
    }
    if (begun < s->local.n) {
        status = fail(error, "out of memory");
    }
    for (int work = 0; pending && !status; work++) {
        double l1 = no_misses(b, e, work, NULL, work_time_l1);

        for (int i = 0; i < s->local.n; i++) {
            expected[i] = l1 + search_expected(&search[i]);
        }
        status = back_to_back(b, e, work, work ? 1 : 3, expected, ns, error);
        for (int i = 0; i < s->local.n && !status; i++) {
            if (!done[i] && search_add(&search[i], ns[i] - l1)) {
                done[i] = true;
                pending--;
                values[i * s->iterations + iteration] = search_result(&search[i]);
                if (search_nearly(&search[i])) {
                    fprintf(stderr,
                            "snbench: %s: CPU %d: stable for %d of %d steps only up to %d work "
                            "instructions\n",
                            e->name, s->local.cpu[i], search[i].longest.steps, s->search.stable,
                            s->search.max_work);
                } else if (!search_stable(&search[i])) {
                    status = fail(error, "no stable stretch up to %d work instructions",
                                  s->search.max_work);
                }
            }
        }
    }
    for (int i = 0; i < begun; i++) {
        search_end(&search[i]);
    }
    return status;
}

/* Fills the arrays: with a list for latencies, with zeros for bandwidths. */
static void fill_arrays(struct bench *b, const struct experiment *e)
{
    for (int i = 0; i < b->s->local.n; i++) {
        struct area *a = &b->local[i].array;

        memset(a->base, 0, a->pages * PAGE_BYTES);
        if (e->unit != BANDWIDTH) {
            list_make(a->base, b->timed / b->s->stride, b->s->stride);
        }
    }
}

/* Measures with the pages that the arrays have now. */
static int measure(struct bench *b, const struct experiment *e, double *values, char *error)
{
    const struct spec *s = b->s;

    for (int k = 0; k < MD_KINDS; k++) {
        b->md[k].n = 0;
    }
    b->displaced = false;
    fill_arrays(b, e);
    for (int n = 0; n < s->iterations; n++) {
        if (e->unit == RESTART) {
            if (restart(b, e, values, n, error)) {
                return -1;
            }
            continue;
        }
        if (s->md ? time_counted(b, e, n, error) : time_once(b, e, 0, error)) {
            return -1;
        }
        for (int i = 0; i < s->local.n; i++) {
            struct timing *t = &b->local[i].t;

            values[i * s->iterations + n] =
                e->unit == LATENCY
                    ? t->ns / t->accesses
                    : bench_lines(b, t->accesses * s->stride) * LINE_BYTES * 1e3 / t->ns;
        }
    }
    return 0;
}

/*
 * Some lines share their L2 sets with what the kernel itself uses on a CPU, such as its stacks. If
 * these are the witnesses, the arrays move to other pages.
 */
int bench_measure(struct bench *b, const struct experiment *e, double *values, char *error)
{
    int status = b->placed ? 0 : bench_place(b, -1, error);

    if (!status) {
        status = measure(b, e, values, error);
    }
    for (int moves = 0; status && b->displaced && moves < MOVES; moves++) {
        if (b->s->verbose) {
            fprintf(stderr, "snbench: %s: trying other pages: %s\n", e->name, error);
        }
        if (bench_move(b, error)) {
            return -1;
        }
        status = measure(b, e, values, error);
    }
    return status;
}

int bench_curve(struct bench *b, const struct experiment *e, FILE *f, char *error)
{
    struct area list;
    int status = 0;

    if (area_make(&list, b->m, b->local[0].w.node, L2_LIST_BYTES / PAGE_BYTES, -1,
                  L2_LIST_BYTES / PAGE_BYTES, error)) {
        return -1;
    }
    fill_arrays(b, e);
    fprintf(f, "work,L1_ns,L2_ns,b2b_ns,restart_ns\n");
    for (int work = 0; work <= b->s->search.max_work && !status; work++) {
        double l1 = no_misses(b, e, work, NULL, work_time_l1),
               l2 = no_misses(b, e, work, list.base, work_time_l2), b2b[MAX_CPUS];

        status = back_to_back(b, e, work, b->s->iterations, NULL, b2b, error);
        if (!status) {
            fprintf(f, "%d,%.2f,%.2f,%.2f,%.2f\n", work, l1, l2, b2b[0], b2b[0] - l1);
            fflush(f);
        }
    }
    area_free(&list);
    return status;
}
