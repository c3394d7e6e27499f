// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads on the nodes 0, 1 and 2 read lines of 32 pages that lie on nodes 2 and 5.  The functions of counters.c say
 * from the hardware's counters what they did.  The reading is the region "read"; a line `requests A B C D E F G H` and a
 * line `hottest P` come out.
 *
 * Which lines a thread reads is drawn by lot; it reads no line twice.
 */
#include "counters.h"
#include "kit.h"

#define THREADS 3
#define PAGES   32
#define LINES   (PAGES * PAGE / LINE_BYTES)

static volatile long memory[LINES][LINE_BYTES / 8] __attribute__((aligned(PAGE_BYTES)));

static void work(int me)
{
    long sum = 0;

    team_wait();
    if (me == 0)
        region_begin("read");
    team_wait();
    for (long i = 0; i < LINES; i++)
        if (random_at((unsigned long)(me * LINES + i)) < 0.2 + 0.3 * me)
            sum += memory[i][0];
    if (sum)
        die("memory");
    team_wait();
    if (me == 0)
        region_end();
}

int main(void)
{
    long requests[NODES] = { 0 };
    int hottest;

    put_on(2, (void *)memory, sizeof(memory) / 2);
    put_on(5, (void *)memory[LINES / 2], sizeof(memory) / 2);
    use_nodes(THREADS);
    counters_begin((void *)memory, PAGES);
    team_run(THREADS, work);
    counters_end((void *)memory, PAGES, requests);
    hottest = hottest_page((void *)memory, PAGES);
    printf("requests");
    for (int n = 0; n < NODES; n++)
        printf(" %ld", requests[n]);
    printf("\nhottest %d\n", hottest);
    return 0;
}
