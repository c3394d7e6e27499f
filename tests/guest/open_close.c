// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For t_profile_kernel.sh: threads of one process open and close a file of their own each, so that they contend for the
 * lock of their table of files.
 *
 *   open_close THREADS ROUNDS    a processor for each thread
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long rounds;
static pthread_barrier_t meet;

static void *work(void *p)
{
    char name[32];
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((long)p, &set);
    sched_setaffinity(0, sizeof(set), &set);
    snprintf(name, sizeof(name), "/tmp/open_close.%ld", (long)p);
    pthread_barrier_wait(&meet);
    for (long i = 0; i < rounds; i++) {
        int fd = open(name, O_RDWR | O_CREAT, 0600);

        if (fd < 0)
            abort();
        close(fd);
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
