/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calendars of resources: requests that start before the end of the last
 * booked interval.  cal.h has the interface and the other requests.
 */
#include <string.h>

#include "cal.h"

/* Later than any time of a machine, with room for what is added to a time */
#define END_OF_TIME (UINT64_MAX - (1ull << 60))

/* Entries behind the last one in use are never read. */
void sn_cal_state(struct sn_cal *c, struct sn_archive *a)
{
    uint32_t n = c->n;

    SN_MOVE(a, n);
    if (n > SN_CAL_SLOTS) {
        a->failed = true;
    }
    if (a->failed || !(n | c->n)) {
        return; /* it stays empty, and memory that was never used untouched */
    }
    c->n = n;
    sn_move(a, &c->busy[1], n * sizeof(c->busy[0]));
    for (struct sn_busy *b = &c->busy[1]; b <= &c->busy[n]; b++) {
        sn_must(a,
                b[-1].to <= b->from && b->from <= b->to && b->to < END_OF_TIME);
    }
    if (a->failed) {
        c->n = 0;
    }
}

/* The oldest entries become one entry; the others move up behind it. */
static void join(struct sn_cal *c)
{
    struct sn_busy *old = &c->busy[1], *last = old + SN_CAL_JOIN;

    last->from = old->from;
    c->n -= SN_CAL_JOIN;
    memmove(old, last, c->n * sizeof(*old));
}

/* Insert an interval before entry b.  It touches neither neighbour. */
static void insert(struct sn_cal *c, struct sn_busy *b, uint64_t from,
                   uint64_t to)
{
    if (c->n == SN_CAL_SLOTS) {
        bool first = b == &c->busy[1];

        join(c);
        if (first) {
            c->busy[1].from = from;
        }
        if (b - &c->busy[1] <= SN_CAL_JOIN) {
            return; /* the joined entry contains it */
        }
        b -= SN_CAL_JOIN;
    }
    for (struct sn_busy *e = &c->busy[++c->n]; e != b; e--) {
        *e = e[-1];
    }
    *b = (struct sn_busy){ from, to };
}

/*
 * Find the first gap of `dur` at or after *at.  Sets *at to its start; returns
 * the entry that follows the gap, or the end.
 */
static struct sn_busy *gap(struct sn_cal *c, uint64_t *at, uint64_t dur)
{
    struct sn_busy *const end = &c->busy[c->n + 1];
    struct sn_busy *b = end;
    uint64_t t = *at;

    while (b[-1].to > t) {
        b--;
    }
    for (; b != end && t + dur > b->from; b++) {
        t = t > b->to ? t : b->to;
    }
    *at = t;
    return b;
}

/*
 * Book everything between `from` and `to`, which lie in the gap before entry i
 * and in the gap before entry j.
 */
static void take(struct sn_cal *c, struct sn_busy *i, struct sn_busy *j,
                 uint64_t from, uint64_t to)
{
    struct sn_busy *const end = &c->busy[c->n + 1];

    if (i != &c->busy[1] && i[-1].to == from) {
        from = (--i)->from;
    }
    if (j != end && j->from == to) {
        to = (j++)->to;
    }
    if (i == j) {
        insert(c, i, from, to);
        return;
    }
    *i++ = (struct sn_busy){ from, to };
    if (i != j) {
        while (j != end) {
            *i++ = *j++;
        }
        c->n = (uint32_t)(i - &c->busy[1]);
    }
}

uint64_t sn_cal_find_gap(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    gap(c, &t, dur);
    return t;
}

uint64_t sn_cal_book_gap(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    struct sn_busy *b = gap(c, &t, dur);

    take(c, b, b, t, t + dur);
    return t;
}

uint64_t sn_cal_take_gaps(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    struct sn_busy *i = gap(c, &t, dur < 16 ? 1 : dur / 16), *j = i;
    uint64_t end = t + dur;

    if (dur) {
        for (; j != &c->busy[c->n + 1] && end > j->from; j++) {
            end += j->to - j->from;
        }
        take(c, i, j, t, end);
    }
    return t;
}

uint64_t sn_cal_cover(struct sn_cal *c, uint64_t from, uint64_t to)
{
    struct sn_busy *const end = &c->busy[c->n + 1];
    struct sn_busy *i = end, *j;
    uint64_t old = 0;

    while (i != &c->busy[1] && i[-1].to >= from) {
        i--;
    }
    if (i != end && i->from < from) {
        from = i->from;
    }
    for (j = i; j != end && j->from <= to; j++) {
        old += j->to - j->from;
        to = to > j->to ? to : j->to;
    }
    if (from < to) {
        take(c, i, j, from, to);
    }
    return to - from - old;
}

uint64_t sn_cal_backlog(struct sn_cal *c, uint64_t t)
{
    uint64_t sum = 0;

    for (const struct sn_busy *b = &c->busy[c->n]; b->to > t; b--) {
        sum += b->to - (b->from > t ? b->from : t);
    }
    return sum;
}
