// SPDX-License-Identifier: GPL-2.0-or-later
/* A loop that prefetches: but what, how, and how far ahead?  Yours to change. */
#include "prefetch.h"

void add(double *y, const double *x, double a, long n)
{
    for (long i = 0; i < n; i++) {
        __builtin_prefetch(&y[i + 1], 0);
        y[i] += a * x[i];
    }
}
