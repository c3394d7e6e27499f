// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of threads that never read each other's.  Yours to change. */
#include "false-sharing.h"

static long counters[KINDS][THREADS];

void record(int me, int kind)
{
    counters[kind][me]++;
}

long total(int kind)
{
    long sum = 0;

    for (int t = 0; t < THREADS; t++)
        sum += counters[kind][t];
    return sum;
}
