// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 0 2 0 */
/* Each adds up a part of its own, but one has initialized all. */
#include "first-touch.h"

void initialize(int me, int threads, double *x, long n)
{
    (void)threads;
    for (long i = 0; me == 0 && i < n; i++)
        x[i] = (double)(i % 8);
}

double sum(int me, int threads, const double *x, long n)
{
    double s = 0;

    for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
        s += x[i];
    return s;
}
