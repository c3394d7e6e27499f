// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of the heap whose types the source tells in one way each, for t_profile_types.sh.
 *
 *   members N    two threads count N times, each in an element of its own of an array that a wrapper allocated, and in
 *                two members of one structure that `odd_new()` allocated
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "members.h"

typedef struct {
    pthread_t thread;
    long SX;
    long SY;
} sums;

struct odd {
    long pad[16];
    volatile long left, right;
};

struct all {
    struct odd *odd;
    sums *of[2];
    void *any;
    volatile double *values, *more;
};

static struct all all;
static long rounds;
static pthread_barrier_t meet;

/* The nth time: goes on when both threads are here, and running. The kernel wakes one before the other. */
static void together(int n)
{
    static int here __attribute__((aligned(128)));

    __atomic_fetch_add(&here, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&here, __ATOMIC_ACQUIRE) < 2 * n)
        ;
}

static void *count(void *p)
{
    long me = (long)p;
    volatile sums *mine = &all.of[0][me];
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    all.values[0]++;
    all.more[0]++;
    ++*(volatile long *)all.any;
    pthread_barrier_wait(&meet);
    together(1);
    for (long i = 0; i < rounds; i++) {
        mine->SX += i; /* SX */
        mine->SY += 1; /* SY */
    }
    together(2);
    for (long i = 0; i < rounds; i++) {
        if (me)
            all.odd->right++;
        else
            all.odd->left++;
    }
    return NULL;
}

static void *two_long(void)
{
    return malloc(2 * sizeof(long));
}

int main(int argc, char **argv)
{
    struct all *a = &all;
    pthread_t t[2];

    rounds = argc > 1 ? atol(argv[1]) : 1000;
    a->of[0] = checked(2, sizeof(sums));                   /* SUMS */
    a->odd = odd_new(sizeof(*a->odd));                     /* ODD */
    a->values = malloc(8 * 1000), a->more = calloc(10, 8); /* VALUES */
    a->any = two_long();                                   /* LONGS */
    a->values[0] = a->more[0] = *(volatile long *)a->any = 0;
    pthread_barrier_init(&meet, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld\n", a->of[0][0].SY + a->of[0][1].SY, all.odd->left + all.odd->right);
    return 0;
}
