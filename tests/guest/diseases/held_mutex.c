// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A contended mutex with long holds: three threads sleep HELD us under it, one after the other, TURNS times each.
 *
 * In each turn thread 0 takes the mutex first, and the others call when it has it: each of them finds it taken, once a turn.
 * Without that order the thread that gives the mutex back would take it again before the kernel has woken another.
 */
#include "waiter.h"

#include <stdatomic.h>

#define THREADS 3
#define TURNS   5
#define HELD    2000

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_int first_has_it, done;

static void until(atomic_int *count, int at_least)
{
    while (atomic_load(count) < at_least)
        continue;
}

static void work(int me)
{
    for (int i = 0; i < TURNS; i++) {
        if (me)
            until(&first_has_it, i + 1);
        WAIT(me, FUTEX, pthread_mutex_lock(&held));
        if (!me)
            atomic_fetch_add(&first_has_it, 1);
        WAIT(me, SLEEP, usleep(HELD));
        pthread_mutex_unlock(&held);
        atomic_fetch_add(&done, 1);
        until(&done, (i + 1) * THREADS);
    }
}

int main(void)
{
    start(THREADS, work);
    waited(THREADS);
    return 0;
}
