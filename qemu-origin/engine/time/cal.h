/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calendar of a resource: it records the intervals of time in which the
 * resource is booked.  The clocks of two CPUs differ by up to a quantum, so
 * requests do not come in order of time.  If each request waited for the last
 * one booked, an early request would wait for later ones.  Instead a request
 * gets the first gap at or after its time that is long enough.
 *
 *   sn_cal_find()      start of the first gap of `dur` at or after `t`
 *   sn_cal_free()      whether an interval of `dur` can start at `t`
 *   sn_cal_book()      book the first gap of `dur`; returns its start
 *   sn_cal_take()      book `dur`, in several gaps if need be; returns start
 *   sn_cal_cover()     book an interval, parts of which may be booked already;
 *                      returns how much of it was free
 *   sn_cal_backlog()   sum of the booked time after `t`
 *
 * Times are in ps.  Neighbouring intervals merge.  When the calendar is full,
 * its oldest third becomes one interval: no time is booked twice, but a late
 * caller with an early time may wait longer.  A calendar of zeros is empty.
 *
 * A transaction consults a dozen calendars, most of them at or after the end of
 * all bookings.  That case is inline; cal.c has the others.
 *
 * Left out: priorities.  Whoever calls first is served first.
 */
#ifndef SN_CAL_H
#define SN_CAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sn_state.h"

/*
 * When 128 CPUs wait for one line, some 300 booked intervals still lie in the
 * future.  Joining them would leave the resource idle in the gaps between them.
 */
#define SN_CAL_SLOTS 384
#define SN_CAL_JOIN  128 /* joining removes this many entries */

struct sn_busy {
    uint64_t from, to;
};

/*
 * Entries 1 to n are in use; they ascend and do not touch.  Entry 0 is never
 * booked.  It ends at time 0, so a backward search stops there.
 */
struct sn_cal {
    uint32_t n;
    _Alignas(16) struct sn_busy busy[SN_CAL_SLOTS + 1];
};

/*
 * Empty the calendar.  A calendar that was never used is not written, so the
 * host does not allocate its memory.
 */
static inline void sn_cal_reset(struct sn_cal *c)
{
    if (c->n) {
        c->n = 0;
    }
}

void sn_cal_state(struct sn_cal *c, struct sn_archive *a);
uint64_t sn_cal_find_gap(struct sn_cal *c, uint64_t t, uint64_t dur);
uint64_t sn_cal_book_gap(struct sn_cal *c, uint64_t t, uint64_t dur);
uint64_t sn_cal_take_gaps(struct sn_cal *c, uint64_t t, uint64_t dur);
uint64_t sn_cal_cover(struct sn_cal *c, uint64_t from, uint64_t to);
uint64_t sn_cal_backlog(struct sn_cal *c, uint64_t t);

static inline uint64_t sn_cal_find(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    const struct sn_busy *last = &c->busy[c->n];

    if (t >= last->to) {
        return t;
    }
    return t < last->from ? sn_cal_find_gap(c, t, dur) : last->to;
}

static inline bool sn_cal_free(const struct sn_cal *c, uint64_t t, uint64_t dur)
{
    for (const struct sn_busy *b = &c->busy[c->n]; b->to > t; b--) {
        if (b->from < t + dur) {
            return false;
        }
    }
    return true;
}

/*
 * Book at the end if *t is not before the last interval.  Returns true with the
 * start in *t; false: nothing is booked.
 */
static inline bool sn_cal_append(struct sn_cal *c, uint64_t *t, uint64_t dur)
{
    struct sn_busy *last = &c->busy[c->n];

    if (*t < last->from || !c->n) {
        return false;
    }
    if (*t <= last->to) {
        *t = last->to;
        last->to += dur;
        return true;
    }
    if (c->n == SN_CAL_SLOTS) {
        return false;
    }
    c->n++;
    last[1] = (struct sn_busy){ *t, *t + dur };
    return true;
}

static inline uint64_t sn_cal_book(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    return sn_cal_append(c, &t, dur) ? t : sn_cal_book_gap(c, t, dur);
}

/*
 * Book `dur` of a resource that serves waiting requests without a pause.  A gap
 * that is somewhat too short is used nevertheless, and the rest is booked after
 * it.  The requests booked behind that gap were then told a time earlier than
 * the true one.  In return, gaps that only come from the order of the calls
 * cost no capacity.
 */
static inline uint64_t sn_cal_take(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    return dur && sn_cal_append(c, &t, dur) ? t : sn_cal_take_gaps(c, t, dur);
}

#endif
