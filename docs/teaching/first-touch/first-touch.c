// SPDX-License-Identifier: GPL-2.0-or-later
/* On which node does a page lie, and who uses it?  Yours to change. */
#include "first-touch.h"

/* As in a program that was serial once. */
void initialize(int me, int threads, double *x, long n)
{
    (void)threads;
    if (me != 0)
        return;
    for (long i = 0; i < n; i++)
        x[i] = (double)(i % 8);
}

/* The threads take turns. */
double sum(int me, int threads, const double *x, long n)
{
    double s = 0;

    for (long i = me; i < n; i += threads)
        s += x[i];
    return s;
}
