// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs with one known disease each, for tests of the profile.
 *
 *   false N     two threads add N times to two counters of one line
 *   true N      one thread writes a word and another reads it, in turn, N times
 *   moved N     N lines of memory move to another node after a second thread has read them, and it reads them again
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE 128

static long rounds;
static struct {
    volatile int a, b;
} counter __attribute__((aligned(LINE)));
static struct {
    volatile long turn;
    char pad[LINE];
    volatile long word;
} talk __attribute__((aligned(LINE)));

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static volatile int ready[2][LINE];

/* Both threads begin at the same time. */
static void meet(int me)
{
    ready[me][0] = 1;
    while (!ready[!me][0])
        ;
}

static void *add_b(void *arg)
{
    pin(2);
    meet(1);
    for (long i = 0; i < rounds; i++)
        counter.b++;
    return arg;
}

static void add_a(void)
{
    pin(0);
    meet(0);
    for (long i = 0; i < rounds; i++)
        counter.a++;
}

static void *hear(void *arg)
{
    long sum = 0;

    pin(2);
    for (long i = 0; i < rounds; i++) {
        while (talk.turn != 2 * i + 1)
            ;
        sum += talk.word;
        talk.turn = 2 * i + 2;
    }
    *(long *)arg = sum;
    return NULL;
}

static void say(void)
{
    pin(0);
    for (long i = 0; i < rounds; i++) {
        while (talk.turn != 2 * i)
            ;
        talk.word = i;
        talk.turn = 2 * i + 1;
    }
}

/* Reads the lines, waits until they were moved, reads them again. */
static void *read_twice(void *arg)
{
    volatile char *p = arg;
    long sum = 0;

    pin(2);
    for (long i = 0; i < rounds; i++)
        sum += p[i * LINE];
    meet(1);
    while (ready[0][1] == 0)
        ;
    for (long i = 0; i < rounds; i++)
        sum += p[i * LINE];
    return (void *)sum;
}

static int move(void)
{
    long page = sysconf(_SC_PAGESIZE), size = rounds * LINE;
    unsigned long to = 1ul << 3; /* node 3 */
    pthread_t other;
    char *p;

    pin(0);
    p = aligned_alloc((size_t)page, (size_t)size);
    memset(p, 0, (size_t)size);
    pthread_create(&other, NULL, read_twice, p);
    meet(0);
    /* MPOL_BIND, MPOL_MF_STRICT | MPOL_MF_MOVE */
    if (syscall(SYS_mbind, p, size, 2, &to, 8 * sizeof(to), 3))
        perror("mbind");
    ready[0][1] = 1;
    pthread_join(other, NULL);
    printf("%p\n", (void *)p);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t other;
    int false_sharing;
    long sum = 0;

    if (argc != 3)
        return 2;
    rounds = atol(argv[2]);
    if (!strcmp(argv[1], "moved"))
        return move();
    false_sharing = !strcmp(argv[1], "false");
    if (pthread_create(&other, NULL, false_sharing ? add_b : hear, &sum))
        return 1;
    if (false_sharing)
        add_a();
    else
        say();
    pthread_join(other, NULL);
    printf("%d %d %ld\n", counter.a, counter.b, sum);
    return 0;
}
