// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Node 0 adds a vector to another one with the function of prefetch.c; both lie on node 6.  The addition is the
 * region "add"; the line `right N of M` says how many elements are right.
 */
#include "kit.h"
#include "prefetch.h"

#define N (16 * PAGE_BYTES / 8)

static double x[N] __attribute__((aligned(PAGE_BYTES)));
static double y[N] __attribute__((aligned(PAGE_BYTES)));

int main(void)
{
    long right = 0;

    use_node(0);
    put_on(6, x, sizeof(x));
    put_on(6, y, sizeof(y));
    for (long i = 0; i < N; i++) {
        x[i] = (double)(i % 13);
        y[i] = (double)(i % 7);
    }
    region_begin("add");
    add(y, x, 0.5, N);
    region_end();
    for (long i = 0; i < N; i++)
        right += y[i] == (double)(i % 7) + 0.5 * (double)(i % 13);
    printf("right %ld of %d\n", right, N);
    return 0;
}
