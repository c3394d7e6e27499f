// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A contended lock: four threads on four nodes take one spin lock and add to the sum beside it.
 *
 * Each of the 4 * TIMES turns needs the line at least once from the node that had it before, unless the
 * same thread gets the lock again: that happens within a quantum (1 us), so at most a few dozen times.
 */
#include "disease.h"

#define TIMES 1000

static struct {
    int taken;
    long sum;
} lock __attribute__((aligned(LINE)));

static void work(int me)
{
    (void)me;
    for (int i = 0; i < TIMES; i++) {
        while (__atomic_exchange_n(&lock.taken, 1, __ATOMIC_ACQUIRE))
            ;
        lock.sum++;
        __atomic_store_n(&lock.taken, 0, __ATOMIC_RELEASE);
    }
}

int main(void)
{
    start(4, work);
    if (lock.sum != 4 * TIMES)
        return 1;
    expect("lock", "true sharing", 4 * TIMES / 40, 1000000);
    return 0;
}
