/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same floating-point work on all processors of a machine, for measuring how
 * the host's cost of a guest instruction grows with the machine.
 *
 * One thread is bound to each processor.  Together they execute about 1.8 * 10^9
 * instructions on data that stay in their primary caches.  Then they talk to each other:
 *
 *   lock      a ticket lock, taken 2048 times by all together
 *   barrier   32 barriers, of a counter and a flag
 *   exchange  4 times, each thread writes a line for each other one, and reads those that are
 *             for it after a barrier
 *
 * Prints a line before the threads are created, when all run, when all are done, when the pages
 * of the lines are there, and at the end of each of the three.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS    12000000L /* of all threads together; a round has some 150 instructions */
#define LOCKS     2048
#define BARRIERS  32
#define EXCHANGES 4
#define MAX_CPUS  128

struct line {
    _Alignas(128) atomic_long v;
};

static struct line ticket, serving, arrived, flag, mail[MAX_CPUS][MAX_CPUS];
static long cpus, guarded;

static pthread_barrier_t barrier;
static atomic_bool go;
static long share;

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

static void lock_once(void)
{
    long mine = atomic_fetch_add(&ticket.v, 1);

    while (serving.v != mine) {}
    guarded++;
    serving.v = mine + 1;
}

static void meet(void)
{
    long round = flag.v;

    if (atomic_fetch_add(&arrived.v, 1) == cpus - 1) {
        arrived.v = 0;
        flag.v = round + 1;
    }
    while (flag.v == round) {}
}

static void exchange(long me)
{
    long sum = 0;

    for (long to = 0; to < cpus; to++) {
        mail[to][me].v++;
    }
    meet();
    for (long from = 0; from < cpus; from++) {
        sum += mail[me][from].v;
    }
    if (sum % cpus) {
        say("lost");
        exit(1);
    }
    meet();
}

/* What all threads do together, and then the line of the first one */
static void talk(long me)
{
    exchange(me); /* the pages are there from now on */
    if (!me) {
        say("warm");
    }
    for (long n = me; n < LOCKS; n += cpus) {
        lock_once();
    }
    meet();
    if (!me) {
        say(guarded == LOCKS ? "lock" : "lost");
    }
    for (long n = 0; n < BARRIERS; n++) {
        meet();
    }
    if (!me) {
        say("barrier");
    }
    for (long n = 0; n < EXCHANGES; n++) {
        exchange(me);
    }
    if (!me) {
        say("exchange");
    }
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
    if (!cpu) {
        say("done");
        go = false;
    }
    while (go) {}
    talk((long)cpu);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < 2 || cpus > MAX_CPUS) {
        fprintf(stderr, "growth: %ld processors\n", cpus);
        return 1;
    }
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
    return 0;
}
