/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back-to-back latency of a load that misses all caches, by pointer chasing
 * (thesis 4.2.2): chase CPU NODE... prints "NODE NANOSECONDS" for memory of
 * each node, measured by CLOCK_MONOTONIC, which on IP27 is the Hub's counter.
 *
 * Every load reads the next load's address.  The lines are unowned: the whole
 * region is written once, then another one is read until the written lines
 * have left the caches.  Huge pages keep the TLB out of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE        128
#define PAGE        16384           /* lines follow each other at random in this */
#define HUGE        "32768"         /* KB in a huge page of a 16 KB kernel */
#define LINES       (PAGE / LINE)
#define CHASED      (16ul << 20)
#define HUGE_BYTES  (32ul << 20)    /* chased: the first half */
#define SWEEP       (64ul << 20)
#define BLOCK       1024ul          /* loads between two looks at the clock */
#define BLOCKS      (CHASED / LINE / BLOCK)
#define MPOL_BIND   2

static void die(const char *what)
{
    fprintf(stderr, "chase: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* A cycle through all lines of the pages, the lines of each in random order. */
static void **build(char *base)
{
    unsigned order[LINES], seed = 12345, i, j;
    void **first = NULL, **last = NULL;

    for (char *page = base; page < base + CHASED; page += PAGE) {
        for (i = 0; i < LINES; i++) {
            seed = seed * 1103515245 + 12345;
            j = (seed >> 16) % (i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (i = 0; i < LINES; i++) {
            void **p = (void **)(page + order[i] * LINE);

            if (last) {
                *last = p;
            } else {
                first = p;
            }
            last = p;
        }
    }
    *last = first;
    return first;
}

/* Huge pages of a node: none is left of others' by the time we ask. */
static void huge_pages(int node, int n)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path),
             "/sys/devices/system/node/node%d/hugepages/hugepages-" HUGE "kB/nr_hugepages", node);
    f = fopen(path, "w");
    if (!f || fprintf(f, "%d\n", n) < 0 || fclose(f)) {
        die(path);
    }
}

/* Memory of a node, written once a line. */
static char *region(int node, size_t bytes, int flags)
{
    unsigned long mask[4] = { 0 };
    volatile char *w;
    char *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    if (m == MAP_FAILED) {
        die("mmap");
    }
    mask[node / 64] = 1ul << node % 64;
    if (syscall(SYS_mbind, m, bytes, MPOL_BIND, mask, 256ul, 0u)) {
        die("mbind");
    }
    w = m;
    for (size_t i = 0; i < bytes; i += LINE) {
        w[i] = 1;
    }
    return m;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over blocks of loads: interrupts hit few of them. */
static double chase(int node)
{
    volatile char *sweep;
    double ns[BLOCKS];
    size_t b, i;
    void **p;
    char *m;

    huge_pages(node, 1);
    m = region(node, HUGE_BYTES, MAP_HUGETLB);
    p = build(m);
    sweep = region(node, SWEEP, 0);
    for (i = 0; i < SWEEP; i += LINE) {
        (void)sweep[i];
    }

    for (b = 0; b < BLOCKS; b++) {
        double t0 = now_ns();

#define CHASE4  p = *p; p = *p; p = *p; p = *p;
#define CHASE16 CHASE4 CHASE4 CHASE4 CHASE4
        for (i = 0; i < BLOCK; i += 64) {
            CHASE16 CHASE16 CHASE16 CHASE16
            __asm__ volatile("" : "+r"(p));
        }
        ns[b] = (now_ns() - t0) / BLOCK;
    }
    munmap(m, HUGE_BYTES);
    munmap((void *)sweep, SWEEP);
    huge_pages(node, 0);
    qsort(ns, BLOCKS, sizeof(ns[0]), by_value);
    return ns[BLOCKS / 2];
}

int main(int argc, char **argv)
{
    cpu_set_t set;

    if (argc < 3) {
        fprintf(stderr, "usage: chase CPU NODE...\n");
        return 2;
    }
    CPU_ZERO(&set);
    CPU_SET(atoi(argv[1]), &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        die("sched_setaffinity");
    }
    for (int i = 2; i < argc; i++) {
        printf("%s %.1f\n", argv[i], chase(atoi(argv[i])));
        fflush(stdout);
    }
    return 0;
}
