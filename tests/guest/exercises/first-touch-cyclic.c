// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 0 0 0 */
/* Each initializes what it adds up, but all use all lines. */
#include "first-touch.h"

void initialize(int me, int threads, double *x, long n)
{
    for (long i = me; i < n; i += threads)
        x[i] = (double)(i % 8);
}

double sum(int me, int threads, const double *x, long n)
{
    double s = 0;

    for (long i = me; i < n; i += threads)
        s += x[i];
    return s;
}
