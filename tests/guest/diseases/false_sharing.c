// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * False sharing: two threads on two nodes count in two counters of one line.
 *
 * Machine time lets a processor run for at most a quantum (1 us) before the other one
 * goes on, so the line changes hands at least once in a few dozen increments and at most
 * once an increment.
 *
 * Remedy: a line for each counter.
 */
#include "disease.h"

#define TIMES 20000

struct pair {
    volatile long left OWN_LINE;
    volatile long right OWN_LINE;
};

static struct pair counters __attribute__((aligned(LINE)));

static void count(int me)
{
    for (int i = 0; i < TIMES; i++)
        if (me)
            counters.right++;
        else
            counters.left++;
}

int main(void)
{
    start(2, count);
    if (counters.left != TIMES || counters.right != TIMES)
        return 1;
    expect("counters", "false sharing", TIMES / 100, 4 * TIMES);
    return 0;
}
