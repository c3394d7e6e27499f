/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message on its way, while an observer wants messages: what the executor and
 * the time models note about it (sn.h, struct sn_message).  access/tell.c tells
 * the observer.
 *
 * Each function takes the machine's `seen`, and does nothing if it is NULL.
 * Times are those of the transaction (time/model.h).
 */
#ifndef SN_SEEN_H
#define SN_SEEN_H

#include "env.h"
#include "sn.h"

#define SN_SEEN_WAITS 128

/* A message under way, and its waits: `count` of struct sn_seen's, from `first`. */
struct sn_flight {
    uint64_t parent;
    uint64_t sent, left, arrived, taken;
    unsigned first, count;
    enum sn_leg leg;
};

struct sn_seen {
    uint64_t transactions, messages; /* numbers given so far */
    uint64_t transaction;            /* number of the latest; 0: not wanted */
    uint64_t zero; /* ps since the machine's start at 0 of the transaction */
    struct sn_flight flight;
    struct sn_flight request; /* of two steps, the first one's */
    unsigned copies, waits;
    struct sn_copy copy[2]; /* that the message has changed so far */
    struct sn_wait wait[SN_SEEN_WAITS];
};

/* A message is sent because of message `parent`, which was taken at `at`. */
static inline void sn_seen_send(struct sn_seen *s, uint64_t parent, uint64_t at)
{
    if (sn_unlikely(s != NULL)) {
        s->flight = (struct sn_flight){ .parent = parent,
                                        .sent = at,
                                        .left = at,
                                        .arrived = at,
                                        .taken = at,
                                        .first = s->waits };
    }
}

static inline void sn_seen_left(struct sn_seen *s, uint64_t at)
{
    if (sn_unlikely(s != NULL)) {
        s->flight.left = at;
        s->flight.leg = SN_LEG_WAY;
    }
}

static inline void sn_seen_arrived(struct sn_seen *s, uint64_t at)
{
    if (sn_unlikely(s != NULL)) {
        s->flight.arrived = at;
        s->flight.leg = SN_LEG_TAKE;
    }
}

static inline void sn_seen_taken(struct sn_seen *s, uint64_t at)
{
    if (sn_unlikely(s != NULL)) {
        s->flight.taken = at;
    }
}

/* Of two steps the first one is taken at `at`, and the second one sent. */
static inline void sn_seen_answer(struct sn_seen *s, uint64_t at)
{
    if (sn_unlikely(s != NULL)) {
        s->flight.taken = at;
        s->flight.count = s->waits - s->flight.first;
        s->request = s->flight;
        sn_seen_send(s, 0, at);
    }
}

/* The message under way, which comes back with sn_seen_again(). */
static inline struct sn_flight sn_seen_keep(struct sn_seen *s)
{
    s->flight.count = s->waits - s->flight.first;
    return s->flight;
}

/* Waits that were noted since sn_seen_keep() are forgotten. */
static inline void sn_seen_again(struct sn_seen *s, const struct sn_flight *f)
{
    s->flight = *f;
    s->waits = f->first + f->count;
}

/* It wanted something at t and got it at `got`. */
static inline void sn_seen_wait(struct sn_seen *s, unsigned what, unsigned at,
                                uint64_t t, uint64_t got)
{
    if (sn_unlikely(s != NULL) && got > t && s->waits < SN_SEEN_WAITS) {
        s->wait[s->waits++] =
            (struct sn_wait){ (uint8_t)what, (uint8_t)s->flight.leg,
                              (uint16_t)at, (uint32_t)(got - t) };
    }
}

/* It changes a CPU's copy. */
static inline void sn_seen_copy(struct sn_seen *s, unsigned cpu,
                                unsigned before, unsigned after)
{
    if (sn_unlikely(s != NULL) && before != after) {
        s->copy[s->copies++ % 2] =
            (struct sn_copy){ (uint16_t)cpu, (uint8_t)before, (uint8_t)after };
    }
}

#endif
