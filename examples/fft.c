// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Six-step FFT: the discrete Fourier transform of 2^m complex points by all processors.
 *
 * The points are a matrix of 2^(m/2) rows, and each thread has a stretch of rows.  Steps: transpose,
 * transform the rows, multiply by the roots of unity, transpose, transform the rows, transpose.  Threads
 * need each other's rows in the transposes only.  The algorithm is D. H. Bailey, "FFTs in External or
 * Hierarchical Memory" (1990); the SPLASH-2 suite has a kernel of this kind, which U. Prestor's thesis
 * measures (6.4).
 *
 * In a transpose a thread reads a patch of the matrix from each thread.  Who is first?
 *
 *   none       thread 0 for everybody: one memory after the other is a hot spot
 *   basic      the next thread, then the one behind it: no two threads read the same rows, if they keep step
 *   scrambled  an order in which a thread that is late does not delay the one behind it: the number of the
 *              step, its bits reversed, exclusive-or the thread's own number
 */
#include "team.h"

#include <getopt.h>
#include <math.h>

/* Lines of 128 bytes hold 8 points: patches are transposed by blocks of 8 times 8. */
#define BLOCK 8

enum stagger { NONE, BASIC, SCRAMBLED };

struct point {
    double re, im;
};

static struct {
    int threads, m;
    enum stagger stagger;
    int main_first;             /* thread 0 touches all data first */
    long side;                  /* rows and columns */
    struct point *data, *other; /* side * side: transposes go from one to the other */
    struct point *twiddle;      /* side * side: root of unity number i * j of side * side */
    struct point *root;         /* side: roots of unity of side, for the rows */
    double transpose[TEAM_MAX]; /* seconds of each thread */
    double begun, ended;
} fft;

static struct point times(struct point a, struct point b)
{
    return (struct point){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static struct point unit(long number, long of)
{
    double angle = -2 * M_PI * (double)number / (double)of;

    return (struct point){ cos(angle), sin(angle) };
}

static struct point input(long i)
{
    return (struct point){ random_at(2 * (unsigned long)i) - 0.5,
                           random_at(2 * (unsigned long)i + 1) - 0.5 };
}

/* Fill in the rows from @first to before @end: their pages come to be on the caller's node. */
static void fill(long first, long end)
{
    long n = fft.side * fft.side;

    for (long i = first; i < end; i++) {
        struct point step = unit(i, n), w = { 1, 0 };

        for (long j = 0; j < fft.side; j++) {
            fft.data[i * fft.side + j] = input(i * fft.side + j);
            fft.other[i * fft.side + j] = (struct point){ 0, 0 };
            if (j % 32 == 0)
                w = unit(i * j % n, n); /* products lose digits */
            fft.twiddle[i * fft.side + j] = w;
            w = times(w, step);
        }
    }
}

/* --- steps ---------------------------------------------------------------------- */

static int reversed(int step, int threads)
{
    int r = 0;

    for (int bit = 1; bit < threads; bit *= 2)
        r = 2 * r | !!(step & bit);
    return r;
}

/* Whose patch thread @me transposes in step @step. */
static int partner(int me, int step)
{
    switch (fft.stagger) {
    case BASIC:
        return (me + 1 + step) % fft.threads;
    case SCRAMBLED:
        return me ^ reversed(step, fft.threads);
    default:
        return step;
    }
}

/* Rows of thread @from and columns of thread @me of @a become rows of @me of @b. */
static void transpose_patch(const struct point *a, struct point *b, int me, int from)
{
    long row, last_row, column, last_column;

    team_share(fft.side, from, fft.threads, &row, &last_row);
    for (; row < last_row; row += BLOCK) {
        team_share(fft.side, me, fft.threads, &column, &last_column);
        for (; column < last_column; column += BLOCK)
            for (long i = row; i < row + BLOCK; i++)
                for (long j = column; j < column + BLOCK; j++)
                    b[j * fft.side + i] = a[i * fft.side + j];
    }
}

static void transpose(const struct point *a, struct point *b, int me)
{
    double begun = seconds();

    for (int step = 0; step < fft.threads; step++)
        transpose_patch(a, b, me, partner(me, step));
    fft.transpose[me] += seconds() - begun;
}

/* Transform one row in place: decimation in time, radix 2. */
static void transform(struct point *x)
{
    long n = fft.side;

    for (long i = 1, j = 0; i < n; i++) {
        long bit = n / 2;

        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct point t = x[i];

            x[i] = x[j];
            x[j] = t;
        }
    }
    for (long half = 1; half < n; half *= 2)
        for (long i = 0; i < n; i += 2 * half)
            for (long k = 0; k < half; k++) {
                struct point a = x[i + k];
                struct point b = times(x[i + k + half], fft.root[k * (n / half / 2)]);

                x[i + k] = (struct point){ a.re + b.re, a.im + b.im };
                x[i + k + half] = (struct point){ a.re - b.re, a.im - b.im };
            }
}

static void work(int me)
{
    long first, end;

    team_share(fft.side, me, fft.threads, &first, &end);
    if (!fft.main_first)
        fill(first, end);
    else if (me == 0)
        fill(0, fft.side);
    team_wait();
    if (me == 0)
        fft.begun = seconds();
    transpose(fft.data, fft.other, me);
    for (long i = first; i < end; i++) {
        transform(&fft.other[i * fft.side]);
        for (long j = i * fft.side; j < (i + 1) * fft.side; j++)
            fft.other[j] = times(fft.other[j], fft.twiddle[j]);
    }
    team_wait();
    transpose(fft.other, fft.data, me);
    for (long i = first; i < end; i++)
        transform(&fft.data[i * fft.side]);
    team_wait();
    transpose(fft.data, fft.other, me);
    team_wait();
    if (me == 0)
        fft.ended = seconds();
}

/* --- the result ------------------------------------------------------------------- */

/* The largest error of some points, each computed from its definition. */
static double error(void)
{
    static const double some[] = { 0, 0.3, 0.777 };
    long n = fft.side * fft.side;
    double most = 0;

    for (size_t s = 0; s < sizeof(some) / sizeof(some[0]); s++) {
        long k = (long)(some[s] * (double)n);
        struct point sum = { 0, 0 };

        for (long i = 0; i < n; i++) {
            /* i * k = row * side + column: the root is in the tables. */
            long number = i * k % n, row = number / fft.side, column = number % fft.side;
            struct point w = times(fft.root[row], fft.twiddle[fft.side + column]);
            struct point p = times(input(i), w);

            sum.re += p.re;
            sum.im += p.im;
        }
        most = fmax(most, hypot(sum.re - fft.other[k].re, sum.im - fft.other[k].im));
    }
    return most;
}

static void usage(void)
{
    fprintf(stderr, "usage: fft [-m LOG2_POINTS] [-p THREADS] [-s none|basic|scrambled] [-i]\n"
                    "  -i  thread 0 initializes all data, so that it touches all pages first\n");
    exit(2);
}

static enum stagger stagger(const char *name)
{
    static const char *const names[] = { "none", "basic", "scrambled" };

    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i]))
            return (enum stagger)i;
    usage();
    return NONE;
}

