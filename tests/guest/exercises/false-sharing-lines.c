// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 4 0 2 */
/* A line for each counter: no sharing, and eight lines of each thread. */
#include "false-sharing.h"

static struct {
    long count;
} __attribute__((aligned(128))) of[THREADS][KINDS];

void record(int me, int kind)
{
    of[me][kind].count++;
}

long total(int kind)
{
    long sum = 0;

    for (int t = 0; t < THREADS; t++)
        sum += of[t][kind].count;
    return sum;
}
