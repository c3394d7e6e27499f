/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics, the search for the restart latency, rows; see stats.h. */
#include "stats.h"
#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct stats stats_of(double *v, size_t n)
{
    struct stats s;
    double sum = 0, squares = 0;

    qsort(v, n, sizeof(*v), by_value);
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
    }
    s.avg = sum / n;
    for (size_t i = 0; i < n; i++) {
        squares += (v[i] - s.avg) * (v[i] - s.avg);
    }
    s.stdev = n > 1 ? sqrt(squares / (n - 1)) : 0;
    s.min = v[0];
    s.max = v[n - 1];
    s.med = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    return s;
}

bool search_begin(struct search *s, const struct search_options *o)
{
    *s = (struct search){ .o = o };
    s->sample = malloc((o->max_work + 1) * sizeof(*s->sample));
    return s->sample;
}

void search_end(struct search *s)
{
    free(s->sample);
    s->sample = NULL;
}

bool search_stable(const struct search *s)
{
    return s->steps >= s->o->stable;
}

bool search_nearly(const struct search *s)
{
    return !search_stable(s) && 2 * s->longest.steps >= s->o->stable;
}

double search_expected(const struct search *s)
{
    double least = INFINITY;

    for (int i = s->n > s->o->window ? s->n - s->o->window : 0; i < s->n; i++) {
        least = fmin(least, s->sample[i]);
    }
    return least + s->o->bound;
}

bool search_add(struct search *s, double ns)
{
    double average = 0;

    s->sample[s->n++] = ns;
    if (s->n >= s->o->window) {
        for (int i = s->n - s->o->window; i < s->n; i++) {
            average += s->sample[i] / s->o->window;
        }
        if (s->n > s->o->window && fabs(average - s->base) <= s->o->bound) {
            s->steps++;
        } else {
            s->first = s->n - s->o->window;
            s->base = average;
            s->steps = 0;
        }
        if (s->steps > s->longest.steps) {
            s->longest.first = s->first;
            s->longest.end = s->n;
            s->longest.steps = s->steps;
        }
    }
    return search_stable(s) || s->n > s->o->max_work;
}

double search_result(const struct search *s)
{
    int first = s->first, end = s->n;
    double *v, result;
    struct stats t;
    size_t n;

    if (search_nearly(s)) {
        first = s->longest.first;
        end = s->longest.end;
    } else if (!search_stable(s)) {
        first = s->n > s->o->window ? s->n - s->o->window : 0;
    }
    n = end - first;
    v = malloc(n * sizeof(*v));
    if (!v) {
        return NAN;
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = s->sample[first + i];
    }
    t = stats_of(v, n);
    free(v);
    switch (s->o->value) {
    case SEARCH_MED:
        result = t.med;
        break;
    case SEARCH_AVG:
        result = t.avg;
        break;
    case SEARCH_MAX:
        result = t.max;
        break;
    default:
        result = t.min;
    }
    return result;
}

void row_header(FILE *f, bool csv, int width)
{
    if (csv) {
        fprintf(f, "EXPERIMENT,STAT,TID,MIN,MAX,MED,AVG,STDEV,UNIT\n");
    } else {
        fprintf(f, "%-*s  STAT TID      MIN      MAX      MED      AVG      STDEV  UNIT\n", width,
                "EXPERIMENT");
    }
}

/* The columns before the numbers; figure 5.4 puts a thread's number into two places. */
static void row_begin(FILE *f, bool csv, int width, const char *experiment, const char *state,
                      const char *tid)
{
    char t[16];

    if (csv) {
        fprintf(f, "%s,%s,%s", experiment, state, tid);
        return;
    }
    snprintf(t, sizeof(t), "%2s", tid);
    fprintf(f, "%-*s  %-4s %-7s", width, experiment, state, t);
}

void row(FILE *f, bool csv, int width, const char *experiment, const char *state, const char *tid,
         const struct stats *s, const char *unit)
{
    row_begin(f, csv, width, experiment, state, tid);
    fprintf(f, csv ? ",%.6g,%.6g,%.6g,%.6g,%.4g,%s\n" : " %-8.6g %-8.6g %-8.6g %-8.6g %-6.4g %s\n",
            s->min, s->max, s->med, s->avg, s->stdev, unit);
}

void row_none(FILE *f, bool csv, int width, const char *experiment, const char *state,
              const char *tid, const char *unit)
{
    row_begin(f, csv, width, experiment, state, tid);
    fprintf(f, csv ? ",,,,,,%s\n" : " -        -        -        -        -      %s\n", unit);
}
