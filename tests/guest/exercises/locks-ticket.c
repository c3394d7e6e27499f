// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 2 3 0 0 */
/* Fair, but all waiters spin on one line. */
#include "locks.h"

static struct {
    unsigned int next, serves;
} ticket __attribute__((aligned(128)));

void acquire(int me)
{
    unsigned int mine = __atomic_fetch_add(&ticket.next, 1, __ATOMIC_RELAXED);

    (void)me;
    while (__atomic_load_n(&ticket.serves, __ATOMIC_ACQUIRE) != mine)
        ;
}

void release(int me)
{
    (void)me;
    __atomic_store_n(&ticket.serves, ticket.serves + 1, __ATOMIC_RELEASE);
}
