// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fixed amount of guest work for measuring the host's speed.
 *
 *   work CPUS KB TURNS    on each of CPUS processors, TURNS times walk KB kilobytes
 *
 * Each turn reads, mixes and writes every eighth byte of the array; the sum is printed so
 * that nothing is optimised away and two runs can be compared.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static size_t words;
static unsigned long turns;

static void *walk(void *arg)
{
    uintptr_t cpu = (uintptr_t)arg;
    uint64_t *a = calloc(words, sizeof(*a)), x = cpu + 1;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (!a || sched_setaffinity(0, sizeof(set), &set) < 0) {
        perror("work");
        exit(1);
    }
    for (unsigned long t = 0; t < turns; t++)
        for (size_t i = 0; i < words; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            a[i] += x >> 13;
        }
    return (void *)(uintptr_t)(x ^ a[words / 2]);
}

int main(int argc, char **argv)
{
    uintptr_t cpus, sum = 0;
    pthread_t *t;

    if (argc != 4 || (cpus = strtoul(argv[1], NULL, 10)) < 1 || cpus > 1024 ||
        (words = strtoul(argv[2], NULL, 10) * 128) < 128 || (turns = strtoul(argv[3], NULL, 10)) < 1) {
        fprintf(stderr, "usage: work CPUS KB TURNS\n");
        return 2;
    }
    t = calloc(cpus, sizeof(*t));
    for (uintptr_t i = 0; t && i < cpus; i++)
        if (pthread_create(&t[i], NULL, walk, (void *)i))
            return 1;
    for (uintptr_t i = 0; t && i < cpus; i++) {
        void *r;

        pthread_join(t[i], &r);
        sum ^= (uintptr_t)r;
    }
    printf("%016lx\n", (unsigned long)sum);
    return 0;
}
