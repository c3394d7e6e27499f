// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ticket lock that 16 threads take, each on a processor of its own, from when all are there; and the sum that it guards, on
 * another line.  Prints the sum.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define THREADS 16
#define TURNS   20

static struct {
    int next, serving;
} lock __attribute__((aligned(128)));
static long sum __attribute__((aligned(128)));
static int there __attribute__((aligned(128)));

static void *work(void *arg)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((int)(long)arg, &set);
    sched_setaffinity(0, sizeof(set), &set);
    __atomic_fetch_add(&there, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&there, __ATOMIC_ACQUIRE) != THREADS)
        ;
    for (int i = 0; i < TURNS; i++) {
        int mine = __atomic_fetch_add(&lock.next, 1, __ATOMIC_RELAXED);

        while (__atomic_load_n(&lock.serving, __ATOMIC_ACQUIRE) != mine)
            ;
        sum++;
        __atomic_store_n(&lock.serving, mine + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return sum != THREADS * TURNS;
}
