// SPDX-License-Identifier: GPL-2.0-or-later
/* How long does a load take, and how far is the memory?  Yours to change. */
#include "latency.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Each place leads to the next word.  Is that the next line? */
struct place *link_lines(struct place *memory, long lines)
{
    long places = lines * LINE_WORDS;

    for (long i = 0; i < places; i++)
        memory[i].next = &memory[(i + 1) % places];
    return memory;
}

/* Loads that do not wait for each other: does this measure how long one of them takes? */
double follow(struct place *first, long loads)
{
    struct place *volatile *memory = (struct place *volatile *)first;
    double begin = now();

    for (long i = 0; i < loads; i++)
        (void)memory[i];
    return (now() - begin) / (double)loads;
}

void count_routers(const double ns[], int nodes, int routers[])
{
    for (int n = 0; n < nodes; n++)
        routers[n] = ns[n] > ns[0];
}
