// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 3 2 3 */
#include "prefetch.h"

#define AHEAD (4 * LINE_DOUBLES)

/* One prefetch of each line; what lies beyond the end is not fetched. */
void add(double *y, const double *x, double a, long n)
{
    for (long i = 0; i < n; i += LINE_DOUBLES) {
        if (i + AHEAD < n) {
            __builtin_prefetch(&x[i + AHEAD], 0);
            __builtin_prefetch(&y[i + AHEAD], 1);
        }
        for (int k = 0; k < LINE_DOUBLES; k++)
            y[i + k] += a * x[i + k];
    }
}
