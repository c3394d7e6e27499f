// SPDX-License-Identifier: GPL-2.0-or-later
/* For t_profile_ways.sh: two threads count in every other element of blocks whose types a cast, and posix_memalign()'s pointer, tell. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct cast {
    long calls, hits;
};

struct aligned {
    long calls, hits;
};

static void *blocks[2];
static pthread_barrier_t meet;

static void *count(void *p)
{
    long me = (long)p;
    volatile struct cast *a = (struct cast *)blocks[0] + me;
    volatile struct aligned *b = (struct aligned *)blocks[1] + me;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    pthread_barrier_wait(&meet);
    for (int i = 0; i < 400000; i++)
        a[i % 8 * 2].hits++; /* CAST */
    pthread_barrier_wait(&meet);
    for (int i = 0; i < 100000; i++)
        b[i % 8 * 2].hits++; /* ALIGNED */
    return NULL;
}

int main(void)
{
    struct aligned *p;
    pthread_t t;

    blocks[0] = (struct cast *)malloc(16 * 16);    /* MALLOC */
    if (posix_memalign((void **)&p, 128, 16 * 16)) /* MEMALIGN */
        return 1;
    blocks[1] = p;
    pthread_barrier_init(&meet, NULL, 2);
    pthread_create(&t, NULL, count, (void *)1);
    count(NULL);
    pthread_join(t, NULL);
    return 0;
}
