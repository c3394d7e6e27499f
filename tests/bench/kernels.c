/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that stress a memory hierarchy in different ways, for measuring
 * what the memory model costs the host: kernels NAME
 *
 *   triad    three vectors of 8 MB, a = b + s * c, 120 times.  As with STREAM's
 *            OFFSET, each starts a few lines later in its page than the one
 *            before, so that they do not compete for the same sets of the L1
 *   matmul   192 x 192 doubles, as in textbooks, 8 times
 *   sort     qsort() of 2^18 integers, 8 times
 *   chase    2^22 dependent loads at random in 8 MB
 *   fft      2^16 points on 16 CPUs, or as many as a second argument says (a power of 2 up to
 *            256), radix 2, a barrier after each stage, 8 times
 *   lock     as many CPUs: each takes one mutex 2000 times, and changes a word under it
 *   none     nothing: the cost of booting and starting
 *
 * Each takes a second or more of the host's time with the model off, so that the
 * noise of booting does not dominate the comparison.
 *
 * Compiled with -DSMALL=1 the first three are smaller (2^16 elements 60 times, 96 x
 * 96, 2^15), for machines in which each processor runs a copy.
 *
 * Prints a checksum and the processor time used, in nanoseconds.
 */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef SMALL
#define SMALL 0
#endif

static uint32_t seed = 1;

static uint32_t rnd(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 1;
}

static void *get(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p) {
        perror("kernels");
        exit(1);
    }
    return memset(p, 0, bytes);
}

static double triad(void)
{
    enum { N = SMALL ? 1 << 16 : 1 << 20 };
    double *a = get(N * 8), *b = (double *)get(N * 8 + 1024) + 64;
    double *c = (double *)get(N * 8 + 2048) + 128;

    for (int i = 0; i < N; i++) {
        b[i] = i;
        c[i] = 1;
    }
    for (int t = 0; t < (SMALL ? 60 : 120); t++) {
        for (int i = 0; i < N; i++) {
            a[i] = b[i] + t * c[i];
        }
    }
    return a[N - 1];
}

static double matmul(void)
{
    enum { N = SMALL ? 96 : 192 };
    double(*a)[N] = get(N * N * 8), (*b)[N] = get(N * N * 8), (*c)[N] = get(N * N * 8);

    for (int i = 0; i < N * N; i++) {
        a[0][i] = i % 7;
        b[0][i] = i % 11;
    }
    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < N; k++) {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
    }
    return c[N / 2][N / 3];
}

static int by_value(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

static double sort(void)
{
    enum { N = SMALL ? 1 << 15 : 1 << 18 };
    uint32_t *v = get(N * 4);

    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N; i++) {
            v[i] = rnd();
        }
        qsort(v, N, 4, by_value);
    }
    return v[N / 2];
}

static double chase(void)
{
    enum { N = 8 << 20 >> 3 };
    uint64_t *next = get(N * 8), p = 0;

    /* Sattolo: one cycle through all elements */
    for (int i = 0; i < N; i++) {
        next[i] = i;
    }
    for (int i = N - 1; i > 0; i--) {
        int j = rnd() % i;
        uint64_t t = next[i];

        next[i] = next[j];
        next[j] = t;
    }
    for (int i = 0; i < 1 << 22; i++) {
        p = next[p];
    }
    return p;
}

enum { FFT_LOG = 16, FFT_N = 1 << FFT_LOG, FFT_CPUS_MAX = 256 };
static int fft_cpus = 16;
static double complex *fft_x, *fft_w;
static pthread_barrier_t fft_barrier;

static void *fft_part(void *arg)
{
    uintptr_t me = (uintptr_t)arg;
    int from = me * (FFT_N / 2 / fft_cpus), to = from + FFT_N / 2 / fft_cpus;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    for (int n = 0; n < 8 * FFT_LOG; n++) {
        int s = n % FFT_LOG, half = 1 << s;

        for (int k = from; k < to; k++) {
            int i = (k / half) * 2 * half + k % half;
            double complex t = fft_w[(k % half) << (FFT_LOG - 1 - s)] * fft_x[i + half];

            fft_x[i + half] = fft_x[i] - t;
            fft_x[i] += t;
        }
        pthread_barrier_wait(&fft_barrier);
    }
    return NULL;
}

static double fft(void)
{
    pthread_t t[FFT_CPUS_MAX];

    fft_x = get(FFT_N * sizeof(*fft_x));
    fft_w = get(FFT_N / 2 * sizeof(*fft_w));
    for (int i = 0; i < FFT_N; i++) {
        fft_x[i] = rnd() % 1000;
    }
    for (int i = 0; i < FFT_N / 2; i++) {
        fft_w[i] = cexp(-2 * M_PI * I * i / FFT_N);
    }
    pthread_barrier_init(&fft_barrier, NULL, fft_cpus);
    for (int i = 0; i < fft_cpus; i++) {
        pthread_create(&t[i], NULL, fft_part, (void *)(uintptr_t)i);
    }
    for (int i = 0; i < fft_cpus; i++) {
        pthread_join(t[i], NULL);
    }
    return creal(fft_x[1]);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long taken;

static void *lock_part(void *arg)
{
    uintptr_t me = (uintptr_t)arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    for (int n = 0; n < 2000; n++) {
        pthread_mutex_lock(&mutex);
        taken++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static double lock(void)
{
    pthread_t t[FFT_CPUS_MAX];

    for (int i = 0; i < fft_cpus; i++) {
        pthread_create(&t[i], NULL, lock_part, (void *)(uintptr_t)i);
    }
    for (int i = 0; i < fft_cpus; i++) {
        pthread_join(t[i], NULL);
    }
    return taken;
}

static double none(void)
{
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(void);
    } k[] = {
        { "triad", triad }, { "matmul", matmul }, { "sort", sort }, { "chase", chase },
        { "fft", fft },     { "lock", lock },     { "none", none },
    };
    struct timespec t;

    if (argc == 3 && !strcmp(argv[1], "fft")) {
        fft_cpus = atoi(argv[2]);
        if (fft_cpus < 1 || fft_cpus > FFT_CPUS_MAX || fft_cpus & (fft_cpus - 1)) {
            fprintf(stderr, "kernels: fft: %s is no power of 2 up to %d\n", argv[2], FFT_CPUS_MAX);
            return 2;
        }
        argc = 2;
    }
    for (size_t i = 0; argc == 2 && i < sizeof(k) / sizeof(k[0]); i++) {
        if (!strcmp(argv[1], k[i].name)) {
            double sum = k[i].run();

            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
            printf("%.6g %lld\n", sum, t.tv_sec * 1000000000ll + t.tv_nsec);
            return 0;
        }
    }
    fprintf(stderr, "usage: kernels triad|matmul|sort|chase|fft [CPUS]|lock|none\n");
    return 2;
}
