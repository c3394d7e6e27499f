/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calendars where what is asked for is not at the end of what is taken; see cal.h. */
#include "cal.h"

/* Put an interval before entry i, where it neither overlaps nor touches. */
static void insert(struct sn_cal *c, uint32_t i, uint64_t from, uint64_t to)
{
    if (c->tail - c->head == SN_CAL_SLOTS) {
        uint32_t first = c->head;

        c->head += SN_CAL_JOIN;
        sn_cal_entry(c, c->head)->from = i != first ? sn_cal_entry(c, first)->from : from;
        if (i - first <= SN_CAL_JOIN) {
            return;             /* it is inside */
        }
    }
    for (uint32_t k = c->tail++; k != i; k--) {
        *sn_cal_entry(c, k) = *sn_cal_entry(c, k - 1);
    }
    *sn_cal_entry(c, i) = (struct sn_busy) { from, to };
}

/* One interval instead of entries i to j - 1. */
static void replace(struct sn_cal *c, uint32_t i, uint32_t j, uint64_t from, uint64_t to)
{
    if (i == j) {
        insert(c, i, from, to);
        return;
    }
    *sn_cal_entry(c, i++) = (struct sn_busy) { from, to };
    if (i != j) {
        while (j != c->tail) {
            *sn_cal_entry(c, i++) = *sn_cal_entry(c, j++);
        }
        c->tail = i;
    }
}

/* First entry that ends after t. */
static uint32_t at(struct sn_cal *c, uint64_t t)
{
    uint32_t i = c->tail;

    while (i != c->head && sn_cal_entry(c, i - 1)->to > t) {
        i--;
    }
    return i;
}

/* First entry that ends after the first gap of `dur` at or after *t, which moves there. */
static uint32_t gap(struct sn_cal *c, uint64_t *t, uint64_t dur)
{
    uint32_t i = at(c, *t);

    for (; i != c->tail && *t + dur > sn_cal_entry(c, i)->from; i++) {
        *t = *t > sn_cal_entry(c, i)->to ? *t : sn_cal_entry(c, i)->to;
    }
    return i;
}

/* Take from `from`, in the gap before entry i, to the free time `to` in the gap before entry j. */
static void take(struct sn_cal *c, uint32_t i, uint32_t j, uint64_t from, uint64_t to)
{
    if (i != c->head && sn_cal_entry(c, i - 1)->to == from) {
        from = sn_cal_entry(c, --i)->from;
    }
    if (j != c->tail && sn_cal_entry(c, j)->from == to) {
        to = sn_cal_entry(c, j++)->to;
    }
    replace(c, i, j, from, to);
}

uint64_t sn_cal_find_gap(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    gap(c, &t, dur);
    return t;
}

uint64_t sn_cal_book_gap(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    uint32_t i = gap(c, &t, dur);

    take(c, i, i, t, t + dur);
    return t;
}

uint64_t sn_cal_take_gaps(struct sn_cal *c, uint64_t t, uint64_t dur)
{
    uint32_t i = gap(c, &t, dur < 16 ? 1 : dur / 16), j = i;
    uint64_t end = t + dur;

    if (dur) {
        for (; j != c->tail && end > sn_cal_entry(c, j)->from; j++) {
            end += sn_cal_entry(c, j)->to - sn_cal_entry(c, j)->from;
        }
        take(c, i, j, t, end);
    }
    return t;
}

uint64_t sn_cal_backlog(struct sn_cal *c, uint64_t t)
{
    uint64_t sum = 0;

    for (uint32_t i = c->tail; i != c->head && sn_cal_entry(c, i - 1)->to > t; i--) {
        const struct sn_busy *b = sn_cal_entry(c, i - 1);

        sum += b->to - (b->from > t ? b->from : t);
    }
    return sum;
}
