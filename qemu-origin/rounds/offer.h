/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a phase comes to the threads that run it, and back: the words that several
 * threads use at the same time
 *
 * The first thread offers each thread a list of CPUs, and maybe something that
 * only that thread can do.  A thread takes CPUs from the lists, its own first, and
 * says at its end how many it has run.
 *
 *   rd_offer()            first thread: make an offer
 *   rd_offer_read()       a thread: look for an offer of its own
 *   rd_offer_take()       any thread: take the next CPU of a list of its phase
 *   rd_ended_add()        a thread has run so many CPUs
 *   rd_ended_reached()    first thread: have all run?
 *
 * Who takes a CPU, or reads an offer, sees all that was written before rd_offer().
 * When rd_ended_reached() is true, all is seen that was written before the calls of
 * rd_ended_add().
 *
 * A thread that waits may sleep.  It sets `asleep`, looks once more, and sleeps if
 * there is nothing.  rd_offer() and rd_ended_add() say whether somebody sleeps.
 * These four accesses are sequentially consistent, so one of the two sees what the
 * other has written, and nobody sleeps for ever.
 *
 * Left out: threads, and how they sleep.
 */
#ifndef ROUNDS_OFFER_H
#define ROUNDS_OFFER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An offer: how many CPUs of the list are taken, how many it has, whether there is
 * something that only its thread can do, and the number of the phase.  All are in
 * one word, so that a thread which takes a CPU knows that it is of the present phase.
 */
#define RD_OFFER_LIST  16
#define RD_OFFER_OWN   31
#define RD_OFFER_PHASE 32

struct rd_offer {
    uint64_t word;
    bool asleep; /* its thread, until the next offer */
};

/* Offer @n CPUs in the phase number @phase. True: the thread sleeps. */
static inline bool rd_offer(struct rd_offer *o, uint32_t phase, bool own,
                            unsigned n)
{
    uint64_t word = (uint64_t)phase << RD_OFFER_PHASE |
                    (uint64_t)own << RD_OFFER_OWN |
                    (uint64_t)n << RD_OFFER_LIST;

    __atomic_exchange_n(&o->word, word, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&o->asleep, __ATOMIC_SEQ_CST);
}

static inline uint64_t rd_offer_read(const struct rd_offer *o)
{
    return __atomic_load_n(&o->word, __ATOMIC_SEQ_CST);
}

/* Are the words of two phases? */
static inline bool rd_offer_differs(uint64_t word, uint64_t other)
{
    return (word ^ other) >> RD_OFFER_PHASE;
}

static inline bool rd_offer_has_own(uint64_t word)
{
    return word >> RD_OFFER_OWN & 1;
}

/*
 * Take a CPU of the phase of @mine, a word of the thread's own offer: its place in the
 * list.  -1: none is left, or the list is of a later phase.  A thread that took one of
 * that before those of its own list would run CPUs out of order.
 */
static inline int rd_offer_take(struct rd_offer *o, uint64_t mine)
{
    uint64_t word = rd_offer_read(o);
    unsigned i, n;

    do {
        i = word & ((1u << RD_OFFER_LIST) - 1);
        n = word >> RD_OFFER_LIST &
            ((1u << (RD_OFFER_OWN - RD_OFFER_LIST)) - 1);
        if (i >= n || rd_offer_differs(word, mine)) {
            return -1;
        }
    } while (!__atomic_compare_exchange_n(&o->word, &word, word + 1, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return (int)i;
}

/* How many CPUs of the phase have run */
struct rd_ended {
    unsigned n;
    bool asleep; /* the first thread, until all have */
};

/* First thread, before the offers of a phase */
static inline void rd_ended_begin(struct rd_ended *e)
{
    __atomic_store_n(&e->n, 0, __ATOMIC_RELAXED);
}

/* True: the first thread sleeps. */
static inline bool rd_ended_add(struct rd_ended *e, unsigned n)
{
    __atomic_fetch_add(&e->n, n, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&e->asleep, __ATOMIC_SEQ_CST);
}

static inline bool rd_ended_reached(const struct rd_ended *e, unsigned n)
{
    return __atomic_load_n(&e->n, __ATOMIC_SEQ_CST) == n;
}

/* Whoever waits has to look once more after rd_sleeps(@asleep, true). */
static inline void rd_sleeps(bool *asleep, bool on)
{
    /* Not a store: emulated, one of arm64's may be overtaken by a load. */
    (void)__atomic_exchange_n(asleep, on, __ATOMIC_SEQ_CST);
}

#endif
