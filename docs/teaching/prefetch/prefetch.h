/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exercise's interface: 5-prefetch.md explains it. */
#ifndef PREFETCH_H
#define PREFETCH_H

#define LINE_DOUBLES 16 /* doubles in a line of the secondary cache */

/* y[i] becomes y[i] + a * x[i] for i from 0 to n - 1.  Both begin with a page; n is a multiple of a page. */
void add(double *y, const double *x, double a, long n);

#endif
