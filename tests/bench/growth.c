/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same floating-point work on all processors of a machine, for measuring how
 * the host's cost of a guest instruction grows with the machine.
 *
 * One thread is bound to each processor.  Together they execute about 1.8 * 10^9
 * instructions on data that stay in their primary caches.  Prints a line before
 * the threads are created, when all run, and when all are done.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 12000000L /* of all threads together; a round has some 150 instructions */

static pthread_barrier_t barrier;
static atomic_bool go;
static long share;

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

static void *work(void *cpu)
{
    double v[16], w[16];
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((long)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        perror("sched_setaffinity");
        exit(1);
    }
    for (int i = 0; i < 16; i++) {
        v[i] = i;
        w[i] = 1.0 / (i + 2);
    }
    pthread_barrier_wait(&barrier);
    /* The barrier wakes one after the other; nobody works before the line is out. */
    if (!cpu) {
        say("run");
        go = true;
    }
    while (!go) {}
    for (long n = 0; n < share; n++) {
        for (int i = 0; i < 16; i++) {
            v[i] = v[i] * w[i] + w[15 - i];
        }
        __asm__ volatile("" : : "r"(v) : "memory");
    }
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    share = ROUNDS / cpus;
    pthread_barrier_init(&barrier, NULL, cpus);
    say("create");
    for (long i = 1; i < cpus; i++) {
        pthread_t t;

        if (pthread_create(&t, NULL, work, (void *)i)) {
            perror("pthread_create");
            return 1;
        }
    }
    work(0);
    say("done");
    return 0;
}
