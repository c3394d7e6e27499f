// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stack sharing: three threads count in an array on the main thread's stack.  The counts are as in
 * false_sharing.c.
 *
 * Remedy: a line for each count.
 */
#include "disease.h"

#define TIMES 20000

/* Counts are so far apart, in counts. */
#define APART (CURE ? LINE / (int)sizeof(long) : 1)

static volatile long *counters;

static void count(int me)
{
    for (int i = 0; i < TIMES; i++)
        counters[me * APART]++;
}

int main(void)
{
    volatile long mine[4 * APART] __attribute__((aligned(LINE))) = { 0 };

    counters = mine;
    start(3, count);
    if (mine[0] != TIMES || mine[APART] != TIMES || mine[2 * APART] != TIMES)
        return 1;
    expect("stack of stack_sharing", "false sharing", TIMES / 100, 6 * TIMES);
    return 0;
}
