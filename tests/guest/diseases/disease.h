/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the diseased programs share.  Each has one known disease and prints lines
 *
 *   expect OBJECT PROBLEM LOW HIGH      the object, what `origin report` calls the problem, and
 *                                       bounds of the count of transactions that it costs
 *
 * with the bounds computed from what the program does, as its head explains.
 *
 *   on_cpu(n)              the calling thread stays on processor n
 *   meet(&b)               wait until all @threads threads are here
 *   start(n, f)            run f(0) to f(n - 1), each in a thread of its own on processor 2 * i: a node each
 */
#ifndef DISEASE_H
#define DISEASE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE 128

static inline void on_cpu(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

struct job {
    int number;
    void (*work)(int);
};

/* On a line of its own, so that the programs' own objects are alone on theirs. */
static struct {
    pthread_barrier_t barrier;
    struct job job[16];
} disease __attribute__((aligned(LINE)));

static void *disease_thread(void *p)
{
    const struct job *j = p;

    on_cpu(2 * j->number);
    pthread_barrier_wait(&disease.barrier);
    j->work(j->number);
    return NULL;
}

static inline void start(int n, void (*work)(int))
{
    pthread_t thread[16];

    pthread_barrier_init(&disease.barrier, NULL, (unsigned int)n);
    for (int i = 0; i < n; i++) {
        disease.job[i] = (struct job){ i, work };
        if (pthread_create(&thread[i], NULL, disease_thread, &disease.job[i])) {
            perror("pthread_create");
            exit(1);
        }
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

static inline void expect(const char *object, const char *problem, long low, long high)
{
    printf("expect %s|%s|%ld|%ld\n", object, problem, low, high);
}

#endif
