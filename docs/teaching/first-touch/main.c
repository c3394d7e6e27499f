// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads on eight nodes initialize a vector, then add it up with the functions of first-touch.c.
 * The sum is the region "sum"; the line `sum S, right R` comes out.
 */
#include "first-touch.h"
#include "kit.h"

#define THREADS 8
#define N       (THREADS * 16 * PAGE_BYTES / 8) /* 16 pages for each thread */

static double vector[N] __attribute__((aligned(PAGE_BYTES)));
static struct {
    double sum;
} __attribute__((aligned(LINE_BYTES))) part[THREADS];

static void work(int me)
{
    initialize(me, THREADS, vector, N);
    team_wait();
    if (me == 0)
        region_begin("sum");
    team_wait();
    part[me].sum = sum(me, THREADS, vector, N);
    team_wait();
    if (me == 0)
        region_end();
}

int main(void)
{
    double all = 0, right = 0;

    use_nodes(THREADS);
    team_run(THREADS, work);
    for (int i = 0; i < THREADS; i++)
        all += part[i].sum;
    for (long i = 0; i < N; i++)
        right += (double)(i % 8);
    printf("sum %.0f, right %.0f\n", all, right);
    return 0;
}
