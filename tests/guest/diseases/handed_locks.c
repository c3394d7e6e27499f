// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks that threads on four nodes hand to each other: a mutex, a spinlock, and a mutex that is given back while a thread waits
 * for a condition.
 *
 * Under each lock its holder looks who had it before, so the program knows how often the lock went from which thread to
 * which.  Thread i is on node i.  It prints lines
 *
 *   handed ADDRESS|FROM|TO|TIMES     the lock, threads; FROM is -1 if nobody had it before, or TO itself
 *   held ADDRESS|NS                  how long threads had it, by the guest's clock
 */
#include "waiter.h"

#define THREADS 4
#define TURNS   200

static struct lock {
    pthread_mutex_t mutex;
    pthread_spinlock_t spin;
    int last, turn;
    long handed[THREADS + 1][THREADS], since, ns;
} held __attribute__((aligned(LINE))), spun __attribute__((aligned(LINE))),
    awaited __attribute__((aligned(LINE)));

static pthread_cond_t next = PTHREAD_COND_INITIALIZER;

/* The thread has the lock. */
static void have(struct lock *l, int me)
{
    l->since = now();
    l->handed[l->last == me ? THREADS : l->last][me]++;
    l->last = me;
}

/* It is about to give it back. */
static void had(struct lock *l)
{
    l->ns += now() - l->since;
}

/* They take turns: each waits until the one before has had its turn. */
static void take_turn(int me)
{
    pthread_mutex_lock(&awaited.mutex);
    have(&awaited, me);
    while (awaited.turn % THREADS != me) {
        had(&awaited);
        pthread_cond_wait(&next, &awaited.mutex);
        have(&awaited, me);
    }
    awaited.turn++;
    pthread_cond_broadcast(&next);
    had(&awaited);
    pthread_mutex_unlock(&awaited.mutex);
}

static void work(int me)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&held.mutex);
        have(&held, me);
        had(&held);
        pthread_mutex_unlock(&held.mutex);
        pthread_spin_lock(&spun.spin);
        have(&spun, me);
        had(&spun);
        pthread_spin_unlock(&spun.spin);
        if (i % 10 == 0)
            take_turn(me);
    }
}

static void print(const struct lock *l, const volatile void *lock)
{
    for (int from = 0; from <= THREADS; from++)
        for (int to = 0; to < THREADS; to++)
            if (l->handed[from][to])
                printf("handed %p|%d|%d|%ld\n", (const void *)lock, from == THREADS ? -1 : from, to,
                       l->handed[from][to]);
    printf("held %p|%ld\n", (const void *)lock, l->ns);
}

int main(void)
{
    pthread_mutex_init(&held.mutex, NULL);
    pthread_mutex_init(&awaited.mutex, NULL);
    pthread_spin_init(&spun.spin, PTHREAD_PROCESS_PRIVATE);
    held.last = spun.last = awaited.last = THREADS;
    start(THREADS, work);
    print(&held, &held.mutex);
    print(&spun, &spun.spin);
    print(&awaited, &awaited.mutex);
    return 0;
}
