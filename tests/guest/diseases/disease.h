/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the diseased programs share.  Each has one known disease and prints a line
 *
 *   expect OBJECT|PROBLEM|LOW|HIGH|TIME     the object, what `origin report` calls the problem,
 *                                           bounds of the count of transactions that it costs,
 *                                           and us of processor time since main() began
 *
 * with the bounds computed from what the program does, as its head explains.  Compiled with -DCURED,
 * a program whose remedy is in its source has it.  Compiled with -DWORK, TIME is that of the threads that start()
 * runs, from their barrier on, if there are some.  What it takes to make threads depends on where the kernel puts them.
 *
 *   on_cpu(n)              the calling thread stays on processor n
 *   start(n, f)            run f(0) to f(n - 1), each in a thread of its own on processor 2 * i: a node each
 *   disease_begin()        count processor time from here, not from the beginning of main()
 *   OWN_LINE               of a variable or member that the remedy gives a line of its own
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
#include <time.h>

#define LINE 128

#ifdef CURED
#define CURE     1
#define OWN_LINE __attribute__((aligned(LINE)))
#else
#define CURE 0
#define OWN_LINE
#endif
#ifdef WORK
#define WORK_ONLY 1
#else
#define WORK_ONLY 0
#endif

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
    long begun, threads; /* ns of processor time: of main() before it began, of the other threads */
} disease __attribute__((aligned(LINE)));

/*
 * Nanoseconds of processor time of the calling thread.  The process's own clock is of no use: it lacks the last
 * tick of a thread that is about to end.
 */
static inline long spent(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What came before main(), such as a library's placement of memory, is not the program's. */
static void __attribute__((constructor)) disease_begin(void)
{
    disease.begun = spent();
}

static void *disease_thread(void *p)
{
    const struct job *j = p;
    long begun;

    on_cpu(2 * j->number);
    pthread_barrier_wait(&disease.barrier);
    begun = WORK_ONLY ? spent() : 0;
    j->work(j->number);
    __atomic_fetch_add(&disease.threads, spent() - begun, __ATOMIC_RELAXED);
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
    long own = WORK_ONLY && disease.threads ? 0 : spent() - disease.begun;

    printf("expect %s|%s|%ld|%ld|%ld\n", object, problem, low, high,
           (own + disease.threads) / 1000);
}

#endif
