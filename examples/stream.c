// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bandwidth of long vectors: copy, scale, add and triad, the four loops of J. McCalpin's STREAM, with and
 * without prefetching.
 *
 * With -f each loop prefetches the vectors that it reads, as a compiler for the R10000 does: a prefetch for
 * reading brings a shared copy.  The loop that writes such a line later must ask for it once more (U. Prestor's
 * thesis, 6.2).  With -F it also prefetches the vector that it writes, for writing.
 *
 * The vectors are static, so that a placement file can name their addresses (dplace).  Without -o, equal
 * elements of all three fall into one set of the primary cache, which has room for two of their lines.
 */
#include "team.h"

#include <getopt.h>
#include <math.h>

#define AHEAD   16 /* doubles of a line */
#define LINES   4  /* prefetched so many lines ahead */
#define SCALE   3.0
#define KERNELS 4
#define MOST    (1l << 22) /* doubles of a vector */

static struct {
    int threads, times, prefetch;
    int main_first; /* thread 0 touches all vectors first */
    long n, apart;  /* doubles: in a vector; by which the next one begins later in its page */
    double *a, *b, *c;
    double best[KERNELS]; /* seconds */
    double begun, ended;
} stream;

static double vector[3][MOST] __attribute__((aligned(PAGE_BYTES)));

static const char *const name[KERNELS] = { "copy", "scale", "add", "triad" };
static const int vectors[KERNELS] = { 2, 2, 3, 3 };

/*
 * What is wanted soon, when the line with element @i begins: @to is written, @x and @y (or NULL) are read.
 * Without the attribute GCC takes this for a function that does nothing, and drops the calls.
 */
static inline __attribute__((always_inline)) void ahead(long i, const double *to, const double *x,
                                                        const double *y)
{
    long at = i + LINES * AHEAD;

    if (!stream.prefetch)
        return;
    __builtin_prefetch(x + at, 0, 2);
    if (y)
        __builtin_prefetch(y + at, 0, 2);
    if (stream.prefetch > 1)
        __builtin_prefetch(to + at, 1, 2);
}

/* Loop number @k, line by line, from @first to before @end, which begin lines. */
static void kernel(int k, long first, long end)
{
    double *a = stream.a, *b = stream.b, *c = stream.c;

    for (long line = first; line < end; line += AHEAD)
        switch (k) {
        case 0:
            ahead(line, c, a, NULL);
            for (long i = line; i < line + AHEAD; i++)
                c[i] = a[i];
            break;
        case 1:
            ahead(line, b, c, NULL);
            for (long i = line; i < line + AHEAD; i++)
                b[i] = SCALE * c[i];
            break;
        case 2:
            ahead(line, c, a, b);
            for (long i = line; i < line + AHEAD; i++)
                c[i] = a[i] + b[i];
            break;
        default:
            ahead(line, a, b, c);
            for (long i = line; i < line + AHEAD; i++)
                a[i] = b[i] + SCALE * c[i];
        }
}

static void fill(long first, long end)
{
    for (long i = first; i < end; i++) {
        stream.a[i] = 1;
        stream.b[i] = 2;
        stream.c[i] = 0;
    }
}

static void work(int me)
{
    static double begun;
    long first, end;

    team_share(stream.n / AHEAD, me, stream.threads, &first, &end);
    first *= AHEAD;
    end *= AHEAD;
    if (!stream.main_first)
        fill(first, end);
    else if (me == 0)
        fill(0, stream.n);
    team_wait();
    if (me == 0) {
        team_mark("loops");
        stream.begun = seconds();
    }
    for (int t = 0; t < stream.times; t++)
        for (int k = 0; k < KERNELS; k++) {
            team_wait();
            if (me == 0)
                begun = seconds();
            kernel(k, first, end);
            team_wait();
            if (me == 0) {
                double took = seconds() - begun;

                if (t == 0 || took < stream.best[k])
                    stream.best[k] = took;
            }
        }
    if (me == 0) {
        stream.ended = seconds();
        team_mark("end");
    }
}

/* All elements of a vector are the same, and follow from the loops. */
static int is_right(void)
{
    double a = 1, b = 2, c = 0, worst = 0;

    for (int t = 0; t < stream.times; t++) {
        c = a;
        b = SCALE * c;
        c = a + b;
        a = b + SCALE * c;
    }
    for (long i = 0; i < stream.n; i++) {
        worst = fmax(worst, fabs(stream.a[i] / a - 1));
        worst = fmax(worst, fabs(stream.b[i] / b - 1));
        worst = fmax(worst, fabs(stream.c[i] / c - 1));
    }
    return worst < 1e-12;
}

static void usage(void)
{
    fprintf(stderr,
            "usage: stream [-n DOUBLES] [-o DOUBLES] [-t TIMES] [-p THREADS] [-f | -F] [-i] [-v]\n"
            "  -o  each vector begins so much later in its page than the one before\n"
            "  -f  prefetch what is read; -F: and what is written\n"
            "  -i  thread 0 initializes the vectors, so that it touches all pages first\n"
            "  -v  print when the loops begin and end\n");
    exit(2);
}

int main(int argc, char **argv)
{
    int c, right, verbose = 0;

    stream.n = 1 << 18;
    stream.times = 3;
    stream.threads = 1;
    while ((c = getopt(argc, argv, "n:o:t:p:fFiv")) != -1)
        if (c == 'n')
            stream.n = option_number("-n", optarg, AHEAD, MOST) / AHEAD * AHEAD;
        else if (c == 'o')
            stream.apart = option_number("-o", optarg, 0, MOST / 2) / AHEAD * AHEAD;
        else if (c == 't')
            stream.times = (int)option_number("-t", optarg, 1, 100);
        else if (c == 'p')
            stream.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 'f' || c == 'F')
            stream.prefetch = c == 'F' ? 2 : 1;
        else if (c == 'i')
            stream.main_first = 1;
        else if (c == 'v')
            verbose = 1;
        else
            usage();
    if (optind < argc)
        usage();
    if (stream.n + 2 * stream.apart > MOST) {
        fprintf(stderr, "stream: -n and twice -o: at most %ld doubles\n", MOST);
        return 2;
    }
    stream.a = vector[0];
    stream.b = vector[1] + stream.apart;
    stream.c = vector[2] + 2 * stream.apart;
    team_run(stream.threads, work);
    right = is_right();
    for (int k = 0; k < KERNELS; k++)
        printf("%-5s %8.1f MB/s\n", name[k],
               1e-6 * vectors[k] * (double)stream.n * sizeof(double) / stream.best[k]);
    printf("stream: %ld doubles in each vector, %d threads: %.1f us; %s\n", stream.n,
           stream.threads, 1e6 * (stream.ended - stream.begun), right ? "right" : "WRONG");
    if (verbose)
        team_print_marks();
    return !right;
}
