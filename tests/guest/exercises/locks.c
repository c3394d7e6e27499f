// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 3 3 2 */
/* J. Mellor-Crummey, M. Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors" (1991). */
#include "locks.h"

#include <stddef.h>

struct waiter {
    struct waiter *next;
    int waits;
} __attribute__((aligned(128)));

static struct waiter waiter[THREADS];
static struct waiter *last __attribute__((aligned(128)));

void acquire(int me)
{
    struct waiter *mine = &waiter[me], *before;

    mine->next = NULL;
    mine->waits = 1;
    before = __atomic_exchange_n(&last, mine, __ATOMIC_ACQ_REL);
    if (!before)
        return;
    __atomic_store_n(&before->next, mine, __ATOMIC_RELEASE);
    while (__atomic_load_n(&mine->waits, __ATOMIC_ACQUIRE))
        ;
}

void release(int me)
{
    struct waiter *mine = &waiter[me], *next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE);

    if (!next) {
        struct waiter *was = mine;

        if (__atomic_compare_exchange_n(&last, &was, NULL, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
        while (!(next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE)))
            ;
    }
    __atomic_store_n(&next->waits, 0, __ATOMIC_RELEASE);
}
