// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Radix sort of whole numbers by all processors, a digit of r bits in each pass, from the least.
 *
 * In a pass each thread counts the digits of its stretch of keys.  From all counts follows where each
 * thread's keys of each digit go, and it puts them there: the writes to all memories are what makes this
 * a test of a shared-memory machine.  The counts of all threads are one matrix.  With -c its rows are
 * the digits, as one writes it down first: each line then has counts of several threads.  Without -c each
 * thread's counts begin with a line of their own.
 */
#include "team.h"

#include <getopt.h>
#include <stdint.h>

#define KEY_BITS 24

static struct {
    int threads, bits, by_digit;
    int main_first; /* thread 0 touches all keys first */
    long keys;
    uint32_t *from, *to; /* keys before and after a pass */
    long *count;         /* of digit d of thread t: see count_of() */
    long stride;         /* counts of a thread, with what fills its last line */
    double begun, ended;
} sort;

static inline long *count_of(int thread, long digit)
{
    return sort.by_digit ? &sort.count[digit * sort.threads + thread]
                         : &sort.count[thread * sort.stride + digit];
}

static long digit_of(uint32_t key, int shift)
{
    return key >> shift & ((1L << sort.bits) - 1);
}

static uint32_t key_at(long i)
{
    return (uint32_t)(random_at((unsigned long)i) * (1 << KEY_BITS));
}

static void fill(long first, long end)
{
    for (long i = first; i < end; i++) {
        sort.from[i] = key_at(i);
        sort.to[i] = 0;
    }
}

/* Where thread @me's first key of each digit goes: behind smaller digits, and behind earlier threads. */
static void place(int me, long *next)
{
    long sum = 0;

    for (long d = 0; d < 1L << sort.bits; d++)
        for (int t = 0; t < sort.threads; t++) {
            if (t == me)
                next[d] = sum;
            sum += *count_of(t, d);
        }
}

static void pass(int me, int shift, long *next)
{
    long first, end;

    team_share(sort.keys, me, sort.threads, &first, &end);
    for (long d = 0; d < 1L << sort.bits; d++)
        *count_of(me, d) = 0;
    for (long i = first; i < end; i++)
        ++*count_of(me, digit_of(sort.from[i], shift));
    team_wait();
    place(me, next);
    for (long i = first; i < end; i++)
        sort.to[next[digit_of(sort.from[i], shift)]++] = sort.from[i];
    team_wait();
    if (me == 0) {
        uint32_t *t = sort.from;

        sort.from = sort.to;
        sort.to = t;
    }
    team_wait();
}

static void work(int me)
{
    long *next = aligned(sizeof(long) << sort.bits);
    long first, end;

    team_share(sort.keys, me, sort.threads, &first, &end);
    if (!sort.main_first)
        fill(first, end);
    else if (me == 0)
        fill(0, sort.keys);
    team_wait();
    if (me == 0)
        sort.begun = seconds();
    for (int shift = 0; shift < KEY_BITS; shift += sort.bits)
        pass(me, shift, next);
    if (me == 0)
        sort.ended = seconds();
    free(next);
}

/* In order, and the same keys: their sum and the sum of their squares are. */
static int is_right(void)
{
    uint64_t sum = 0, squares = 0;

    for (long i = 0; i < sort.keys; i++) {
        uint64_t key = key_at(i), got = sort.from[i];

        sum += key - got;
        squares += key * key - got * got;
        if (i && sort.from[i - 1] > sort.from[i])
            return 0;
    }
    return !sum && !squares;
}

static void usage(void)
{
    fprintf(stderr, "usage: radix [-n KEYS] [-r BITS] [-p THREADS] [-c] [-i]\n"
                    "  -c  counts of all threads are in the same lines\n"
                    "  -i  thread 0 initializes all keys, so that it touches all pages first\n");
    exit(2);
}

int main(int argc, char **argv)
{
    int c, right;

    sort.keys = 1 << 16;
    sort.bits = 8;
    sort.threads = 1;
    while ((c = getopt(argc, argv, "n:r:p:ci")) != -1)
        if (c == 'n')
            sort.keys = option_number("-n", optarg, 1, 1L << 32);
        else if (c == 'r')
            sort.bits = (int)option_number("-r", optarg, 1, 16);
        else if (c == 'p')
            sort.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 'c')
            sort.by_digit = 1;
        else if (c == 'i')
            sort.main_first = 1;
        else
            usage();
    if (optind < argc)
        usage();
    sort.stride = ((1L << sort.bits) + LINE_BYTES / 8 - 1) / (LINE_BYTES / 8) * (LINE_BYTES / 8);
    sort.from = aligned((size_t)sort.keys * sizeof(uint32_t));
    sort.to = aligned((size_t)sort.keys * sizeof(uint32_t));
    sort.count = aligned((size_t)sort.threads * (size_t)sort.stride * sizeof(long));
    team_run(sort.threads, work);
    right = is_right();
    printf("radix: %ld keys, %d threads: %.1f us; %s\n", sort.keys, sort.threads,
           1e6 * (sort.ended - sort.begun), right ? "in order" : "NOT IN ORDER");
    return !right;
}
