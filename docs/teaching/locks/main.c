// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads on eight nodes enter a section with the lock of locks.c, TIMES times each, as fast as they can.
 * That is the region "lock".  Two lines come out:
 *   entered N of 800          what a counter has that only the section changes
 *   ahead D                   how many entries lay between the threads that had most and least: from the moment when
 *                             each had one until the first had all of its own.  Threads do not start at the same time
 */
#include "kit.h"
#include "locks.h"

#define TIMES 100
#define STAYS 100 /* steps of a loop in the section */

static struct {
    long entered;
    int order[THREADS * TIMES];
} section __attribute__((aligned(PAGE_BYTES)));

static void work(int me)
{
    team_meet(me);
    if (me == 0)
        region_begin("lock");
    team_meet(me);
    for (int i = 0; i < TIMES; i++) {
        long at;

        acquire(me);
        at = *(volatile long *)&section.entered;
        section.order[at] = me;
        for (volatile int i = 0; i < STAYS; i++)
            ;
        *(volatile long *)&section.entered = at + 1;
        release(me);
    }
    team_meet(me);
    if (me == 0)
        region_end();
}

static int ahead(void)
{
    int turns[THREADS] = { 0 }, since[THREADS] = { 0 }, most, least, threads = 0;

    for (long i = 0; i < section.entered; i++) {
        int me = section.order[i];

        threads += turns[me] == 0;
        since[me] += threads == THREADS;
        if (++turns[me] == TIMES)
            break;
    }
    most = least = since[0];
    for (int t = 1; t < THREADS; t++) {
        most = since[t] > most ? since[t] : most;
        least = since[t] < least ? since[t] : least;
    }
    return threads == THREADS ? most - least : TIMES;
}

int main(void)
{
    use_nodes(THREADS);
    put_on(0, &section, sizeof(section));
    team_run(THREADS, work);
    printf("entered %ld of %d\nahead %d\n", section.entered, THREADS * TIMES, ahead());
    return 0;
}
