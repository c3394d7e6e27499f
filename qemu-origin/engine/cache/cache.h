/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags of one processor's caches: L1I 32 KB of 64-byte lines, L1D 32 KB of
 * 32-byte lines, unified L2 0.5 to 8 MB of 128-byte lines, all two-way.  L2
 * includes both L1s.  L1 replaces the least recently used way; L2 an invalid
 * way, else a random one, and predicts the most recently used way (thesis
 * 4.3.3).  Tags only: the caller has the data.
 *
 * A tag word: bits 1:0 state (enum sn_mesi), bits 29:2 tag, bit 30 contested,
 * bit 31 of way 0: way 1 was used last.  L1D state E means exclusive but not yet
 * written *in the L1*; the L2 line may be E or M.  M in L1 implies M in L2.  A
 * contested line (access/order.h) is contested in the L2 and in all of the L1D;
 * the bit keeps it from whoever compares a whole word (sn_fast.h).
 *
 * Left out: L1I and L1D share no lines with each other by coherence (R10000
 * software flushes), so a store does not look into the L1I of its own CPU.
 */
#ifndef SN_CACHE_H
#define SN_CACHE_H

#include "proto/types.h"
#include "sn_state.h"

#define SN_L1D_SETS  512
#define SN_L1I_SETS  256
#define SN_L1D_SHIFT 5
#define SN_L1I_SHIFT 6

#define SN_WAY_BIT    0x80000000u
#define SN_CONTESTED  0x40000000u
#define SN_TAG_BITS   0x3ffffffcu
#define SN_STATE_BITS 3u

struct sn_l2 {
    uint32_t *tag; /* 2 a set */
    uint32_t set_mask;
    unsigned tag_shift; /* of a physical address */
};

static inline unsigned sn_tag_mru(const uint32_t set[2])
{
    return set[0] >> 31;
}

static inline void sn_tag_set_mru(uint32_t set[2], unsigned way)
{
    set[0] = (set[0] & ~SN_WAY_BIT) | way << 31;
}

static inline unsigned sn_tag_state(const uint32_t set[2], unsigned way)
{
    return set[way] & SN_STATE_BITS;
}

static inline void sn_tag_set_state(uint32_t set[2], unsigned way, unsigned st)
{
    set[way] = (set[way] & ~SN_STATE_BITS) | st;
}

/* Install a tag without touching the other way's or the MRU bit. */
static inline void sn_tag_put(uint32_t set[2], unsigned way, uint32_t tag,
                              unsigned st)
{
    set[way] = (set[way] & SN_WAY_BIT) | tag | st;
}

/* Way that holds `tag` in a valid state, or -1. */
static inline int sn_tag_find(const uint32_t set[2], uint32_t tag)
{
    if ((set[0] & SN_TAG_BITS) == tag && (set[0] & SN_STATE_BITS)) {
        return 0;
    }
    if ((set[1] & SN_TAG_BITS) == tag && (set[1] & SN_STATE_BITS)) {
        return 1;
    }
    return -1;
}

/* L1: a way is 16 KB, so tag and index split at bit 14. */
static inline uint32_t sn_l1_tag(uint64_t pa)
{
    return (uint32_t)(pa >> 14) << 2;
}

static inline uint64_t sn_l1_addr(uint32_t word, unsigned set, unsigned shift)
{
    return (uint64_t)(word & SN_TAG_BITS) >> 2 << 14 | (uint64_t)set << shift;
}

/* Victim of a fill: an invalid way, else the one not used last. */
static inline unsigned sn_l1_victim(const uint32_t set[2])
{
    unsigned lru = !sn_tag_mru(set);

    if (sn_tag_state(set, lru) == SN_I) {
        return lru;
    }
    return sn_tag_state(set, !lru) == SN_I ? !lru : lru;
}

static inline uint32_t *sn_l2_set(const struct sn_l2 *c, uint64_t pa)
{
    return &c->tag[2 * ((pa >> SN_LINE_SHIFT) & c->set_mask)];
}

static inline uint32_t sn_l2_tag(const struct sn_l2 *c, uint64_t pa)
{
    return (uint32_t)(pa >> c->tag_shift) << 2;
}

static inline uint64_t sn_l2_addr(const struct sn_l2 *c, uint32_t word,
                                  uint32_t set)
{
    return (uint64_t)(word & SN_TAG_BITS) >> 2 << c->tag_shift |
           (uint64_t)set << SN_LINE_SHIFT;
}

/* Deterministic generator of L2 victims: xorshift64*, state never 0. */
static inline unsigned sn_rng_bit(uint64_t *s)
{
    uint64_t x = *s;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *s = x;
    return (unsigned)(x * 0x2545f4914f6cdd1dull >> 63);
}

static inline unsigned sn_l2_victim(const uint32_t set[2], uint64_t *rng)
{
    if (sn_tag_state(set, 0) == SN_I) {
        return 0;
    }
    if (sn_tag_state(set, 1) == SN_I) {
        return 1;
    }
    return sn_rng_bit(rng);
}

/* bytes: 8 KB to 8 MB, a power of two.  0 or -1 (no memory, bad size). */
int sn_l2_init(struct sn_l2 *c, uint32_t bytes);
void sn_l2_free(struct sn_l2 *c);
/* All lines invalid. */
void sn_l2_reset(struct sn_l2 *c);
void sn_l2_state(struct sn_l2 *c, struct sn_archive *a);

#endif
