/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of some lines: their messages, the accesses that caused them, and when
 * copies left without a message (docs/follow.md), in bounded memory.
 *
 *   sn_follow_new/free
 *   sn_follow_add() sn_follow_candidate()   lines to follow
 *   sn_follow_has()                         whether one is
 *   sn_follow_message() sn_follow_left() sn_follow_access()   events
 *   sn_follow_cause()                       why an access missed
 *   sn_follow_lines() sn_follow_events()    what was recorded
 *
 * Lines are named by their user (sn_follow_add()), or are candidates: those that
 * seem to have most transactions.  When there is no place for one more, the
 * candidate with the fewest loses its place and its events, and the new one
 * counts one more than that ("space saving": Metwally, Agrawal, El Abbadi, 2005).
 * A line with more than a part in SN_FOLLOW_LINES of all transactions is among
 * the candidates in the end.  When there is no room for events, those of the
 * candidate with the fewest transactions go; else the event is lost, and counted.
 */
#ifndef SN_FOLLOW_H
#define SN_FOLLOW_H

#include "observe/lines.h"
#include "observe/record.h"

#define SN_FOLLOW_WAITS 12 /* of a message; more are left out */

enum sn_event_kind {
    SN_EVENT_MESSAGE,
    SN_EVENT_ACCESS,  /* its transaction is complete */
    SN_EVENT_DROPPED, /* a clean line was replaced */
    SN_EVENT_FLUSHED, /* a CACHE instruction took it out */
};

/* The access of a CPU that a transaction was for. */
struct sn_followed_access {
    struct sn_profile_where where;
    uint64_t transaction;
    uint64_t now;        /* ticks: when it began */
    uint64_t start, end; /* ps since the machine's start */
    uint32_t stall;      /* ticks */
    uint16_t cpu;
    uint8_t kind, tx; /* enum sn_kind, of sn_tx_name() */
    uint8_t cause;    /* SN_NCAUSES: not known */
};

struct sn_event {
    uint8_t kind; /* enum sn_event_kind */
    union {
        struct sn_message message; /* its `wait` is not valid ... */
        struct sn_followed_access access;
        struct {
            uint64_t now; /* ticks */
            uint16_t cpu;
        } left;
    };
    struct sn_wait wait[SN_FOLLOW_WAITS]; /* ... but these are */
};

/* A line as it was recorded. */
struct sn_followed {
    uint64_t pa;
    uint64_t addr; /* virtual, of the access that it was followed for */
    uint32_t thread;
    uint64_t transactions; /* a candidate's: at most so many more than it had */
    uint64_t events, lost;
};

struct sn_follow;

/*
 * `events` at most, in all, of lines of so many bytes.  NULL: the host has no
 * memory.
 */
struct sn_follow *sn_follow_new(uint32_t events, unsigned bytes);
void sn_follow_free(struct sn_follow *f);
/* False: SN_FOLLOW_LINES are followed already. */
bool sn_follow_add(struct sn_follow *f, uint64_t pa,
                   const struct sn_profile_where *w);
/* A transaction for the line begins. */
void sn_follow_candidate(struct sn_follow *f, uint64_t pa,
                         const struct sn_profile_where *w);
bool sn_follow_has(const struct sn_follow *f, uint64_t pa);

void sn_follow_message(struct sn_follow *f, const struct sn_message *o);
/* kind: SN_EVENT_DROPPED or SN_EVENT_FLUSHED; now: ticks. */
void sn_follow_left(struct sn_follow *f, enum sn_event_kind kind, unsigned cpu,
                    uint64_t pa, uint64_t now);
void sn_follow_access(struct sn_follow *f, const struct sn_observed *o,
                      const struct sn_profile_where *w);
/* The cause of a CPU's transaction, which may become known after other events. */
void sn_follow_cause(struct sn_follow *f, unsigned cpu, uint64_t transaction,
                     enum sn_cause cause);

/* Lines [0] to [n - 1] into `lines`, those with most transactions first. */
unsigned sn_follow_lines(const struct sn_follow *f,
                         struct sn_followed lines[SN_FOLLOW_LINES]);
/* The events of a line, in the order in which they came. */
void sn_follow_events(const struct sn_follow *f, uint64_t pa,
                      void (*fn)(void *opaque, const struct sn_event *e),
                      void *opaque);

#endif
