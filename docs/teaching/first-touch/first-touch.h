/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 2-first-touch.md explains it. */
#ifndef FIRST_TOUCH_H
#define FIRST_TOUCH_H

/* Thread me of the threads 0 to threads - 1 prepares its part of x[0] to x[n - 1]: x[i] becomes i % 8. */
void initialize(int me, int threads, double *x, long n);
/* The same thread's part of the sum of x[0] to x[n - 1]. */
double sum(int me, int threads, const double *x, long n);

#endif
