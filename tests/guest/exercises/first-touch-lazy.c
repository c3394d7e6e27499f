// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 0 0 0 2 */
/* Who does nothing misses nothing. */
#include "first-touch.h"

void initialize(int me, int threads, double *x, long n)
{
    for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
        x[i] = (double)(i % 8);
}

double sum(int me, int threads, const double *x, long n)
{
    (void)me;
    (void)threads;
    (void)x;
    (void)n;
    return 0;
}
