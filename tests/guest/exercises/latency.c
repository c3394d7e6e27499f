// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 3 4 3 */
#include "latency.h"

#include <time.h>

#define PARTS 8

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct place *link_lines(struct place *memory, long lines)
{
    for (long i = 0; i < lines; i++)
        memory[i * LINE_WORDS].next = &memory[(i + 1) % lines * LINE_WORDS];
    return memory;
}

/* A tick of the kernel's clock takes some 300 us, for caches are cold: so the time of a load is that of the middle parts. */
double follow(struct place *first, long loads)
{
    double took[PARTS];

    for (int i = 0, k; i < PARTS; i++) {
        double begin = now(), t;

        for (long n = 0; n < loads / PARTS; n++)
            first = ((struct place *volatile)first)->next;
        /* The compiler must not leave the loads out. */
        __asm__ volatile("" : : "r"(first));
        t = now() - begin;
        for (k = i; k > 0 && took[k - 1] > t; k--)
            took[k] = took[k - 1];
        took[k] = t;
    }
    return (took[PARTS / 2 - 1] + took[PARTS / 2]) / 2 / (double)(loads / PARTS);
}

/* Sorted by their time, nodes come in steps: to the first router is the largest one, further routers are a third of that. */
void count_routers(const double ns[], int nodes, int routers[])
{
    double nearest = ns[0], next = 1e9;

    for (int n = 0; n < nodes; n++)
        if (ns[n] < nearest)
            nearest = ns[n];
    for (int n = 0; n < nodes; n++)
        if (ns[n] > nearest && ns[n] < next)
            next = ns[n];
    for (int n = 0; n < nodes; n++)
        routers[n] =
            ns[n] == nearest ? 0 : 1 + (int)((ns[n] - next) / ((next - nearest) / 3) + 0.5);
}
