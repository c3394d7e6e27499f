/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calendar of a shared resource: which stretches of time are taken.  Requests
 * come with the clocks of CPUs that disagree by up to a quantum, so "free
 * after the last one" would make an early request wait for later ones.  A
 * request gets the first gap that is long enough, at or after its time.
 *
 *   sn_cal_find()      where a stretch of `dur` at or after `t` would start
 *   sn_cal_free()      whether it can start at `t`
 *   sn_cal_book()      take it; returns the start
 *   sn_cal_take()      take it where it does not quite fit, too
 *   sn_cal_backlog()   how much is taken after `t`
 *
 * Times in ps.  Neighbouring intervals merge.  When the calendar is full its
 * oldest third becomes one interval: nothing is booked twice, a straggler may
 * wait longer.  A calendar of zeros is empty.
 *
 * A transaction asks a dozen of them, most at or after the end of all that is
 * taken: that is inline, the rest in cal.c.
 *
 * Left out: priorities; whoever calls first is served first.
 */
#ifndef SN_CAL_H
#define SN_CAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * 128 CPUs that wait for one line have booked some 300 stretches that are not
 * over yet; joining these would keep the resource idle.
 */
#define SN_CAL_SLOTS 384
#define SN_CAL_JOIN  128 /* by so many fewer are there after joining */

struct sn_busy {
    uint64_t from, to;
};

/* Entries 1 to n, ascending and apart.  Entry 0 is never booked: it ends at 0, where a search
 * backwards does. */
struct sn_cal {
    uint32_t n;
    _Alignas(16) struct sn_busy busy[SN_CAL_SLOTS + 1];
};

/* Empty it.  One never used, as in the first stage, is not even written: it takes no memory of the
 * host. */
static inline void sn_cal_reset(struct sn_cal *c)
{
    if (c->n) {
        c->n = 0;
    }
}

uint64_t sn_cal_find_gap(struct sn_cal *c, uint64_t t, uint64_t dur);
uint64_t sn_cal_book_gap(struct sn_cal *c, uint64_t t, uint64_t dur);
uint64_t sn_cal_take_gaps(struct sn_cal *c, uint64_t t, uint64_t dur);
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

/* At or after the end of what is taken: true, *t is where. */
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
    last[1] = (struct sn_busy){*t, *t + dur};
    return true;
}

static inline uint64_t sn_cal_book(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    return sn_cal_append(c, &t, dur) ? t : sn_cal_book_gap(c, t, dur);
}

/*
 * Take `dur` of a resource that serves without a pause whoever waits.  A gap
 * somewhat too short is taken all the same and the rest booked after it: who
 * stands behind it has been told an earlier time than the true one, but no
 * capacity is lost to gaps that only come from the order of the calls.
 */
static inline uint64_t sn_cal_take(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    return dur && sn_cal_append(c, &t, dur) ? t : sn_cal_take_gaps(c, t, dur);
}

#endif
