/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads of the command do in functions of the kernel's locks (kernel_locks.h), and which locks these are.  A
 * profile does not say for which lock a thread spins, but the misses that these functions make have an address and a
 * caller: a lock is the object that has most of them.
 *
 *   kernel_time_sum()        free it with kernel_time_free()
 *   kernel_time_lock()       the lock that a function of the kernel takes, as a number of object_at(); -1: not known
 *   kernel_time_headline()   the report's first line; NULL: these functions take too little time
 */
#ifndef LAUNCHER_PROFILE_KERNEL_TIME_H
#define LAUNCHER_PROFILE_KERNEL_TIME_H

#include "tally.h"

struct kernel_time {
    uint64_t
        ticks;     /* in these functions: computing and waiting, without interrupts; 0: not known */
    guint threads; /* that were there */
    int object, code;  /* the lock with most misses, and the line that takes it; -1: none */
    const char *lock;  /* the function that the line calls for that */
    GHashTable *locks; /* function that takes locks -> its objects -> ticks */
};

struct kernel_time *kernel_time_sum(const struct tally *t);
void kernel_time_free(struct kernel_time *k);
int kernel_time_lock(const struct kernel_time *k, const char *function);

/* @time: all threads', in ticks; @more: what another line would tell of */
char *kernel_time_headline(const struct tally *t, const struct kernel_time *k, uint64_t time,
                           uint64_t more);

#endif
