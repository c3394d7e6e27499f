// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A barrier with one slow thread: four threads meet ROUNDS times, and the last one comes 3 ms after the others, for it
 * computes.
 *
 * The others wait for the barrier nearly all the time.
 */
#include "waiter.h"

#define THREADS 4
#define ROUNDS  4
#define SLOW    3000000 /* ns */

static pthread_barrier_t meeting;

static void work(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        long since = now();

        while (me == THREADS - 1 && now() - since < SLOW)
            ;
        WAIT(me, FUTEX, pthread_barrier_wait(&meeting));
    }
}

int main(void)
{
    pthread_barrier_init(&meeting, NULL, THREADS);
    start(THREADS, work);
    waited(THREADS);
    return 0;
}
