// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread that moves between two processors of different nodes and takes its data along.
 *
 * After a move each line of the data is modified in the cache that the thread has left: a
 * miss for each line and move.
 */
#include "disease.h"

#define MOVES 100
#define LINES 64

static volatile long state[LINES][LINE / sizeof(long)] __attribute__((aligned(LINE)));

int main(void)
{
    for (int i = 0; i < MOVES; i++) {
        on_cpu(i % 2 * 4);
        for (int j = 0; j < LINES; j++)
            state[j][0]++;
    }
    expect("state", "a thread that moves between processors", (MOVES - 2) * LINES,
           3 * MOVES * LINES);
    return 0;
}
