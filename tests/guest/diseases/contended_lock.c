// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A contended lock: four threads on four nodes take one spin lock and add to the sum beside it.
 *
 * Each of the 4 * TIMES turns needs the line at least once from the node that had it before, unless the
 * same thread gets the lock again: that happens within a quantum (1 us), so at most a few dozen times.
 *
 * Remedy: a lock and a sum for each thread, added up at the end.
 */
#include "disease.h"

#define TIMES 1000

static struct {
    int taken;
    long sum;
} __attribute__((aligned(LINE))) lock[CURE ? 4 : 1];

static void work(int me)
{
    int mine = CURE ? me : 0;

    for (int i = 0; i < TIMES; i++) {
        while (__atomic_exchange_n(&lock[mine].taken, 1, __ATOMIC_ACQUIRE))
            ;
        lock[mine].sum++;
        __atomic_store_n(&lock[mine].taken, 0, __ATOMIC_RELEASE);
    }
}

int main(void)
{
    long sum = 0;

    start(4, work);
    for (size_t i = 0; i < sizeof(lock) / sizeof(lock[0]); i++)
        sum += lock[i].sum;
    if (sum != 4 * TIMES)
        return 1;
    expect("lock", "true sharing", 4 * TIMES / 40, 1000000);
    return 0;
}
