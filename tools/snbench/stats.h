/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a series of measurements, the search for the restart latency,
 * and the rows in which both are printed.  No guest, no clock: plain numbers.
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

/* n >= 1 values; their order is not kept. */
struct stats stats_of(double *v, size_t n);

/* Which of a stable stretch's values is the restart latency. */
enum search_value { SEARCH_MIN, SEARCH_MED, SEARCH_AVG, SEARCH_MAX };

struct search_options {
    int window;   /* samples in the moving average */
    double bound; /* ns the average may move from where the stretch began */
    int stable;   /* work steps it must stay so */
    int max_work; /* most work instructions to try */
    enum search_value value;
};

/* The thesis' defaults. */
#define SEARCH_DEFAULTS                                                                            \
    {                                                                                              \
        .window = 13, .bound = 5.0, .stable = 19, .max_work = 160, .value = SEARCH_MIN             \
    }

/*
 * One search: samples are back-to-back less L1 time, in ns, for 0, 1, 2 ... work
 * instructions.
 *
 *   x x x x x x x x x x x x x x x x x x x x x
 *           [-- window --]                        its average begins a stretch
 *               [-- window --] ...                and the averages of `stable`
 *                                                 more windows stay within bound
 */
struct search {
    const struct search_options *o;
    double *sample; /* max_work + 1 of them */
    int n;          /* samples so far */
    int first;      /* first sample of the window that began the stretch */
    double base;    /* that window's average */
    int steps;      /* windows since that stayed within bound */
    struct {
        int first, end, steps;
    } longest; /* stretch so far: its samples, its steps */
};

bool search_begin(struct search *s, const struct search_options *o); /* false: no memory */
bool search_add(struct search *s, double ns); /* true: stable, or out of work */
/* The most that the next sample should be if nothing disturbs it: bound above the least of the last
 * window; else infinite. */
double search_expected(const struct search *s);
bool search_stable(const struct search *s);
/*
 * Out of work, but one stretch was at least half as long as a stable one: where saw teeth are
 * broken the average moves a little further.
 */
bool search_nearly(const struct search *s);
/* From the stable stretch, from one that is nearly, or else from the last window. */
double search_result(const struct search *s);
void search_end(struct search *s);

/* Rows; width is that of the longest experiment's name. */
void row_header(FILE *f, bool csv, int width);
void row(FILE *f, bool csv, int width, const char *experiment, const char *state, const char *tid,
         const struct stats *s, const char *unit);
/* The row of a measurement that gave no number. */
void row_none(FILE *f, bool csv, int width, const char *experiment, const char *state,
              const char *tid, const char *unit);

#endif
