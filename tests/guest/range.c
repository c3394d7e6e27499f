// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting by address in the guest: threads that share a processor and have
 * ranges of their own, fork, exec, signals, refused requests.  Prints TAP, the plan at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sn_range.h>
#include "tap.h"

enum { EV_CYCLES = 0, EV_INSNS = 15, EV_LOADS = 18, EV_STORES = 19, N = 4096, ROUNDS = 50 };

static volatile int shared[4][N] __attribute__((aligned(sizeof(int) * N)));

static int counter(unsigned event, const volatile void *p, uint64_t bytes)
{
    struct sn_range r;
    int fd;

    if (sn_range_cover((uintptr_t)p, (uintptr_t)p + bytes, &r) < 0 ||
        (fd = sn_range_open(event, &r, NULL, 0)) < 0) {
        printf("Bail out! counter: %s\n", strerror(errno));
        exit(1);
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    return fd;
}

static uint64_t counted(int fd)
{
    uint64_t n = 0;

    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &n, sizeof(n)) != sizeof(n)) {
        n = UINT64_MAX;
    }
    close(fd);
    return n;
}

static void load(unsigned array, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        (void)shared[array][i % N];
    }
}

/* Each thread loads all arrays, a different number of times; it counts one array. */
static void *thread(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    int fd = counter(EV_LOADS, shared[me], sizeof(shared[me]));

    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned a = 0; a < 4; a++) {
            load(a, 100 * (me + 1) + 10 * a);
        }
        sched_yield();
    }
    return (void *)(uintptr_t)counted(fd);
}

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
    (void)sig;
    signals++;
    load(1, 7);
}

/* A counter of @data that is not to be had. */
static void no_counter(const char *name, const struct sn_range *data, unsigned event, int want)
{
    int fd = sn_range_open(event, data, NULL, 0);

    refused(want, fd, name);
    if (fd >= 0) {
        close(fd);
    }
}

int main(int argc, char **argv)
{
    struct sn_range r;
    cpu_set_t one;
    pthread_t t[3];
    int fd, status;

    if (argc > 1 && !strcmp(argv[1], "none")) {
        sn_range_cover((uintptr_t)shared[0], (uintptr_t)shared[1], &r);
        no_counter("without the monitor", &r, EV_LOADS, EOPNOTSUPP);
        printf("1..%u\n", points);
        return 0;
    }
    if (argc > 1) {
        load(2, 1000); /* what exec starts */
        return 0;
    }
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    for (unsigned i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i);
    }
    for (unsigned i = 0; i < 3; i++) {
        void *n;

        pthread_join(t[i], &n);
        equal((uintptr_t)n, ROUNDS * (100 * (i + 1) + 10 * i), "threads on one processor, each its own range");
    }

    fd = counter(EV_LOADS, shared[2], sizeof(shared[2]));
    load(2, 5);
    if (!fork()) {
        load(2, 1000);
        _exit(0);
    }
    wait(&status);
    if (!fork()) {
        execl(argv[0], argv[0], "child", (char *)NULL);
        _exit(1);
    }
    wait(&status);
    load(2, 6);
    equal(counted(fd), 11, "children's accesses are not the parent's");

    fd = counter(EV_LOADS, shared[1], sizeof(shared[1]));
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 10; i++) {
        load(0, 100);
        raise(SIGUSR1);
    }
    equal(counted(fd), 70, "a signal's handler counts like the rest");

    /* The kernel reads and writes the array: not the user's accesses. */
    fd = counter(EV_LOADS, shared[3], sizeof(shared[3]));
    status = memfd_create("x", 0);
    equal(write(status, (void *)(uintptr_t)shared[3], 4096), 4096, "write");
    close(status);
    equal(counted(fd), 0, "the kernel's accesses do not count");

    sn_range_cover((uintptr_t)shared[0], (uintptr_t)shared[1], &r);
    no_counter("cycles have no address", &r, EV_CYCLES, EINVAL);
    no_counter("instructions have no address of data", &r, EV_INSNS, EINVAL);
    no_counter("no such event", &r, 32, EINVAL);
    r.start = 0x8000000000000000;
    r.end = r.start + 64;
    no_counter("a range of the kernel", &r, EV_LOADS, EINVAL);
    r.start = 0x10001;
    r.end = 0x1fffe;
    r.start_off = r.end_off = 0;
    no_counter("more than four pairs", &r, EV_LOADS, E2BIG);
    printf("1..%u\n", points);
    return 0;
}
