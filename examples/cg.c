// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Conjugate gradients: the smallest eigenvalue of a large sparse matrix by inverse iteration, in the manner of
 * the NAS benchmark CG.
 *
 * The matrix is symmetric, its entries are at random places, and its diagonal is larger than the rest of the
 * row, so that it is positive definite.  Each step of the outer loop solves matrix * z = x by some steps of
 * conjugate gradients, and takes z as the next x.  Each thread has a stretch of rows.  It reads the whole
 * vector of directions, which all threads write, and dot products need a sum from each thread.
 *
 * With -c the sums of all threads are in the same lines.  Without -c each has a line of its own.
 *
 * With -l each thread first reads the vector of directions in order, with prefetches, into a copy of its
 * own.  It fetches the same lines as without -l, but waits for them together instead of one by one.
 *
 * With -w threads wait for each other actively, without the kernel, so that all go on at the same time, and thread 0
 * adds up the sums of all: if each thread does, the reads of all sums by all threads take longest on many processors.
 */
#include "team.h"

#include <getopt.h>
#include <math.h>

#define IN_LINE ((long)(LINE_BYTES / sizeof(double)))
#define AHEAD   4 /* prefetched so many lines ahead */

struct entry {
    int column;
    double value;
};

static struct {
    int threads, outer, compact, main_first, local;
    int inner;           /* steps of conjugate gradients */
    int active;          /* waits without the kernel */
    long rows, pairs;    /* pairs of entries in a row; a row has about twice as many entries */
    long *start;         /* rows + 1: where a row's entries begin */
    struct entry *built; /* by thread 0 */
    struct entry *entry; /* what the threads use */
    double *x, *z, *r, *p, *q;
    double *sum;            /* of each thread, SPREAD apart */
    double *copy[TEAM_MAX]; /* of p, with -l */
    double eigenvalue, residual;
    double begun, ended;
    double total __attribute__((aligned(LINE_BYTES))); /* with -w, of all sums */
} cg;

/* --- the matrix ------------------------------------------------------------------------ */

static long column_at(long row, long pair)
{
    return (long)(random_at((unsigned long)(row * cg.pairs + pair)) * (double)cg.rows);
}

static void add(long *fill, long row, long column, double value)
{
    struct entry *diagonal = &cg.built[cg.start[row]];

    diagonal->value += fabs(value);
    cg.built[fill[row]++] = (struct entry){ (int)column, value };
}

/* Entries (i, j) and (j, i) are the same; the diagonal is the first entry of a row. */
static void build(void)
{
    long *fill = calloc((size_t)cg.rows + 1, sizeof(long));

    cg.start = calloc((size_t)cg.rows + 1, sizeof(long));
    if (!fill || !cg.start)
        die("calloc");
    for (long i = 0; i < cg.rows; i++)
        for (long k = 0; k < cg.pairs; k++) {
            cg.start[i + 1]++;
            cg.start[column_at(i, k) + 1]++;
        }
    for (long i = 0; i < cg.rows; i++)
        cg.start[i + 1] += cg.start[i] + 1;
    cg.built = aligned((size_t)cg.start[cg.rows] * sizeof(struct entry));
    for (long i = 0; i < cg.rows; i++) {
        fill[i] = cg.start[i] + 1;
        cg.built[cg.start[i]] = (struct entry){ (int)i, 1 };
    }
    for (long i = 0; i < cg.rows; i++)
        for (long k = 0; k < cg.pairs; k++) {
            double value = random_at(~(unsigned long)(i * cg.pairs + k)) - 0.5;

            add(fill, i, column_at(i, k), value);
            add(fill, column_at(i, k), i, value);
        }
    free(fill);
}

/* Pages of the copies come to be on the node of the thread that uses them. */
static void fill(int me)
{
    long first, end;

    team_share(cg.rows, me, cg.threads, &first, &end);
    memcpy(&cg.entry[cg.start[first]], &cg.built[cg.start[first]],
           (size_t)(cg.start[end] - cg.start[first]) * sizeof(struct entry));
    for (long i = first; i < end; i++) {
        cg.x[i] = 1;
        cg.z[i] = cg.r[i] = cg.p[i] = cg.q[i] = 0;
    }
}

/* --- steps ------------------------------------------------------------------------------ */

static void wait_for_all(int me)
{
    if (cg.active)
        team_meet(me);
    else
        team_wait();
}

static double row_times(long row, const double *v)
{
    double s = 0;

    for (long k = cg.start[row]; k < cg.start[row + 1]; k++)
        s += cg.entry[k].value * v[cg.entry[k].column];
    return s;
}

/* What thread @me reads instead of @v, which begins with a line.  Each thread begins with its own part. */
static const double *copy_of(int me, const double *v)
{
    double *copy = cg.copy[me];
    long first, end, lines = (cg.rows + IN_LINE - 1) / IN_LINE;

    if (!cg.local)
        return v;
    team_share(lines, me, cg.threads, &first, &end);
    for (long n = 0; n < lines; n++) {
        long at = (first + n) % lines * IN_LINE;

        __builtin_prefetch(&v[(first + n + AHEAD) % lines * IN_LINE], 0, 2);
        for (long i = at; i < at + IN_LINE && i < cg.rows; i++)
            copy[i] = v[i];
    }
    return copy;
}

