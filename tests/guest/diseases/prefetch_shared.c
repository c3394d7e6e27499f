// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prefetch to shared (thesis 6.2): a loop prefetches for reading what it then writes.  The prefetch
 * brings a shared copy, so each write is an upgrade, though nobody else uses the line.
 *
 * Remedy: prefetch for writing.
 */
#include "disease.h"

#include <string.h>

#define LINES 16384
#define AHEAD 8
#define PAIR  (2 * 16384 / LINE) /* lines that one entry of the TLB maps */

static volatile long vector[LINES][LINE / sizeof(long)] __attribute__((aligned(16384)));

/* On another node, so that the lines are in nobody's cache but the pages are there. */
static void work(int me)
{
    for (int i = 0; me == 1 && i < LINES; i++) {
        if (i + AHEAD < LINES)
            __builtin_prefetch((const void *)&vector[i + AHEAD][0], CURE);
        vector[i][0] = 1;
    }
}

int main(void)
{
    on_cpu(0);
    for (int i = 0; i < LINES; i++)
        vector[i][1] = 1;
    start(2, work);
    /*
     * The processor drops a prefetch whose address the TLB does not map: AHEAD lines in each pair
     * of pages, which share an entry.  A few prefetched lines are replaced before they are written.
     */
    expect("vector", "upgrades of lines that a prefetch made shared",
           LINES - AHEAD * (LINES / PAIR) - LINES / 64, 3 * LINES);
    return 0;
}
