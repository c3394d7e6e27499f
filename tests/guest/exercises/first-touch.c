// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 4 2 2 */
#include "first-touch.h"

void initialize(int me, int threads, double *x, long n)
{
    for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
        x[i] = (double)(i % 8);
}

double sum(int me, int threads, const double *x, long n)
{
    double s = 0;

    for (long i = n * me / threads; i < n * (me + 1) / threads; i++)
        s += x[i];
    return s;
}
