// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An upgrade storm: two threads on two nodes read every line of a table, a part at a time,
 * then one of them writes each.  Both have the lines shared by then, so each write is an upgrade.
 *
 * Remedy: the second thread writes at once.  Its writes still have to invalidate the other copy.
 */
#include "disease.h"

#define LINES 16384
#define PART  1024 /* lines that no L2 replaces between the reads and the writes */

static volatile long table[LINES][LINE / sizeof(long)] __attribute__((aligned(16384)));

static void work(int me)
{
    for (int part = 0; part < LINES; part += PART) {
        for (int i = part; me == 0 && i < part + PART; i++)
            (void)table[i][0];
        pthread_barrier_wait(&disease.barrier);
        for (int i = part; me == 1 && !CURE && i < part + PART; i++)
            (void)table[i][0];
        for (int i = part; me == 1 && i < part + PART; i++)
            table[i][0] = 1;
    }
}

int main(void)
{
    on_cpu(8); /* neither thread has had the lines */
    for (int i = 0; i < LINES; i++)
        table[i][1] = 1;
    start(2, work);
    expect("table", "upgrades of shared lines", LINES - LINES / 16, LINES + LINES / 64);
    return 0;
}
