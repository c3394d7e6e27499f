// SPDX-License-Identifier: GPL-2.0-or-later
/* Starts eight threads; prints the node that each one ran on, in the order of their creation. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <snhw.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 8

static int node[THREADS];

static void *look(void *arg)
{
    int *n = arg;

    usleep(1000);
    *n = snhw_cpu_node(sched_getcpu());
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int i;

    for (i = 1; i < THREADS; i++)
        pthread_create(&t[i], NULL, look, &node[i]);
    look(&node[0]);
    for (i = 1; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (i = 0; i < THREADS; i++)
        printf("%d ", node[i]);
    putchar('\n');
    return 0;
}
