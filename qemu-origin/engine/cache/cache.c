/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tag arrays: allocation and geometry, and sets of other than two ways (cache.h). */
#include "cache.h"
#include "env.h"

/* See cache.h; the low bits are of the way that was used last. */
#define ORDER_PLACES 0xfedcba9876543210ull

static uint64_t order_get(unsigned ways, const uint32_t *set)
{
    const uint32_t *words = set + ways;

    return (words[0] | (uint64_t)words[1] << 32) ^ ORDER_PLACES;
}

static size_t words_of(const struct sn_cache *c)
{
    return ((size_t)c->set_mask + 1) * c->stride;
}

int sn_cache_init(struct sn_cache *c, uint32_t bytes, unsigned ways,
                  unsigned line_shift, uint32_t *words)
{
    uint32_t way = ways ? bytes / ways : 0;

    if (way < SN_WAY_SMALLEST || (bytes & (bytes - 1)) || (ways & (ways - 1)) ||
        ways > SN_WAYS_MOST || way >> line_shift == 0) {
        return -1;
    }
    c->set_mask = (way >> line_shift) - 1;
    c->tag_shift = (uint8_t)__builtin_ctz(way);
    c->line_shift = (uint8_t)line_shift;
    c->ways = (uint8_t)ways;
    c->stride = (uint8_t)(ways > 2 ? ways + 2 : ways);
    c->own = !words;
    c->tag = words ? words : sn_env_alloc(words_of(c), sizeof(*c->tag));
    return c->tag ? 0 : -1;
}

/*
 * Only words that hold something are cleared.  Most are never used, and the host
 * has no memory for them until somebody writes there.
 */
void sn_cache_reset(struct sn_cache *c)
{
    for (size_t i = 0; c->tag && i < words_of(c); i++) {
        if (c->tag[i]) {
            c->tag[i] = 0;
        }
    }
}

void sn_cache_free(struct sn_cache *c)
{
    if (c->own) {
        sn_env_free(c->tag);
    }
    c->tag = NULL;
}

/* Each way once, and what is behind them as it was */
static bool order_is_possible(uint64_t order, unsigned ways)
{
    unsigned seen = 0;

    for (unsigned i = 0; i < ways; i++) {
        seen |= 1u << (order >> 4 * i & 15);
    }
    return seen == (1u << ways) - 1 &&
           (ways == 16 || !((order ^ ORDER_PLACES) >> 4 * ways));
}

void sn_cache_state(struct sn_cache *c, struct sn_archive *a)
{
    if (!c->tag) {
        return;
    }
    sn_move(a, c->tag, words_of(c) * sizeof(*c->tag));
    for (uint32_t i = 0; a->loading && c->ways > 2 && i <= c->set_mask; i++) {
        sn_must(a, order_is_possible(order_get(c->ways, sn_cache_at(c, i)),
                                     c->ways));
    }
}

int sn_cache_find_any(unsigned ways, const uint32_t *set, uint32_t tag)
{
    for (unsigned w = 0; w < ways; w++) {
        if (sn_tag_is(set[w], tag)) {
            return (int)w;
        }
    }
    return -1;
}

unsigned sn_cache_mru_any(unsigned ways, const uint32_t *set)
{
    return ways == 1 ? 0 : order_get(ways, set) & 15;
}

void sn_cache_use_any(unsigned ways, uint32_t *set, unsigned way)
{
    uint64_t order, before;
    unsigned place = 0;

    if (ways == 1) {
        return;
    }
    order = order_get(ways, set);
    while ((order >> place & 15) != way) {
        place += 4;
    }
    before = order & ((1ull << place) - 1);
    order &= ~(((1ull << place) - 1) << 4 | 15);
    order = (order | before << 4 | way) ^ ORDER_PLACES;
    set[ways] = (uint32_t)order;
    set[ways + 1] = (uint32_t)(order >> 32);
}

unsigned sn_cache_victim_any(unsigned ways, bool random, const uint32_t *set,
                             uint64_t *rng)
{
    uint64_t order;

    if (ways == 1) {
        return 0;
    }
    order = random ? ORDER_PLACES : order_get(ways, set);
    for (unsigned i = 0; i < ways; i++) {
        unsigned place = random ? i : ways - 1 - i;
        unsigned way = order >> 4 * place & 15;

        if (sn_tag_state(set, way) == SN_I) {
            return way;
        }
    }
    return random ? (unsigned)(sn_rng(rng) >> (64 - __builtin_ctz(ways)))
                  : order >> 4 * (ways - 1) & 15;
}
