// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 3 0 0 */
/* For each element, and for writing what is only read. */
#include "prefetch.h"

void add(double *y, const double *x, double a, long n)
{
    for (long i = 0; i < n; i++) {
        __builtin_prefetch(&x[i + 4 * LINE_DOUBLES], 1);
        __builtin_prefetch(&y[i + 4 * LINE_DOUBLES], 1);
        y[i] += a * x[i];
    }
}
