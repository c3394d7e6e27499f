/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calendar of a shared resource: which stretches of time are taken.  Requests
 * come with the clocks of CPUs that disagree by up to a quantum, so "free
 * after the last one" would make an early request wait for later ones.  A
 * request gets the first gap that is long enough, at or after its time.
 *
 *   sn_cal_find()      where a stretch of `dur` at or after `t` would start
 *   sn_cal_book()      take it; returns the start
 *   sn_cal_take()      take it where it does not quite fit, too
 *   sn_cal_backlog()   how much is taken after `t`
 *
 * Times in ps.  Neighbouring intervals merge.  When the calendar is full its
 * oldest third becomes one interval: nothing is booked twice, a straggler may
 * wait longer.  A calendar of zeros is empty.
 *
 * Left out: priorities; whoever calls first is served first.
 */
#ifndef SN_CAL_H
#define SN_CAL_H

#include <stdint.h>

#define SN_CAL_SLOTS 96
#define SN_CAL_JOIN  32        /* by so many fewer are there after joining */

struct sn_cal {
    uint32_t n;
    struct { uint64_t from, to; } busy[SN_CAL_SLOTS];   /* ascending, apart */
};

/* Put an interval before entry i, where it neither overlaps nor touches. */
static inline void sn_cal_insert(struct sn_cal *c, unsigned i, uint64_t from,
                                 uint64_t to)
{
    if (c->n == SN_CAL_SLOTS) {
        c->busy[SN_CAL_JOIN].from = i ? c->busy[0].from : from;
        c->n -= SN_CAL_JOIN;
        for (unsigned k = 0; k < c->n; k++) {
            c->busy[k] = c->busy[k + SN_CAL_JOIN];
        }
        if (i <= SN_CAL_JOIN) {
            return;             /* it is inside */
        }
        i -= SN_CAL_JOIN;
    }
    for (unsigned k = c->n; k > i; k--) {
        c->busy[k] = c->busy[k - 1];
    }
    c->busy[i].from = from;
    c->busy[i].to = to;
    c->n++;
}

/* First entry that ends after t. */
static inline unsigned sn_cal_at(const struct sn_cal *c, uint64_t t)
{
    unsigned i = c->n;

    while (i > 0 && c->busy[i - 1].to > t) {
        i--;
    }
    return i;
}

static inline uint64_t sn_cal_find(const struct sn_cal *c, uint64_t t, uint64_t dur)
{
    for (unsigned i = sn_cal_at(c, t); i < c->n && t + dur > c->busy[i].from; i++) {
        t = t > c->busy[i].to ? t : c->busy[i].to;
    }
    return t;
}

static inline uint64_t sn_cal_book(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    unsigned i;

    if (c->n == 0 || t > c->busy[c->n - 1].to) {    /* the common case */
        sn_cal_insert(c, c->n, t, t + dur);
        return t;
    }
    for (i = sn_cal_at(c, t); i < c->n && t + dur > c->busy[i].from; i++) {
        t = t > c->busy[i].to ? t : c->busy[i].to;
    }
    if (i > 0 && c->busy[i - 1].to == t) {
        c->busy[i - 1].to = t + dur;
        if (i < c->n && c->busy[i].from == t + dur) {
            c->busy[i - 1].to = c->busy[i].to;
            for (unsigned k = i + 1; k < c->n; k++) {
                c->busy[k - 1] = c->busy[k];
            }
            c->n--;
        }
    } else if (i < c->n && c->busy[i].from == t + dur) {
        c->busy[i].from = t;
    } else {
        sn_cal_insert(c, i, t, t + dur);
    }
    return t;
}

/*
 * Take `dur` of a resource that serves without a pause whoever waits.  A gap
 * somewhat too short is taken all the same and the rest booked after it: who
 * stands behind it has been told an earlier time than the true one, but no
 * capacity is lost to gaps that only come from the order of the calls.
 */
static inline uint64_t sn_cal_take(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    uint64_t from = sn_cal_find(c, t, dur < 16 ? 1 : dur / 16), rest = from;

    while (dur) {
        unsigned i;
        uint64_t part = dur;

        rest = sn_cal_find(c, rest, 1);
        i = sn_cal_at(c, rest);
        if (i < c->n && c->busy[i].from - rest < part) {
            part = c->busy[i].from - rest;
        }
        sn_cal_book(c, rest, part);
        rest += part;
        dur -= part;
    }
    return from;
}

static inline uint64_t sn_cal_backlog(const struct sn_cal *c, uint64_t t)
{
    uint64_t sum = 0;

    for (unsigned i = c->n; i > 0 && c->busy[i - 1].to > t; i--) {
        sum += c->busy[i - 1].to - (c->busy[i - 1].from > t ? c->busy[i - 1].from : t);
    }
    return sum;
}

#endif
