// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line with two problems: two threads pass a lock's word on, and two read a word beside it that nobody writes.
 *
 * Each time a writer has taken the line, each reader loses it: the writers share truly, the readers falsely.
 *
 * Remedy: the readers' word on a line of its own. The writers need another one: fewer changes of the lock.
 */
#include "disease.h"

#define TIMES   20000
#define WRITERS 2
#define READERS 2

static struct {
    volatile long lock;
    char space[56];
    volatile long limit OWN_LINE;
} __attribute__((aligned(LINE))) line = { .limit = 1 };

static void work(int me)
{
    long sum = 0;

    for (int i = 0; i < TIMES; i++) {
        if (me < WRITERS)
            __sync_fetch_and_add(&line.lock, 1); /* LOCK */
        else
            sum += line.limit; /* LIMIT */
        /* Readers read less often than writers write, so that their problem is the smaller one. */
        for (int k = 0; k < (me < WRITERS ? 50 : 400); k++)
            __asm__ volatile("");
    }
    if (me >= WRITERS && sum != TIMES)
        abort();
}

int main(void)
{
    start(WRITERS + READERS, work);
    expect("line", "true sharing", 1, 2L * TIMES * (WRITERS + READERS));
    return 0;
}
