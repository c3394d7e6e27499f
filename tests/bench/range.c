/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of which one in a hundred goes to an array of 64 KB: range TURNS STRETCHES
 *
 * In every second stretch the loads of that array are counted by its address, and
 * at the end their number must be exact.  The other loads walk through 256 KB:
 * more than a primary cache, less than a secondary one.  A line is printed at the
 * end of each stretch.
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

static unsigned stretch(long turns)
{
    unsigned at = 0, sum = 0;

    for (long t = 0; t < turns; t++) {
        const volatile int *p = others + at;

        sum += (unsigned)((volatile int *)monitored)[t * 7 % N];
        for (int i = 0; i < 99; i++) {
            sum += (unsigned)p[i];
        }
        at = (at + 99) % OTHERS;
    }
    return sum;
}

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 0, stretches = argc > 2 ? atol(argv[2]) : 0;
    struct sn_range r;
    uint64_t n = 0, want = 0;
    int fd;

    memset(monitored, 1, sizeof(monitored));
    memset(others, 1, sizeof(others));
    if (sn_range_cover((uintptr_t)monitored, (uintptr_t)(monitored + N), &r) < 0 ||
        (fd = sn_range_open(EV_LOADS, &r, NULL, 0)) < 0) {
        fprintf(stderr, "range: %s\n", strerror(errno));
        return 1;
    }
    for (long k = 0; k < stretches; k++) {
        if (k % 2) {
            ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
            want += (uint64_t)turns;
        }
        printf("%u\n", stretch(turns));
        ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
        fflush(stdout);
    }
    if (read(fd, &n, sizeof(n)) != sizeof(n) || n != want) {
        fprintf(stderr, "range: counted %llu, not %llu\n", (unsigned long long)n,
                (unsigned long long)want);
        return 1;
    }
    return 0;
}
