// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 3 2 0 */
#include "prefetch.h"

void add(double *y, const double *x, double a, long n)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}
