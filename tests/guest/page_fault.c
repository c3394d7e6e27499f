// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For t_profile_kernel.sh: threads of one process map, touch and unmap memory at once, so that they contend for the
 * lock of their address space.
 *
 *   page_fault THREADS ROUNDS    a processor for each thread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE  16384
#define BYTES (16 * PAGE)

static long rounds;
static pthread_barrier_t meet;

static void *work(void *p)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((long)p, &set);
    sched_setaffinity(0, sizeof(set), &set);
    pthread_barrier_wait(&meet);
    for (long i = 0; i < rounds; i++) {
        volatile char *c =
            mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (c == MAP_FAILED)
            abort();
        for (int k = 0; k < BYTES; k += PAGE)
            c[k] = 1;
        munmap((void *)c, BYTES);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1;
    pthread_t t[128];

    rounds = argc > 2 ? atol(argv[2]) : 1;
    pthread_barrier_init(&meet, NULL, n);
    for (long i = 0; i < n; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
