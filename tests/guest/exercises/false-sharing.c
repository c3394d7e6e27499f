// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 4 2 2 */
#include "false-sharing.h"

static struct {
    long count[KINDS];
} __attribute__((aligned(128))) of[THREADS];

void record(int me, int kind)
{
    of[me].count[kind]++;
}

long total(int kind)
{
    long sum = 0;

    for (int t = 0; t < THREADS; t++)
        sum += of[t].count[kind];
    return sum;
}
