// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TLB thrash: one word on each of 2048 pages of 16 KB, 32 MB in all, read in turn.  An entry of the
 * TLB holds two pages, and 64 entries 2 MB.
 *
 * Entries are replaced at random, so one of 64 survives 1023 others with a probability of e^-16: each
 * pair of pages is missed once a round.  The word's place in its page changes every 32 pages, the
 * least number of pages in a way of an L2, so that all words fit into the L2.
 *
 * Both ways read through a table of addresses, so that they execute the same instructions, and read
 * once before the measurement, so that the first touch and what it displaced is not in it.
 *
 * Remedy: the words together, on 16 pages.
 */
#include "disease.h"

#define PAGE   16384
#define PAGES  2048
#define ROUNDS 40

static struct {
    volatile char page[PAGES][PAGE];
} pool __attribute__((aligned(2 * PAGE)));
static volatile char packed[PAGES][LINE] __attribute__((aligned(PAGE)));

static volatile char *where[PAGES];

static void read_all(void)
{
    for (int i = 0; i < PAGES; i++)
        (void)*where[i];
}

int main(void)
{
    on_cpu(0);
    for (int i = 0; i < PAGES; i++) {
        where[i] = CURE ? packed[i] : &pool.page[i][i / 32 % (PAGE / LINE) * LINE];
        *where[i] = 1;
    }
    read_all();
    disease_begin();
    for (int n = 0; n < ROUNDS; n++)
        read_all();
    expect("pool", "TLB refills", PAGES / 2 * ROUNDS, PAGES / 2 * (ROUNDS + 4));
    return 0;
}
