/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the examples share: a team of threads, a clock, options.
 *
 *   team_run(n, work)    run work(0) to work(n - 1) at the same time, each in a thread of its own that
 *                        stays on one processor; returns when all have ended
 *   team_wait()          wait until all threads of the team are here
 *   team_meet()          the same without the kernel: all wait actively, which is quicker on processors of their own
 *   team_share()         which part of some items is a thread's
 *   team_mark(what)      thread 0 begins with what; team_print_marks() says when that was
 *   team_region(name)    what is to be measured begins; NULL: it has ended.  With -DREGIONS -lsnpc it is a region of
 *                        interest, and so is each part in it, from team_mark() to the next one
 *   seconds()            machine time
 *   aligned()            memory that begins with a page and that nobody has touched
 *   option_number()      the value of an option
 *
 * Thread i runs on the processor with number i among those that the program may use, so that
 * `numactl --physcpubind` chooses them.  If there are fewer, processors get several threads.
 */
#ifndef EXAMPLES_TEAM_H
#define EXAMPLES_TEAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEAM_MAX   256
#define LINE_BYTES 128
#define PAGE_BYTES 16384

#define TEAM_ROUNDS 8 /* 2^8 threads meet in so many */
#define TEAM_MARKS  64

/* Each flag has a line of its own. */
struct team_flag {
    unsigned int times;
} __attribute__((aligned(LINE_BYTES)));

/* What a thread waits for is in a page of its own, so that not all of them spin in the same memory. */
struct team_flags {
    struct team_flag met[TEAM_ROUNDS], mine;
} __attribute__((aligned(PAGE_BYTES)));

static struct team_flags team_flags[TEAM_MAX];

static struct {
    pthread_barrier_t barrier;
    int threads;
    void (*work)(int me);
    cpu_set_t allowed;
    struct {
        const char *what;
        struct timespec at;
    } mark[TEAM_MARKS];
    int marks;
} team __attribute__((aligned(LINE_BYTES)));

static inline void die(const char *what)
{
    perror(what);
    exit(1);
}

static inline void team_bind(int me)
{
    int nth = me % CPU_COUNT(&team.allowed);
    size_t cpu = 0;
    cpu_set_t one;

    while (!CPU_ISSET(cpu, &team.allowed) || nth-- > 0)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) < 0)
        die("sched_setaffinity");
}

static inline void team_wait(void)
{
    pthread_barrier_wait(&team.barrier);
}

/* D. Hensgen and others, "Two Algorithms for Barrier Synchronization" (1988): in round r each thread tells the one 2^r behind it. */
static inline void team_meet(int me)
{
    struct team_flags *own = &team_flags[me];
    unsigned int times = ++own->mine.times;

    if (times == 1)
        team_wait(); /* now each thread has touched its page */
    for (int round = 0, step = 1; step < team.threads; round++, step *= 2) {
        __atomic_store_n(&team_flags[(me + step) % team.threads].met[round].times, times,
                         __ATOMIC_RELEASE);
        while (__atomic_load_n(&own->met[round].times, __ATOMIC_ACQUIRE) < times)
            ;
    }
}

#ifdef REGIONS
#include <sn_roi.h>

static bool team_in_region, team_in_part;

static inline void team_part(const char *what)
{
    if (team_in_part)
        sn_roi_end();
    team_in_part = team_in_region && what && strcmp(what, "end");
    if (team_in_part)
        sn_roi_begin(what);
}

static inline void team_region(const char *name)
{
    team_part(NULL);
    if (team_in_region)
        sn_roi_end();
    team_in_region = name;
    if (name)
        sn_roi_begin(name);
}
#else
#define team_part(what)
#define team_region(name)
#endif

/* Traces have this clock. */
static inline void team_mark(const char *what)
{
    team_part(what);
    if (team.marks == TEAM_MARKS)
        return;
    team.mark[team.marks].what = what;
    clock_gettime(CLOCK_MONOTONIC_RAW, &team.mark[team.marks++].at);
}

static inline void team_print_marks(void)
{
    for (int i = 0; i < team.marks; i++)
        printf("mark %ld.%09ld %s\n", (long)team.mark[i].at.tv_sec, team.mark[i].at.tv_nsec,
               team.mark[i].what);
}

static inline void *team_thread(void *me)
{
    team_bind((int)(long)me);
    team_wait();
    team.work((int)(long)me);
    return NULL;
}

/* The caller is thread 0. */
static inline void team_run(int n, void (*work)(int me))
{
    pthread_t thread[TEAM_MAX];

    team.work = work;
    team.threads = n;
    if (sched_getaffinity(0, sizeof(team.allowed), &team.allowed) < 0)
        die("sched_getaffinity");
    pthread_barrier_init(&team.barrier, NULL, (unsigned int)n);
    for (long i = 1; i < n; i++) {
        errno = pthread_create(&thread[i], NULL, team_thread, (void *)i);
        if (errno)
            die("pthread_create");
    }
    team_thread((void *)0L);
    for (int i = 1; i < n; i++)
        pthread_join(thread[i], NULL);
    sched_setaffinity(0, sizeof(team.allowed), &team.allowed);
}

/* Of @items items, thread @me of @n has those from *@first to before *@end. */
static inline void team_share(long items, int me, int n, long *first, long *end)
{
    *first = items * me / n;
    *end = items * (me + 1) / n;
}

static inline double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void *aligned(size_t bytes)
{
    void *p = aligned_alloc(PAGE_BYTES, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);

    if (!p)
        die("aligned_alloc");
    return p;
}

static inline long option_number(const char *option, const char *text, long low, long high)
{
    char *end;
    long v = strtol(text, &end, 10);

    if (*end || end == text || v < low || v > high) {
        fprintf(stderr, "%s wants a number from %ld to %ld, not '%s'\n", option, low, high, text);
        exit(2);
    }
    return v;
}

/* A pseudo-random number from 0 to before 1, the same for the same @n (Steele and others, splitmix64). */
static inline double random_at(unsigned long n)
{
    unsigned long z = (n + 1) * 0x9e3779b97f4a7c15ul;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
