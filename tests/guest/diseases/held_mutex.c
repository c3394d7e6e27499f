// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A contended mutex with long holds: three threads in turn sleep HELD us under it, TURNS times each.
 *
 * While one sleeps the two others wait for the mutex, unless they have had all of their turns.
 */
#include "waiter.h"

#define THREADS 3
#define TURNS   5
#define HELD    2000

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void work(int me)
{
    for (int i = 0; i < TURNS; i++) {
        WAIT(me, FUTEX, pthread_mutex_lock(&held));
        WAIT(me, SLEEP, usleep(HELD));
        pthread_mutex_unlock(&held);
        sched_yield();
    }
}

int main(void)
{
    start(THREADS, work);
    waited(THREADS);
    return 0;
}
