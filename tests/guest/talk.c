// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of processors that talk to each other through memory, in ns of machine time.
 *
 *   talk bounce HOME CPU...         one flag bounced between CPU 0 and each CPU given: one way
 *   talk spin|ticket HOME N ROUNDS  a lock of N CPUs (0, 1, ...): mean time of an acquisition, and how often it passed over each
 *                                   number of hops
 *   talk barrier HOME N ROUNDS      a sense-reversing barrier with a test-and-set lock: time of a round
 *
 * HOME is the node of the memory.
 */
#define _GNU_SOURCE
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MAX_CPUS 128
#define LINE     128

struct line {
    volatile uint64_t v;
    char rest[LINE - 8];
} __attribute__((aligned(LINE)));

static struct line *mem; /* 0: flag or lock; 1: second word; 2: data; 8...: start of each thread */
static int rounds = 2000, threads, kind;
static double result[MAX_CPUS];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        perror("talk: sched_setaffinity");
        exit(1);
    }
}

static void place(int home)
{
    unsigned long nodes[2] = { 0, 0 };

    nodes[home / 64] |= 1ul << (home % 64);
    mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mem == MAP_FAILED || mbind(mem, 65536, MPOL_BIND, nodes, 128, 0)) {
        perror("talk: memory");
        exit(1);
    }
    memset(mem, 0, 65536);
}

/* --- bounce --- */

static void *partner(void *arg)
{
    volatile uint64_t *flag = &mem[0].v;

    pin((int)(intptr_t)arg);
    for (int i = 0; i < rounds; i++) {
        while (*flag != 2 * (uint64_t)i + 1)
            ;
        *flag = 2 * (uint64_t)i + 2;
    }
    return NULL;
}

static void bounce(int cpu)
{
    volatile uint64_t *flag = &mem[0].v;
    double start = 0;
    pthread_t t;

    *flag = 0;
    pthread_create(&t, NULL, partner, (void *)(intptr_t)cpu);
    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 2)
            start = now();
        *flag = 2 * (uint64_t)i + 1;
        while (*flag != 2 * (uint64_t)i + 2)
            ;
    }
    printf("%d %.0f\n", cpu, (now() - start) / rounds);
    fflush(stdout);
    pthread_join(t, NULL);
}

/* --- locks and a barrier --- */

static void spin_lock(void)
{
    volatile uint64_t *lock = &mem[0].v;

    do {
        while (*lock)
            ;
    } while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
}

static void spin_unlock(void)
{
    __atomic_store_n(&mem[0].v, 0, __ATOMIC_RELEASE);
}

static void ticket_lock(void)
{
    uint64_t mine = __atomic_fetch_add(&mem[0].v, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&mem[1].v, __ATOMIC_ACQUIRE) != mine)
        ;
}

static void ticket_unlock(void)
{
    __atomic_store_n(&mem[1].v, mem[1].v + 1, __ATOMIC_RELEASE);
}

static void barrier(uint64_t sense)
{
    uint64_t n;

    spin_lock();
    n = ++mem[2].v;
    spin_unlock();
    if (n == (uint64_t)threads) {
        mem[2].v = 0;
        __atomic_store_n(&mem[3].v, sense, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&mem[3].v, __ATOMIC_ACQUIRE) != sense)
        ;
}

static uint64_t taken[MAX_CPUS], from[MAX_CPUS][MAX_CPUS];

static void *contender(void *arg)
{
    int me = (int)(intptr_t)arg;
    double start = 0;

    pin(me);
    __atomic_fetch_add(&mem[8].v, 1, __ATOMIC_RELAXED);
    while (mem[8].v != (uint64_t)threads)
        ;
    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 4)
            start = now();
        if (kind == 'b') {
            barrier(i + 1);
            continue;
        }
        if (kind == 's')
            spin_lock();
        else
            ticket_lock();
        from[mem[2].v][me]++;
        mem[2].v = me;
        taken[me]++;
        if (kind == 's')
            spin_unlock();
        else
            ticket_unlock();
    }
    result[me] = now() - start;
    return NULL;
}

static void contend(void)
{
    pthread_t t[MAX_CPUS];
    double sum = 0;

    for (int i = 1; i < threads; i++)
        pthread_create(&t[i], NULL, contender, (void *)(intptr_t)i);
    contender((void *)0);
    for (int i = 1; i < threads; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < threads; i++)
        sum += result[i];
    sum /= threads * (rounds - rounds / 4.0);
    printf("%d %.0f\n", threads, kind == 'b' ? sum : sum / threads);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    kind = argv[1][0] == 'b' ? argv[1][1] == 'o' ? 'f' : 'b' : argv[1][0];
    pin(0);
    place(atoi(argv[2]));
    if (kind == 'f') {
        for (int i = 3; i < argc; i++)
            bounce(atoi(argv[i]));
        return 0;
    }
    threads = atoi(argv[3]);
    rounds = argc > 4 ? atoi(argv[4]) : 200;
    contend();
    return 0;
}
