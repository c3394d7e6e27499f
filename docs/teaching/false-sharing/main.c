// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads on eight nodes record events with the functions of false-sharing.c.  The recording is the
 * region "record"; the line `right N of 8` says how many totals are right.
 */
#include "false-sharing.h"
#include "kit.h"

#define EVENTS 1000

/* The kinds that a thread sees depend on the thread. */
static int kind_of(int me, int i)
{
    return (int)(random_at((unsigned long)(me * EVENTS + i)) * KINDS);
}

static void work(int me)
{
    team_meet(me);
    if (me == 0)
        region_begin("record");
    team_meet(me);
    for (int i = 0; i < EVENTS; i++)
        record(me, kind_of(me, i));
    team_meet(me);
    if (me == 0)
        region_end();
}

int main(void)
{
    long want[KINDS] = { 0 };
    int right = 0;

    use_nodes(THREADS);
    team_run(THREADS, work);
    for (int me = 0; me < THREADS; me++)
        for (int i = 0; i < EVENTS; i++)
            want[kind_of(me, i)]++;
    for (int k = 0; k < KINDS; k++)
        right += total(k) == want[k];
    printf("right %d of %d\n", right, KINDS);
    return 0;
}
