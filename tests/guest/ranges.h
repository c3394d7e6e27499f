/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of different ranges must not mix: those of threads that share a processor and are interrupted by signals, and those of children.  For two
 * programs that count in different ways: range.c with sn_range(3), papi.c through PAPI.  They define:
 *
 *   count_loads(a)    start to count the calling thread's loads of array[a]
 *   loads_counted()   return their number
 *   after_fork()      called in a child before it counts
 */
#ifndef GUEST_RANGES_H
#define GUEST_RANGES_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

enum { ARRAYS = 4, N = 4096, THREADS = 3, ROUNDS = 50, SIGNALS = 20 };

static void count_loads(unsigned a);
static long loads_counted(void);
static void after_fork(void);

static volatile int array[ARRAYS][N] __attribute__((aligned(sizeof(int) * N)));

static void load(unsigned a, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        (void)array[a][i % N];
    }
}

/* --- threads on one processor, each with a range of its own --- */

static __thread volatile sig_atomic_t handled;

/* Loads for the interrupted thread: each array a different number of times. */
static void on_signal(int sig)
{
    (void)sig;
    for (unsigned a = 0; a < ARRAYS; a++) {
        load(a, 3 + a);
    }
    handled++;
}

/* Send SIGUSR1 to the calling thread every 2 ms, wherever it is then. */
static timer_t signals_for_me(void)
{
    const struct itimerspec each = { { 0, 2000000 }, { 0, 2000000 } };
    struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
    timer_t t = NULL;

    e._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &e, &t) < 0 || timer_settime(t, 0, &each, NULL) < 0) {
        fail("timer");
    }
    return t;
}

struct sharer {
    unsigned me;
    bool signals;
    long got, want;
};

static void *share(void *arg)
{
    struct sharer *s = arg;
    unsigned rounds = 0;
    sigset_t usr1;
    timer_t t = NULL;

    count_loads(s->me);
    if (s->signals) {
        t = signals_for_me();
    }
    while (rounds < ROUNDS || (s->signals && handled < SIGNALS)) {
        for (unsigned a = 0; a < ARRAYS; a++) {
            load(a, 100 * (s->me + 1) + 10 * a);
        }
        rounds++;
        sched_yield();
    }
    if (s->signals) {
        sigemptyset(&usr1);
        sigaddset(&usr1, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &usr1, NULL);
        timer_delete(t);
    }
    s->got = loads_counted();
    s->want = rounds * (100L * (s->me + 1) + 10 * s->me) + handled * (3L + s->me);
    return NULL;
}

static void threads_do_not_mix(bool signals)
{
    struct sharer s[THREADS];
    pthread_t t[THREADS];
    cpu_set_t one, all;

    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    signal(SIGUSR1, on_signal);
    for (unsigned i = 0; i < THREADS; i++) {
        s[i] = (struct sharer){ .me = i, .signals = signals };
        pthread_create(&t[i], NULL, share, &s[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        equal(s[i].got, s[i].want, "thread %u of three on a processor, each its own range%s", i,
              signals ? ", with signals" : "");
    }
    sched_setaffinity(0, sizeof(all), &all);
}

/* --- children --- */

/* The work of a child ("PROGRAM child [count]" after exec): 1000 loads of array[2]; with count, also 77 of array[1] that it counts itself. */
static int child_work(bool counts)
{
    if (counts) {
        count_loads(1);
    }
    load(2, 1000);
    load(1, 77);
    return counts && loads_counted() != 77;
}

/* Runs a child; true if its count was right. */
static bool child(const char *self, bool exec, bool counts)
{
    int status = -1;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (!pid) {
        if (exec) {
            execl(self, self, "child", counts ? "count" : NULL, (char *)NULL);
            _exit(1);
        }
        if (counts) {
            after_fork();
        }
        _exit(child_work(counts));
    }
    waitpid(pid, &status, 0);
    return status == 0;
}

static void children_do_not_mix(const char *self)
{
    for (int exec = 0; exec < 2; exec++) {
        const char *how = exec ? "exec" : "fork";
        bool good;

        count_loads(2);
        load(2, 5);
        good = child(self, exec, true);
        load(2, 6);
        equal(loads_counted(), 11, "%s: the child's loads are not the parent's", how);
        point(good, "%s: and the child counts its own range", how);
    }
}

#endif
