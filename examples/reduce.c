// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sum of a vector, element by element: what one, two or more processors get out of memory when they use all
 * of each line (U. Prestor's thesis, figure 6.1).
 *
 * Each thread adds up its own stretch, whose pages it touched first, several times; the caches hold none
 * of it if it is larger than they are.  Before that, each reads another vector as large as its stretch, so
 * that memory has all lines.  The threads wait for each other before each sum.
 */
#include "team.h"

#include <getopt.h>

static struct {
    int threads, times;
    long n; /* of each thread */
    struct {
        double *x, sum;
    } __attribute__((aligned(LINE_BYTES))) part[TEAM_MAX];
    double begun, ended;
} reduce;

/* Read as much as the stretch has: lines that were written go back to memory. */
static double displace(void)
{
    double *other = aligned((size_t)reduce.n * sizeof(double)), sum = 0;

    memset(other, 0, (size_t)reduce.n * sizeof(double));
    for (long i = 0; i < reduce.n; i += LINE_BYTES / 8)
        sum += other[i];
    free(other);
    return sum;
}

static void work(int me)
{
    double *x = reduce.part[me].x = aligned((size_t)reduce.n * sizeof(double)), sum;

    for (long i = 0; i < reduce.n; i++)
        x[i] = (double)(i % 8);
    sum = displace();
    team_wait();
    if (me == 0) {
        team_mark("sums");
        reduce.begun = seconds();
    }
    for (int t = 0; t < reduce.times; t++) {
        team_wait();
        for (long i = 0; i < reduce.n; i++)
            sum += x[i];
    }
    reduce.part[me].sum = sum;
    team_wait();
    if (me == 0) {
        reduce.ended = seconds();
        team_mark("end");
    }
}

static void usage(void)
{
    fprintf(stderr, "usage: reduce [-n DOUBLES_OF_A_THREAD] [-t TIMES] [-p THREADS] [-v]\n"
                    "  -v  print when the sums begin and end\n");
    exit(2);
}

int main(int argc, char **argv)
{
    double sum = 0, want, bytes;
    int c, verbose = 0;

    reduce.n = 1 << 20;
    reduce.times = 5;
    reduce.threads = 1;
    while ((c = getopt(argc, argv, "n:t:p:v")) != -1)
        if (c == 'n')
            reduce.n = option_number("-n", optarg, 8, 1L << 32) / 8 * 8;
        else if (c == 't')
            reduce.times = (int)option_number("-t", optarg, 1, 100);
        else if (c == 'p')
            reduce.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 'v')
            verbose = 1;
        else
            usage();
    if (optind < argc)
        usage();
    team_run(reduce.threads, work);
    for (int i = 0; i < reduce.threads; i++)
        sum += reduce.part[i].sum;
    bytes = (double)reduce.n * sizeof(double) * reduce.threads * reduce.times;
    want = 3.5 * (double)reduce.n * reduce.threads * reduce.times;
    printf("reduce: %d threads, %ld doubles each: %.1f MB/s; %s\n", reduce.threads, reduce.n,
           1e-6 * bytes / (reduce.ended - reduce.begun), sum == want ? "right" : "WRONG");
    if (verbose)
        team_print_marks();
    return sum != want;
}
