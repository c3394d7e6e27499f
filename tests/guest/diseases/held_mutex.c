// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A contended mutex with long holds: three threads sleep under it, one after the other, TURNS times each.
 *
 * They begin each turn together.  Thread 0 takes the mutex first, and the others call when it has it: each of them finds
 * it taken, once a turn.  Without that order the thread that gives the mutex back would take it again before the kernel
 * has woken another.  Thread 0 sleeps for twice HELD us, so that more time is spent on the mutex than on the barrier.
 */
#include "waiter.h"

#include <stdatomic.h>

#define THREADS 3
#define TURNS   5
#define HELD    2000

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_int taken __attribute__((aligned(LINE))); /* by thread 0, how often */

static void work(int me)
{
    for (int i = 0; i < TURNS; i++) {
        while (me && atomic_load(&taken) <= i)
            continue;
        WAIT(me, FUTEX, pthread_mutex_lock(&held));
        if (!me)
            atomic_fetch_add(&taken, 1);
        WAIT(me, SLEEP, usleep(me ? HELD : 2 * HELD));
        pthread_mutex_unlock(&held);
        pthread_barrier_wait(&disease.barrier);
    }
}

int main(void)
{
    start(THREADS, work);
    waited(THREADS);
    return 0;
}
