// SPDX-License-Identifier: GPL-2.0-or-later
/* Nanoseconds that a load takes which waits for the load before: chase KB STRIDE, as lmbench's lat_mem_rd does it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define P  p = *(void **)p;
#define P8 P P P P P P P P

static double ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    for (int a = 1; a + 1 < argc; a += 2) {
        size_t bytes = 1024 * strtoul(argv[a], 0, 0), stride = strtoul(argv[a + 1], 0, 0);
        char *m = aligned_alloc(65536, bytes + 65536);
        size_t turns = 0, n = bytes / stride / 64 + 1;
        void *volatile end;
        void *p;
        double t;

        for (size_t i = 0; i < bytes; i += stride)
            *(void **)(m + i) =
                m + (i + bytes - stride) % bytes; /* downwards: nothing prefetches */
        p = m;
        for (int warm = 0; warm < 2; warm++) {
            t = ns();
            for (turns = 0; turns < (n < 2000 ? 2000 : 2 * n); turns++) {
                P8 P8 P8 P8 P8 P8 P8 P8
            }
            t = ns() - t;
            end = p;
        }
        (void)end;
        printf("%s KB stride %zu: %.2f ns\n", argv[a], stride, t / (double)turns / 64);
        free(m);
    }
    return 0;
}
