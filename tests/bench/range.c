/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of which one in a hundred goes to an array of 64 KB: range TURNS [count]
 *
 * count: the loads of that array are counted by its address, the range monitor
 * being on meanwhile, and the number must be exact.  The other loads walk
 * through 256 KB, more than a primary cache and less than a secondary one.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sn_range.h>

enum { EV_LOADS = 18, N = 16384, OTHERS = 65536 };

static int monitored[N] __attribute__((aligned(sizeof(int) * N))), others[OTHERS + 99];

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 0;
    unsigned at = 0, sum = 0;
    struct sn_range r;
    uint64_t n = 0;
    int fd = -1;

    memset(monitored, 1, sizeof(monitored));
    memset(others, 1, sizeof(others));
    if (argc > 2) {
        if (sn_range_cover((uintptr_t)monitored, (uintptr_t)(monitored + N), &r) < 0 ||
            (fd = sn_range_open(EV_LOADS, &r, NULL, 0)) < 0) {
            fprintf(stderr, "range: %s\n", strerror(errno));
            return 1;
        }
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    }
    for (long t = 0; t < turns; t++) {
        const volatile int *p = others + at;

        sum += ((volatile int *)monitored)[t * 7 % N];
        for (int i = 0; i < 99; i++) {
            sum += (unsigned)p[i];
        }
        at = (at + 99) % OTHERS;
    }
    if (fd >= 0) {
        ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
        if (read(fd, &n, sizeof(n)) != sizeof(n) || n != (uint64_t)turns) {
            fprintf(stderr, "range: counted %llu, not %ld\n", (unsigned long long)n, turns);
            return 1;
        }
    }
    printf("%u\n", sum);
    return 0;
}