/* The sum of all threads' @mine; all get the same. */
static double add_up(int me, double mine)
{
    long apart = cg.compact ? 1 : LINE_BYTES / (long)sizeof(double);
    double all = 0;

    cg.sum[me * apart] = mine;
    wait_for_all(me);
    if (me == 0 || !cg.active)
        for (int i = 0; i < cg.threads; i++)
            all += cg.sum[i * apart];
    if (me == 0)
        cg.total = all;
    wait_for_all(me);
    return cg.active ? cg.total : all;
}

static double dot(int me, const double *a, const double *b)
{
    double s = 0;
    long first, end;

    team_share(cg.rows, me, cg.threads, &first, &end);
    for (long i = first; i < end; i++)
        s += a[i] * b[i];
    return add_up(me, s);
}

/* matrix * z = x, nearly */
static void solve(int me)
{
    long first, end;
    double rho;

    team_share(cg.rows, me, cg.threads, &first, &end);
    for (long i = first; i < end; i++) {
        cg.z[i] = 0;
        cg.r[i] = cg.p[i] = cg.x[i];
    }
    rho = dot(me, cg.r, cg.r);
    for (int step = 0; step < cg.inner; step++) {
        const double *p = copy_of(me, cg.p);
        double alpha, before = rho;

        for (long i = first; i < end; i++)
            cg.q[i] = row_times(i, p);
        alpha = rho / dot(me, cg.p, cg.q);
        for (long i = first; i < end; i++) {
            cg.z[i] += alpha * cg.p[i];
            cg.r[i] -= alpha * cg.q[i];
        }
        rho = dot(me, cg.r, cg.r);
        for (long i = first; i < end; i++)
            cg.p[i] = cg.r[i] + rho / before * cg.p[i];
        wait_for_all(me);
    }
}

static void work(int me)
{
    long first, end;

    team_share(cg.rows, me, cg.threads, &first, &end);
    if (!cg.main_first)
        fill(me);
    else if (me == 0)
        for (int i = 0; i < cg.threads; i++)
            fill(i);
    if (cg.local)
        cg.copy[me] = aligned((size_t)cg.rows * sizeof(double));
    team_wait();
    if (me == 0)
        cg.begun = seconds();
    for (int step = 0; step < cg.outer; step++) {
        double xz, zz;

        solve(me);
        xz = dot(me, cg.x, cg.z);
        zz = dot(me, cg.z, cg.z);
        if (me == 0)
            cg.eigenvalue = 1 / xz;
        for (long i = first; i < end; i++) {
            cg.q[i] = cg.x[i]; /* what z is the solution for */
            cg.x[i] = cg.z[i] / sqrt(zz);
        }
        wait_for_all(me);
    }
    if (me == 0)
        cg.ended = seconds();
}

/* How well the last z solves its equation, relative to the right side. */
static double residual(void)
{
    double wrong = 0, right = 0;

    for (long i = 0; i < cg.rows; i++) {
        double d = row_times(i, cg.z) - cg.q[i];

        wrong += d * d;
        right += cg.q[i] * cg.q[i];
    }
    return sqrt(wrong / right);
}

static void usage(void)
{
    fprintf(
        stderr,
        "usage: cg [-n ROWS] [-k PAIRS] [-t TIMES] [-s STEPS] [-p THREADS] [-c] [-l] [-w] [-i]\n"
        "  -t  steps of the outer loop; -s: of conjugate gradients in each\n"
        "  -c  sums of all threads are in the same lines\n"
        "  -l  each thread copies the vector of directions before it uses it\n"
        "  -w  threads wait for each other actively, without the kernel\n"
        "  -i  thread 0 initializes all data, so that it touches all pages first\n");
    exit(2);
}

static void parse(int argc, char **argv)
{
    int c;

    cg.rows = 1400;
    cg.pairs = 6;
    cg.outer = 2;
    cg.inner = 15;
    cg.threads = 1;
    while ((c = getopt(argc, argv, "n:k:t:s:p:clwi")) != -1)
        if (c == 'n')
            cg.rows = option_number("-n", optarg, 1, 1L << 30);
        else if (c == 'k')
            cg.pairs = option_number("-k", optarg, 1, 1000);
        else if (c == 't')
            cg.outer = (int)option_number("-t", optarg, 1, 100);
        else if (c == 's')
            cg.inner = (int)option_number("-s", optarg, 1, 1000);
        else if (c == 'p')
            cg.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 'c')
            cg.compact = 1;
        else if (c == 'l')
            cg.local = 1;
        else if (c == 'w')
            cg.active = 1;
        else if (c == 'i')
            cg.main_first = 1;
        else
            usage();
    if (optind < argc)
        usage();
}

int main(int argc, char **argv)
{
    double **const vector[] = { &cg.x, &cg.z, &cg.r, &cg.p, &cg.q };

    parse(argc, argv);
    build();
    cg.entry = aligned((size_t)cg.start[cg.rows] * sizeof(struct entry));
    for (int i = 0; i < 5; i++)
        *vector[i] = aligned((size_t)cg.rows * sizeof(double));
    cg.sum = aligned((size_t)cg.threads * LINE_BYTES);
    team_run(cg.threads, work);
    cg.residual = residual();
    printf("cg: %ld rows, %ld entries, %d threads: %.1f us; eigenvalue %.9f, residual %.1e\n",
           cg.rows, cg.start[cg.rows], cg.threads, 1e6 * (cg.ended - cg.begun), cg.eigenvalue,
           cg.residual);
    return !(cg.residual < 1e-6);
}
