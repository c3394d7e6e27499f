/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags of one processor's caches.  L2 includes both L1s.  An R10000 has L1I 32 KB
 * of 64-byte lines, L1D 32 KB of 32-byte lines and a unified L2 of 1 to 8 MB, all
 * two-way.  L1 replaces the least recently used way; L2 an invalid way, else a
 * random one, and predicts the most recently used way (thesis 4.3.3).  A
 * hypothetical machine (what/what.h) may have other sizes, ways and replacement.
 * Tags only: the caller has the data.
 *
 * A tag word: bits 1:0 state (enum sn_mesi), bits 29:2 tag, bit 30 contested,
 * bit 31 of way 0: way 1 was used last.  L1D state E means exclusive but not yet
 * written *in the L1*; the L2 line may be E or M.  M in L1 implies M in L2.  A
 * contested line (access/order.h) is contested in the L2 and in all of the L1D;
 * the bit keeps it from whoever compares a whole word (sn_fast.h).
 *
 * A set has a word for each way.  With other than two ways bit 31 is unused, and
 * with more than two, two more words have the order in which the ways were used:
 * four bits a way, the last one used first, each exclusive-or its place, so that
 * zeros are an order, too.
 *
 * sn_fast.h has inline functions for the two-way caches of the R10000.  Those here
 * are for all caches: a cache, and a set of it.
 *
 * Left out: L1I and L1D share no lines with each other by coherence (R10000
 * software flushes), so a store does not look into the L1I of its own CPU.
 */
#ifndef SN_CACHE_H
#define SN_CACHE_H

#include "env.h"
#include "proto/types.h"
#include "sn_state.h"

#define SN_L1_BYTES     32768
#define SN_L1D_SETS     512
#define SN_L1I_SETS     256
#define SN_L1D_SHIFT    5
#define SN_L1I_SHIFT    6
#define SN_L1_TAG_SHIFT 14 /* a way has 16 KB */

#define SN_WAY_BIT    0x80000000u
#define SN_CONTESTED  0x40000000u
#define SN_TAG_BITS   0x3ffffffcu
#define SN_STATE_BITS 3u

#define SN_WAYS_MOST    16
#define SN_WAY_SMALLEST 4096 /* bytes; else a tag word cannot hold the tag */

struct sn_cache {
    uint32_t *tag; /* `stride` words a set; NULL: the processor is not fitted */
    uint32_t set_mask;
    uint8_t tag_shift;  /* log2 of a way's bytes */
    uint8_t line_shift; /* log2 of a line's */
    uint8_t ways, stride;
    bool random; /* replacement */
    bool own;    /* sn_cache_init() has made the words */
};

/* ---- a word ---- */

static inline unsigned sn_tag_state(const uint32_t *set, unsigned way)
{
    return set[way] & SN_STATE_BITS;
}

static inline void sn_tag_set_state(uint32_t *set, unsigned way, unsigned st)
{
    set[way] = (set[way] & ~SN_STATE_BITS) | st;
}

/* Install a tag without touching the other ways' or the order. */
static inline void sn_tag_put(uint32_t *set, unsigned way, uint32_t tag,
                              unsigned st)
{
    set[way] = (set[way] & SN_WAY_BIT) | tag | st;
}

static inline bool sn_tag_is(uint32_t word, uint32_t tag)
{
    return (word & SN_TAG_BITS) == tag && (word & SN_STATE_BITS);
}

/* ---- addresses ---- */

static inline uint32_t sn_cache_index(const struct sn_cache *c, uint64_t pa)
{
    return (uint32_t)(pa >> c->line_shift) & c->set_mask;
}

static inline uint32_t *sn_cache_at(const struct sn_cache *c, uint32_t index)
{
    return &c->tag[(size_t)c->stride * index];
}

/* The set of an address */
static inline uint32_t *sn_cache_set(const struct sn_cache *c, uint64_t pa)
{
    return sn_cache_at(c, sn_cache_index(c, pa));
}

static inline uint32_t sn_cache_tag(const struct sn_cache *c, uint64_t pa)
{
    return (uint32_t)(pa >> c->tag_shift) << 2;
}

/* The line of a word of set number `index` */
static inline uint64_t sn_cache_addr(const struct sn_cache *c, uint32_t word,
                                     uint32_t index)
{
    return (uint64_t)(word & SN_TAG_BITS) >> 2 << c->tag_shift |
           (uint64_t)index << c->line_shift;
}

/* ---- ways ---- */

/*
 * As the functions without _any; with other than two ways.  They get members of
 * the cache by value: so the compiler may know those of a copy (sn_fast_l1d()).
 */
int sn_cache_find_any(unsigned ways, const uint32_t *set, uint32_t tag);
unsigned sn_cache_mru_any(unsigned ways, const uint32_t *set);
void sn_cache_use_any(unsigned ways, uint32_t *set, unsigned way);
unsigned sn_cache_victim_any(unsigned ways, bool random, const uint32_t *set,
                             uint64_t *rng);

/* The way that holds `tag` in a valid state, or -1 */
static inline int sn_cache_find(const struct sn_cache *c, const uint32_t *set,
                                uint32_t tag)
{
    if (sn_likely(c->ways == 2)) {
        return sn_tag_is(set[0], tag) ? 0 : sn_tag_is(set[1], tag) ? 1 : -1;
    }
    return sn_cache_find_any(c->ways, set, tag);
}

/* The way that was used last */
static inline unsigned sn_cache_mru(const struct sn_cache *c,
                                    const uint32_t *set)
{
    if (sn_likely(c->ways == 2)) {
        return set[0] >> 31;
    }
    return sn_cache_mru_any(c->ways, set);
}

static inline void sn_cache_use(const struct sn_cache *c, uint32_t *set,
                                unsigned way)
{
    if (sn_likely(c->ways == 2)) {
        set[0] = (set[0] & ~SN_WAY_BIT) | way << 31;
    } else {
        sn_cache_use_any(c->ways, set, way);
    }
}

/* Deterministic generator of L2 victims: xorshift64*, state never 0. */
static inline uint64_t sn_rng(uint64_t *s)
{
    uint64_t x = *s;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *s = x;
    return x * 0x2545f4914f6cdd1dull;
}

/*
 * Victim of a fill: an invalid way, else a random one, or the least recently used
 * one.  Of several invalid ways it is the least recently used one, too; with random
 * replacement the first.  rng: may be NULL if replacement is not random.
 */
static inline unsigned sn_cache_victim(const struct sn_cache *c,
                                       const uint32_t *set, uint64_t *rng)
{
    unsigned first = c->random ? 0 : !(set[0] >> 31);

    if (sn_unlikely(c->ways != 2)) {
        return sn_cache_victim_any(c->ways, c->random, set, rng);
    }
    if (sn_tag_state(set, first) == SN_I) {
        return first;
    }
    if (sn_tag_state(set, !first) == SN_I) {
        return !first;
    }
    return c->random ? (unsigned)(sn_rng(rng) >> 63) : first;
}

/* ---- a whole cache ---- */

/*
 * bytes, ways: powers of two; a way has SN_WAY_SMALLEST or more and is no smaller
 * than a line.  words: those of the tags, zeros, at a place of the caller's; NULL:
 * sn_cache_init() makes them.  0 or -1 (no memory, bad size).
 */
int sn_cache_init(struct sn_cache *c, uint32_t bytes, unsigned ways,
                  unsigned line_shift, uint32_t *words);
void sn_cache_free(struct sn_cache *c);
/* All lines invalid. */
void sn_cache_reset(struct sn_cache *c);
void sn_cache_state(struct sn_cache *c, struct sn_archive *a);

#endif
