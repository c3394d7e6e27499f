/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snbench: measures memory latency and bandwidth by state of the coherence protocol (U. Prestor,
 * "Evaluating the Memory Performance of a ccNUMA System", 2001, chapter 4).
 *
 *   spec.c     the command line
 *   memory.c   pages by cache colour, reference counters
 *   work.c     threads bound to CPUs, clocks
 *   code.c     the measured loops
 *   place.c    memory and threads of a measurement
 *   state.c    states of lines, and their proof
 *   measure.c  timing
 *   md.c       counters of the memory controller
 *   stats.c    statistics, the search for the restart latency, output
 *
 * Left out: threads bound to a node instead of a CPU.
 */
#include "../common/options.h"
#include "measure.h"
#include <stdlib.h>
#include <string.h>

static int width_of(const struct spec *s)
{
    int width = strlen("EXPERIMENT");

    for (int i = 0; i < s->n; i++) {
        if ((int)strlen(s->experiment[i]->name) > width) {
            width = strlen(s->experiment[i]->name);
        }
    }
    return width;
}

/* Prints what the home's memory controller counted, as rows of the thread "nNODE". */
static void md_rows(struct bench *b, const struct spec *s, const struct experiment *e)
{
    char tid[16];

    snprintf(tid, sizeof(tid), "n%d", s->home);
    for (int k = 0; k < MD_KINDS; k++) {
        size_t n;
        double *v = bench_md(b, k, &n);

        if (n) {
            struct stats t = stats_of(v, n);

            row(stdout, s->csv, width_of(s), e->name, state_name[s->state], tid, &t, md_unit[k]);
        }
    }
}

/* Does an experiment have a row for all local CPUs together? */
static bool has_sum(const struct spec *s, const struct experiment *e)
{
    return e->until_first && s->local.n > 1;
}

/*
 * Writes the bandwidth of all local CPUs together behind those of each. CPUs that compete do not
 * have their best in the same iteration, so only values of the same one may be added.
 */
static void add_up(const struct spec *s, double *values)
{
    double *sum = values + s->local.n * s->iterations;

    for (int i = 0; i < s->iterations; i++) {
        sum[i] = 0;
        for (int k = 0; k < s->local.n; k++) {
            sum[i] += values[k * s->iterations + i];
        }
    }
}

/*
 * Measures an experiment and prints its rows; false: it has no values. There is room for one
 * CPU's values more.
 */
static bool run(struct bench *b, const struct spec *s, const struct experiment *e, double *values)
{
    const char *unit = e->unit == BANDWIDTH ? "MB/s" : "ns", *state = state_name[s->state];
    char error[ERROR_SIZE], tid[16];
    bool failed;

    if (s->curve) {
        failed = bench_curve(b, e, stdout, error);
    } else {
        failed = bench_measure(b, e, values, error);
        if (!failed && has_sum(s, e)) {
            add_up(s, values);
        }
        for (int i = 0; i < s->local.n + has_sum(s, e); i++) {
            if (i < s->local.n) {
                snprintf(tid, sizeof(tid), "%d", s->local.cpu[i]);
            } else {
                snprintf(tid, sizeof(tid), "all");
            }
            if (failed) {
                row_none(stdout, s->csv, width_of(s), e->name, state, tid, unit);
            } else {
                struct stats t = stats_of(values + i * s->iterations, s->iterations);

                row(stdout, s->csv, width_of(s), e->name, state, tid, &t, unit);
            }
        }
        if (!failed && s->md) {
            md_rows(b, s, e);
        }
    }
    fflush(stdout);
    if (failed) {
        fprintf(stderr, "snbench: %s: %s\n", e->name, error);
    }
    return !failed;
}

int main(int argc, char **argv)
{
    static struct machine m;
    static struct spec s;
    char error[ERROR_SIZE];
    struct bench *b;
    double *values;
    int failures = 0;

    spec_parse(&s, argc, argv);
    if (machine_read(&m, error) || machine_check(&m, &s, error)) {
        opt_fail(&spec_program, "%s", error);
    }
    machine_stand_aside(&m, &s);
    values = calloc((size_t)(s.local.n + 1) * s.iterations, sizeof(*values));
    b = values ? bench_begin(&m, &s, error) : NULL;
    if (!b) {
        opt_fail(&spec_program, "%s", values ? error : "out of memory");
    }
    if (!s.curve) {
        row_header(stdout, s.csv, width_of(&s));
    }
    for (int i = 0; i < s.n; i++) {
        s.state = s.of[i];
        failures += !run(b, &s, s.experiment[i], values);
    }
    bench_end(b);
    free(values);
    opt_close_stdout(&spec_program);
    return failures != 0;
}
