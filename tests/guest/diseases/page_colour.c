// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page-coloured conflict: four pages whose physical addresses have the same index in the
 * two-way L2.  The program looks up physical addresses in /proc/self/pagemap.
 *
 * A round reads one line of each page.  With four lines for two ways and random
 * replacement, at least half of the reads miss, and none misses in a fully associative cache.
 *
 * Remedy: four pages of four colours.
 */
#include "disease.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#define PAGE   16384
#define PAGES  512
#define WAY    (4 << 20) /* at least a way of the largest L2 of this project, a multiple of all */
#define SAME   4
#define ROUNDS 5000

static volatile char pool[PAGES][PAGE] __attribute__((aligned(PAGE)));
static volatile char *chosen[SAME];

static uint64_t frame(int maps, const volatile void *p)
{
    uint64_t entry = 0;

    if (pread(maps, &entry, 8, (off_t)((uintptr_t)p / PAGE * 8)) != 8 || !(entry >> 63)) {
        fprintf(stderr, "page_colour: no physical address\n");
        exit(1);
    }
    return entry & ((UINT64_C(1) << 55) - 1);
}

/* The first four pages of one colour of a way of @way bytes; with the remedy, of four colours. */
static int fits(int maps, uint64_t colours, const volatile void *page, int n)
{
    for (int i = 0; i < n; i++)
        if ((frame(maps, page) % colours == frame(maps, chosen[i]) % colours) == CURE)
            return 0;
    return 1;
}

static int choose(int maps, uint64_t way)
{
    for (int i = 0; i < PAGES; i++) {
        int n = 0;

        for (int j = i; j < PAGES && n < SAME; j++)
            if (fits(maps, way / PAGE, pool[j], n))
                chosen[n++] = pool[j];
        if (n == SAME)
            return 1;
    }
    return 0;
}

int main(void)
{
    int maps = open("/proc/self/pagemap", O_RDONLY);
    uint64_t way = WAY;

    on_cpu(0);
    for (int i = 0; i < PAGES; i++)
        pool[i][0] = 1;
    while (!choose(maps, way))
        way /= 2;
    disease_begin(); /* the search is not the disease */
    for (int i = 0; i < ROUNDS; i++)
        for (int j = 0; j < SAME; j++)
            (void)*chosen[j];
    expect("pool", "conflict misses", SAME * ROUNDS / 2, SAME * ROUNDS);
    return 0;
}
