/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs share that wait.  Each measures how long its threads wait, by two clocks of the guest: that of the time,
 * less that of the thread's processor time.  It prints lines
 *
 *   waited WHAT|TID|TIMES|NS     what blocked.csv calls it, the thread, how often it waited, for how long
 *
 *   WAIT(me, WHAT, statement)    thread `me` waits in the statement
 *   waited(threads)              print the lines
 */
#ifndef WAITER_H
#define WAITER_H

#include "disease.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { FUTEX, SLEEP, PIPE, PAGE_FAULT, WHATS };

static struct {
    long tid, times[WHATS], ns[WHATS];
} waiter[16] __attribute__((aligned(LINE)));

static inline long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

#define WAIT(me, what, statement)                   \
    do {                                            \
        long since = now(), ran = spent();          \
                                                    \
        statement;                                  \
        ran = spent() - ran;                        \
        waiter[me].ns[what] += now() - since - ran; \
        waiter[me].times[what]++;                   \
        waiter[me].tid = syscall(SYS_gettid);       \
    } while (0)

static inline void waited(int threads)
{
    static const char *const name[WHATS] = { "futex", "sleep", "pipe", "page_fault" };

    for (int i = 0; i < threads; i++)
        for (int w = 0; w < WHATS; w++)
            if (waiter[i].times[w])
                printf("waited %s|%ld|%ld|%ld\n", name[w], waiter[i].tid, waiter[i].times[w],
                       waiter[i].ns[w]);
}

#endif