int main(int argc, char **argv)
{
    double transpose = 0, wrong;
    int c;

    fft.m = 16;
    fft.threads = 1;
    fft.stagger = BASIC;
    while ((c = getopt(argc, argv, "m:p:s:i")) != -1)
        if (c == 'm')
            fft.m = (int)option_number("-m", optarg, 6, 28);
        else if (c == 'p')
            fft.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 's')
            fft.stagger = stagger(optarg);
        else if (c == 'i')
            fft.main_first = 1;
        else
            usage();
    fft.side = 1L << fft.m / 2;
    if (optind < argc || fft.m % 2 || fft.threads & (fft.threads - 1) ||
        fft.side < BLOCK * fft.threads) {
        fprintf(stderr, "fft: -m is even, -p a power of 2, and each thread has %d rows or more\n",
                BLOCK);
        usage();
    }
    fft.data = aligned((size_t)(fft.side * fft.side) * sizeof(struct point));
    fft.other = aligned((size_t)(fft.side * fft.side) * sizeof(struct point));
    fft.twiddle = aligned((size_t)(fft.side * fft.side) * sizeof(struct point));
    fft.root = aligned((size_t)fft.side * sizeof(struct point));
    for (long i = 0; i < fft.side; i++)
        fft.root[i] = unit(i, fft.side);
    team_run(fft.threads, work);
    for (int i = 0; i < fft.threads; i++)
        transpose += fft.transpose[i] / fft.threads;
    wrong = error();
    printf("fft: %ld points, %d threads: %.1f us, transposes %.1f us; largest error %.1e\n",
           fft.side * fft.side, fft.threads, 1e6 * (fft.ended - fft.begun), 1e6 * transpose, wrong);
    return wrong > 1e-9 * (double)fft.side;
}
