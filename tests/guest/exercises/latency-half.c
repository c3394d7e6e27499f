// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 0 0 0 */
/* The circle leads through every second line, twice: the second time they are in the cache. */
#include "latency.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct place *link_lines(struct place *memory, long lines)
{
    for (long i = 0; i < lines; i++)
        memory[i / 2 * 2 * LINE_WORDS].next = &memory[(i / 2 * 2 + 2) % lines * LINE_WORDS];
    return memory;
}

double follow(struct place *first, long loads)
{
    double begin = now();

    for (long i = 0; i < loads; i++)
        first = ((struct place *volatile)first)->next;
    /* The compiler must not leave the loads out. */
    __asm__ volatile("" : : "r"(first));
    return (now() - begin) / (double)loads;
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
