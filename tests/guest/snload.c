// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads for snrun's tests; each word on the command line is a mode.
 *
 *   exit N            ends with status N
 *   signal N          is killed by signal N
 *   tree              two threads, a child by fork, an exec of "snload exit 0" in it
 *   split             spends three quarters of its time in hot(), then the rest in warm()
 *   daemon MS         leaves a daemon behind, as daemon(3) does, that computes for MS ms
 *   clear             executes "snload split" with an empty environment
 *   threads N TURNS   runs N threads on CPUs 2, 3 ..., TURNS turns of work each; prints
 *                     the nanoseconds that they took
 *   descriptors       prints its open descriptors
 *   forever           computes until it is killed
 *   touch TURNS       loads and stores each word of table[] TURNS times in the first
 *                     thread, and three times as often in another
 *   local CPU OTHER PERCENT PASSES
 *                     runs reads() on CPU, on lines that no cache holds: PERCENT of
 *                     the pages are on its own node, the rest on node OTHER
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <numaif.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

#define LINE  128
#define TABLE 1024
#define SIZE  (16UL << 20) /* four times the largest cache */

static volatile double sink;

static void work(long turns)
{
    double x = 0;

    for (long i = 0; i < turns; i++) {
        x += (double)i;
        __asm__ volatile("" : "+f"(x));
    }
    sink = x;
}

__attribute__((noinline)) void hot(long turns)
{
    work(turns);
    sink += 1;
}

__attribute__((noinline)) void warm(long turns)
{
    work(turns);
    sink += 2;
}

/* Loads and stores every word once. */
int table[TABLE] __attribute__((aligned(TABLE * sizeof(int))));

__attribute__((noinline)) void touch(long turns)
{
    for (long k = 0; k < turns; k++) {
        for (int i = 0; i < TABLE; i++) {
            *(volatile int *)&table[i] = *(volatile int *)&table[i] + i;
        }
    }
}

static void *toucher(void *data)
{
    touch((long)data);
    return NULL;
}

static pthread_barrier_t start;

struct job {
    int cpu;
    long turns;
    uint64_t end;
};

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *job(void *data)
{
    struct job *j = data;

    if (j->cpu >= 0) {
        run_on(j->cpu % (int)sysconf(_SC_NPROCESSORS_ONLN));
        pthread_barrier_wait(&start);
    }
    hot(j->turns);
    j->end = now();
    return NULL;
}

static void tree(const char *self)
{
    struct job j = { -1, 1000000, 0 };
    pthread_t t[2];
    int status;

    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, job, &j);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
    if (fork() == 0) {
        hot(500000);
        execl(self, self, "exit", "0", (char *)NULL);
        _exit(9);
    }
    wait(&status);
    exit(WEXITSTATUS(status));
}

static void threads(int n, long turns)
{
    pthread_t t[256];
    struct job j[256];
    uint64_t begin, end = 0;

    pthread_barrier_init(&start, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++) {
        j[i] = (struct job){ i + 2, turns, 0 };
        pthread_create(&t[i], NULL, job, &j[i]);
    }
    usleep(20000); /* they have moved to their CPUs */
    pthread_barrier_wait(&start);
    begin = now();
    for (int i = 0; i < n; i++) {
        pthread_join(t[i], NULL);
        end = j[i].end > end ? j[i].end : end;
    }
    printf("%llu\n", (unsigned long long)(end - begin));
}

static void descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");

    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d)) {
            printf("%s ", e->d_name);
        }
    }
    printf("\n");
}

/* Reads every line once, so that each read misses. */
__attribute__((noinline)) void reads(const volatile char *p, int passes)
{
    long sum = 0;

    for (int k = 0; k < passes; k++) {
        for (size_t i = 0; i < SIZE; i += LINE) {
            sum += p[i];
        }
    }
    sink = (double)sum;
}

static void local(int cpu, int other, int percent, int passes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = SIZE / page;
    char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned here = 0;

    run_on(cpu);
    syscall(SYS_getcpu, NULL, &here, NULL);
    for (size_t i = 0; i < pages; i++) {
        int is_here = (int)((i + 1) * (size_t)percent / 100) > (int)(i * (size_t)percent / 100);
        unsigned long node = 1ul << (is_here ? here : (unsigned)other);

        if (mbind(p + i * page, page, MPOL_BIND, &node, sizeof(node) * 8, 0) < 0) {
            fail("mbind");
        }
        p[i * page] = 1;
    }
    reads(p, passes);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int n[4] = { 0 };

    for (int i = 0; i < 4 && i + 2 < argc; i++) {
        n[i] = atoi(argv[i + 2]);
    }
    if (strcmp(mode, "exit") == 0) {
        exit(n[0]);
    } else if (strcmp(mode, "signal") == 0) {
        signal(n[0], SIG_DFL);
        hot(500000);
        raise(n[0]);
    } else if (strcmp(mode, "tree") == 0) {
        tree(argv[0]);
    } else if (strcmp(mode, "split") == 0) {
        hot(3000000);
        warm(1000000);
    } else if (strcmp(mode, "daemon") == 0) {
        if (daemon(1, 0) < 0) {
            fail("daemon");
        }
        for (uint64_t end = now() + (uint64_t)n[0] * 1000000u; now() < end;) {
            hot(10000);
        }
    } else if (strcmp(mode, "clear") == 0) {
        execle(argv[0], argv[0], "split", (char *)NULL, (char *[]){ NULL });
    } else if (strcmp(mode, "threads") == 0) {
        threads(n[0], n[1]);
    } else if (strcmp(mode, "descriptors") == 0) {
        descriptors();
    } else if (strcmp(mode, "forever") == 0) {
        for (;;) {
            hot(10000);
        }
    } else if (strcmp(mode, "touch") == 0) {
        pthread_t t;

        pthread_create(&t, NULL, toucher, (void *)(long)(3 * n[0]));
        touch(n[0]);
        pthread_join(t, NULL);
    } else if (strcmp(mode, "local") == 0) {
        local(n[0], n[1], n[2], n[3]);
    } else {
        fprintf(stderr, "snload: no mode '%s'\n", mode);
        return 2;
    }
    return 0;
}
