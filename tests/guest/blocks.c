// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of the heap, call paths and regions of interest with known counts, for tests of the profile.
 *
 *   blocks N     two threads talk through blocks: the first one writes a word and the second one reads it, in turn, N
 *                times for each of
 *                  first_block()    malloc, in region "one"
 *                  second_block()   calloc of the same size, most likely at the same address; region "two" in "one"
 *                  third_block()    posix_memalign, in no region
 *                  changed_block()  realloc
 *                Each read misses, for true sharing, in hear() called by listen_to(). The reader has looked at the word
 *                before, in meet_block(): else the first miss would depend on what its cache had of this memory.
 *   blocks NAME  sn_roi_begin(NAME), sn_roi_end(), and one end too many
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sn_roi.h>

#define LINE 128

/* Whose turn it is has a line of its own, and so has the word. */
struct talk {
    volatile long turn;
    char pad1[2 * LINE];
    volatile long word;
    char pad2[2 * LINE];
};

static long rounds;
static struct talk *volatile block;
static pthread_barrier_t meet;

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static __attribute__((noinline)) long hear(struct talk *t, long i)
{
    while (t->turn != 2 * i + 1)
        ;
    return t->word;
}

static __attribute__((noinline)) long listen_to(struct talk *t)
{
    long sum = 0;

    for (long i = 0; i < rounds; i++) {
        sum += hear(t, i);
        t->turn = 2 * i + 2;
    }
    return sum;
}

static __attribute__((noinline)) long meet_block(struct talk *t)
{
    return t->word;
}

static void *listener(void *arg)
{
    pin(1);
    for (int n = 0; n < 4; n++) {
        pthread_barrier_wait(&meet);
        meet_block(block);
        pthread_barrier_wait(&meet);
        *(long *)arg += listen_to(block);
        pthread_barrier_wait(&meet);
    }
    return arg;
}

static void say(struct talk *t)
{
    t->turn = 0;
    block = t;
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    for (long i = 0; i < rounds; i++) {
        while (t->turn != 2 * i)
            ;
        t->word = i;
        t->turn = 2 * i + 1;
    }
    pthread_barrier_wait(&meet);
}

static __attribute__((noinline)) struct talk *first_block(void)
{
    struct talk *t = malloc(sizeof(*t));

    return t;
}

static __attribute__((noinline)) struct talk *second_block(void)
{
    struct talk *t = calloc(1, sizeof(*t));

    return t;
}

static __attribute__((noinline)) struct talk *third_block(void)
{
    void *p;

    if (posix_memalign(&p, LINE, sizeof(struct talk)))
        exit(1);
    return p;
}

static __attribute__((noinline)) struct talk *changed_block(struct talk *t)
{
    t = realloc(t, 16 * sizeof(*t));
    return t;
}

int main(int argc, char **argv)
{
    struct talk *t;
    pthread_t other;
    long sum = 0;

    if (argc != 2)
        return 2;
    if (*argv[1] < '0' || *argv[1] > '9') {
        sn_roi_begin(argv[1]);
        sn_roi_end();
        sn_roi_end();
        return 0;
    }
    rounds = atol(argv[1]);
    pin(0);
    pthread_barrier_init(&meet, NULL, 2);
    if (pthread_create(&other, NULL, listener, &sum))
        return 1;
    sn_roi_begin("one");
    t = first_block();
    say(t);
    free(t);
    sn_roi_begin("two");
    t = second_block();
    say(t);
    sn_roi_end();
    sn_roi_end();
    free(t);
    t = third_block();
    say(t);
    t = changed_block(t);
    say(t);
    free(t);
    pthread_join(other, NULL);
    printf("%ld\n", sum);
    return 0;
}
