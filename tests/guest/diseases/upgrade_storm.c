// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An upgrade storm: two threads on two nodes read every line of a table, then one of them
 * writes each.  Both have the lines shared by then, so each write is an upgrade.
 */
#include "disease.h"

#define LINES 4096

static volatile long table[LINES][LINE / sizeof(long)] __attribute__((aligned(16384)));

static void work(int me)
{
    for (int i = 0; i < LINES; i++)
        (void)table[i][0];
    pthread_barrier_wait(&disease.barrier);
    for (int i = 0; me == 1 && i < LINES; i++)
        table[i][0] = 1;
}

int main(void)
{
    on_cpu(8); /* neither thread has had the lines */
    for (int i = 0; i < LINES; i++)
        table[i][1] = 1;
    start(2, work);
    expect("table", "upgrades of shared lines", LINES - 64, LINES + 64);
    return 0;
}
