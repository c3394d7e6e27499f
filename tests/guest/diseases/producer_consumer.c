// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Producer and consumer on two nodes pass messages of a line each through a slot.
 *
 * A message costs the consumer one miss at least, for the producer has written the line,
 * and the producer one, for the consumer has read it.
 *
 * Remedy: several messages at a time.  How long the threads then wait for each other in their loops is not what
 * the report estimates, so that no test compares it.
 */
#include "disease.h"

#define MESSAGES 4000

static struct {
    volatile long full, body[15];
} slot __attribute__((aligned(LINE)));

static void work(int me)
{
    for (long i = 1; i <= MESSAGES; i++) {
        while (slot.full != (me ? 1 : 0))
            ;
        if (me == 0)
            slot.body[i % 15] = i;
        else if (slot.body[i % 15] != i)
            exit(1);
        __sync_synchronize();
        slot.full = me ? 0 : 1;
    }
}

int main(void)
{
    start(2, work);
    expect("slot", "true sharing", 2 * MESSAGES, 40 * MESSAGES);
    return 0;
}
