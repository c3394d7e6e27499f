// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting by address in the guest: threads that share a processor and have
 * ranges of their own, signals, fork, exec (ranges.h), refused requests.
 * Prints TAP, the plan at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sn_range.h>
#include "ranges.h"

enum { EV_CYCLES = 0, EV_INSNS = 15, EV_LOADS = 18, EV_STORES = 19 };

static __thread int fd;

static void count(unsigned event, const struct sn_range *data, const struct sn_range *code)
{
    fd = sn_range_open(event, data, code, 0);
    if (fd < 0) {
        fail("sn_range_open");
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void count_loads(unsigned a)
{
    struct sn_range r;

    if (sn_range_cover((uintptr_t)array[a], (uintptr_t)array[a + 1], &r) < 0) {
        fail("sn_range_cover");
    }
    count(EV_LOADS, &r, NULL);
}

static long loads_counted(void)
{
    uint64_t n = 0;

    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &n, sizeof(n)) != sizeof(n)) {
        fail("read");
    }
    close(fd);
    return (long)n;
}

static void after_fork(void)
{
}

/* A counter of @data must be refused. */
static void no_counter(const char *name, const struct sn_range *data, unsigned event, int want)
{
    int n = sn_range_open(event, data, NULL, 0);

    refused(want, n, name);
    if (n >= 0) {
        close(n);
    }
}

int main(int argc, char **argv)
{
    struct sn_range r;
    int file;

    if (argc > 1 && !strcmp(argv[1], "none")) {
        sn_range_cover((uintptr_t)array[0], (uintptr_t)array[1], &r);
        no_counter("without the monitor", &r, EV_LOADS, EOPNOTSUPP);
        printf("1..%u\n", points);
        return 0;
    }
    if (argc > 1) {
        return child_work(argc > 2);
    }
    threads_do_not_mix(false);
    threads_do_not_mix(true);
    children_do_not_mix(argv[0]);

    /* The kernel's own reads and writes of the array do not count as the user's. */
    count_loads(3);
    file = memfd_create("x", 0);
    equal(write(file, (void *)(uintptr_t)array[3], 4096), 4096, "write");
    close(file);
    equal(loads_counted(), 0, "the kernel's accesses do not count");

    sn_range_cover((uintptr_t)array[0], (uintptr_t)array[1], &r);
    no_counter("cycles have no address", &r, EV_CYCLES, EINVAL);
    no_counter("instructions have no address of data", &r, EV_INSNS, EINVAL);
    no_counter("no such event", &r, 32, EINVAL);
    r.start = 0x8000000000000000;
    r.end = r.start + 64;
    no_counter("a range of the kernel", &r, EV_LOADS, EINVAL);
    r.start = -UINT64_C(64);
    r.end = 64;
    no_counter("a range that wraps", &r, EV_LOADS, EINVAL);
    r.start = r.end = 64;
    no_counter("an empty range", &r, EV_LOADS, EINVAL);
    r.start = 0x10001;
    r.end = 0x1fffe;
    r.start_off = r.end_off = 0;
    no_counter("more than four pairs", &r, EV_LOADS, E2BIG);
    printf("1..%u\n", points);
    return 0;
}
