// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread that moves between two processors of different nodes and takes its data along.
 *
 * After a move each line of the data is modified in the cache that the thread has left: a
 * miss for each line and move.
 *
 * Remedy: the report's command leaves it one processor.  That saves what the kernel needs for the moves, too,
 * which is little for so many lines.
 */
#include "disease.h"

#define MOVES 50
#define LINES 512

static volatile long state[LINES][LINE / sizeof(long)] __attribute__((aligned(LINE)));

/* The processor with number @nth of those that the program may use, counted in a ring. */
static int cpu_number(int nth)
{
    static cpu_set_t allowed;
    int cpu = 0;

    if (!CPU_COUNT(&allowed))
        sched_getaffinity(0, sizeof(allowed), &allowed);
    nth %= CPU_COUNT(&allowed);
    while (!CPU_ISSET((size_t)cpu, &allowed) || nth-- > 0)
        cpu++;
    return cpu;
}

int main(void)
{
    for (int i = 0; i < MOVES; i++) {
        on_cpu(cpu_number(i % 2 * 4));
        for (int j = 0; j < LINES; j++)
            state[j][0]++;
    }
    expect("state", "a thread that moves between processors", (MOVES - 2) * LINES,
           3 * MOVES * LINES);
    return 0;
}
