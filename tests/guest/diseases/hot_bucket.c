// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with a hot bucket: four threads on four nodes count keys, nine of ten of
 * which fall into bucket 7.  Each bucket has a line of its own.
 *
 * The bucket's line changes hands at least once in a few dozen counts (a quantum is 1 us).
 *
 * Remedy: a table for each thread, added up at the end.
 */
#include "disease.h"

#define TIMES 4000

struct bucket {
    long count;
} __attribute__((aligned(LINE)));

static struct bucket buckets[CURE ? 4 : 1][64];

static void work(int me)
{
    struct bucket *mine = buckets[CURE ? me : 0];

    for (int i = 0; i < TIMES; i++)
        __atomic_fetch_add(&mine[i % 10 ? 7 : (i + me) % 64].count, 1, __ATOMIC_RELAXED);
}

int main(void)
{
    long sum = 0;

    start(4, work);
    for (size_t t = 0; t < sizeof(buckets) / sizeof(buckets[0]); t++)
        for (int i = 0; i < 64; i++)
            sum += buckets[t][i].count;
    if (sum != 4 * TIMES)
        return 1;
    expect("buckets", "true sharing", 4 * TIMES / 50, 20 * TIMES);
    return 0;
}
