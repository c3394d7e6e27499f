/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a series of measurements, the search for the restart latency, and the rows in which
 * both are printed. It works on plain numbers, on the guest and on the host.
 *
 *   stats_of()       minimum, maximum, median, average, standard deviation
 *   search_*()       thesis 4.2.3, "Restart Latency Algorithm"
 *   row_*()          thesis figure 5.4, or CSV with the same column names
 */
#ifndef SNBENCH_STATS_H
#define SNBENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct stats {
    double min, max, med, avg;
    double stdev; /* of a sample: n - 1; 0 for one value */
};

/* n >= 1 values, which are reordered. */
struct stats stats_of(double *v, size_t n);

/* Which value of a stable stretch is the restart latency. */
enum search_value { SEARCH_MIN, SEARCH_MED, SEARCH_AVG, SEARCH_MAX };

struct search_options {
    int window;   /* samples in the moving average */
    double bound; /* ns by which the average may differ from that of the first window */
    int stable;   /* work steps for which it must stay within bound */
    int max_work; /* the highest number of work instructions */
    enum search_value value;
};

/* The thesis' defaults. */
#define SEARCH_DEFAULTS                                                                \
    {                                                                                  \
        .window = 13, .bound = 5.0, .stable = 19, .max_work = 160, .value = SEARCH_MIN \
    }

/*
 * One search. Its samples are the back-to-back time less the L1 time in ns, for 0, 1, 2 ... work
 * instructions.
 *
 *   x x x x x x x x x x x x x x x x x x x x x
 *           [-- window --]                        a window's average begins a stretch,
 *               [-- window --] ...                which is stable if the averages of the next
 *                                                 `stable` windows stay within bound
 */
struct search {
    const struct search_options *o;
    double *sample; /* max_work + 1 of them */
    int n;          /* samples so far */
    int first;      /* first sample of the window that began the stretch */
    double base;    /* that window's average */
    int steps;      /* the windows since then that stayed within bound */
    struct {
        int first, end, steps;
    } longest; /* stretch so far: its samples, its steps */
};

bool search_begin(struct search *s, const struct search_options *o); /* false: no memory */
bool search_add(struct search *s, double ns); /* true: stable, or out of work */
/*
 * The most that the next sample should be if nothing disturbs it: bound above the least of the last
 * window. Infinite: there is no window yet.
 */
double search_expected(const struct search *s);
bool search_stable(const struct search *s);
/*
 * The search reached max_work with a stretch of at least half the steps of a stable one. Where a
 * saw tooth of the latency is broken, the average moves a little further.
 */
bool search_nearly(const struct search *s);
/*
 * The restart latency: from the stable stretch, else from one that is nearly stable, else from the
 * last window.
 */
double search_result(const struct search *s);
void search_end(struct search *s);

/* Rows; width is the length of the longest name of an experiment. */
void row_header(FILE *f, bool csv, int width);
void row(FILE *f, bool csv, int width, const char *experiment, const char *state, const char *tid,
         const struct stats *s, const char *unit);
/* A row for a measurement that gave no values. */
void row_none(FILE *f, bool csv, int width, const char *experiment, const char *state,
              const char *tid, const char *unit);

#endif
