// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two problems of the same size, side by side: thread 2 reads the array `left` and thread 3 the array `right`, line by
 * line, and main() has touched both first.  Its node is as far from that of thread 2 as from that of thread 3.  In each
 * round both wait for the slower one, so one array on the node that uses it gains nothing, and both gain what two thirds
 * of a remote access take.
 *
 * Each array is larger than the L2.  So each round misses all lines of both.
 */
#include "disease.h"

#define PAGE  16384
#define PAGES 512
#ifndef ROUNDS
#define ROUNDS 4
#endif

static volatile char left[PAGES][PAGE] __attribute__((aligned(PAGE)));
static volatile char right[PAGES][PAGE] __attribute__((aligned(PAGE)));
static pthread_barrier_t both __attribute__((aligned(LINE)));

static void read_all(int me)
{
    volatile char(*mine)[PAGE] = me == 2 ? left : right;

    if (me < 2)
        return;
    for (int n = 0; n < ROUNDS; n++) {
        pthread_barrier_wait(&both);
        for (int i = 0; i < PAGES; i++)
            for (int at = 0; at < PAGE; at += LINE)
                (void)mine[i][at];
    }
}

int main(void)
{
    on_cpu(0);
    for (int i = 0; i < PAGES; i++)
        left[i][0] = right[i][0] = 1;
    pthread_barrier_init(&both, NULL, 2);
    start(4, read_all);
    expect("left", "memory far from its users", PAGES, (long)PAGES * PAGE / LINE * ROUNDS);
    return 0;
}
