/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sn_range_cover(), sn_range_cover_code(): see sn_range.h.  Pure functions. */
#include "sn_range.h"

#include <errno.h>
#include <string.h>

#define MAX_BITS  43
#define INSN      4UL
#define FINE_BITS 12 /* low bits of the address that a pair for instructions compares in full */

/* The blocks on one side of the largest inner block, from it outward. */
struct side {
    unsigned n;
    uint64_t size[SN_RANGE_PAIRS];
    uint64_t over; /* bytes beyond the range's end */
};

/* The largest power of two, at most limit, for a block that begins at edge and is aligned there */
static uint64_t inner(uint64_t edge, uint64_t limit)
{
    uint64_t size = (uint64_t)1 << MAX_BITS;

    while (size > limit || (edge & (size - 1))) {
        size >>= 1;
    }
    return size;
}

/* Covers len bytes outward from edge with at most n blocks.  Returns 0 or -1. */
static int cover_side(uint64_t edge, uint64_t len, int up, unsigned n, struct side *s)
{
    memset(s, 0, sizeof(*s));
    while (len) {
        uint64_t size = inner(edge, len);

        if (s->n == n) {
            return -1;
        }
        if (s->n + 1 == n) {
            /* the last one must reach the end */
            while (size < len) {
                size <<= 1;
                if (size >> (MAX_BITS + 1) || (edge & (size - 1))) {
                    return -1;
                }
            }
        }
        s->size[s->n++] = size;
        s->over = size > len ? size - len : 0;
        len -= size - s->over;
        edge += up ? size : -size;
    }
    return 0;
}

static uint64_t largest_inside(uint64_t start, uint64_t end, uint64_t *at)
{
    uint64_t size;

    for (size = (uint64_t)1 << MAX_BITS; size; size >>= 1) {
        uint64_t first = (start + size - 1) & ~(size - 1);

        if (first >= start && first < end && end - first >= size) {
            *at = first;
            break;
        }
    }
    return size;
}

int sn_range_cover(uint64_t start, uint64_t end, struct sn_range *r)
{
    struct side low, high, best_low = { 0 }, best_high = { 0 };
    uint64_t at = start, size, edge;
    int found = 0;

    if (end <= start) {
        errno = EINVAL;
        return -1;
    }
    size = largest_inside(start, end, &at);
    for (unsigned n = 0; n < SN_RANGE_PAIRS; n++) {
        uint64_t over, best;

        if (cover_side(at, at - start, 0, n, &low) < 0 ||
            cover_side(at + size, end - at - size, 1, SN_RANGE_PAIRS - 1 - n, &high) < 0) {
            continue;
        }
        over = low.over + high.over;
        best = best_low.over + best_high.over;
        if (!found || over < best || (over == best && low.n + high.n < best_low.n + best_high.n)) {
            best_low = low;
            best_high = high;
        }
        found = 1;
    }
    if (!found) {
        errno = E2BIG;
        return -1;
    }
    memset(r, 0, sizeof(*r));
    r->start = start;
    r->end = end;
    r->start_off = best_low.over;
    r->end_off = best_high.over;
    edge = start - best_low.over;
    for (unsigned i = best_low.n; i--;) {
        r->pair[r->npairs].start = edge;
        edge += r->pair[r->npairs++].size = best_low.size[i];
    }
    r->pair[r->npairs].start = edge;
    edge += r->pair[r->npairs++].size = size;
    for (unsigned i = 0; i < best_high.n; i++) {
        r->pair[r->npairs].start = edge;
        edge += r->pair[r->npairs++].size = best_high.size[i];
    }
    return 0;
}

int sn_range_cover_code(uint64_t start, uint64_t end, struct sn_range *r)
{
    uint64_t from = start & -INSN, to = (end + INSN - 1) & -INSN;

    if (end <= start || to < end) {
        errno = EINVAL;
        return -1;
    }
    if (from >> FINE_BITS == (to - 1) >> FINE_BITS) {
        *r = (struct sn_range){ .npairs = 1, .pair[0] = { from, to - from } };
    } else if (sn_range_cover(from, to, r) < 0) {
        return -1;
    }
    r->start = start;
    r->end = end;
    r->start_off += start - from;
    r->end_off += to - end;
    return 0;
}
