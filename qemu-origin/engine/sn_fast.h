/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an access that stays within the processor's own caches, inline:
 * a hit in either way of an L1 set, an L1 miss that hits the L2 with the right
 * that the access needs, a first store to an exclusive line.  A caller tries
 * these functions first and calls sn_access() when they decline, and for every
 * kind of access but SN_LOAD, SN_STORE and SN_IFETCH.
 *
 *   sn_fast_data()       a load or a store
 *   sn_fast_fetch_l1() sn_fast_fetch_l2()   a fetch, in this order
 *   sn_any_data() sn_any_fetch_l1() sn_any_fetch_l2()   the same for all caches:
 *                        the three above are for those of an R10000 (`usual`)
 *   sn_fast_pending()    their argument `pending`
 *   sn_l1d_state() sn_l1d_mru()             what the L1D holds
 *   sn_fast_holds()                         whether the L2 has a line
 *   sn_l1i_holds()                          whether the L1I has a line
 *
 * State, events and ticks change as by sn_access(), with one exception:
 * l1_drop is not called for the line that leaves the L1.  That line was in the
 * way used less recently, which a caller's filter must not show.  While
 * somebody watches one of the events that are counted here, an L2 hit is
 * declined, so that sn_access() can report the event.
 */
#ifndef SN_FAST_H
#define SN_FAST_H

#include "cache/cache.h"
#include "env.h"

enum {
#define R10K_EV(number, NAME, ...) SN_R10K_##NAME = number,
#include "regs/ev_r10k.h.inc"
    SN_R10K_EVENTS = 32
};

#define SN_NO_LINE UINT64_MAX

/* Misses under way while the processor goes on; only some time models have them. */
struct sn_pending {
    uint64_t last;    /* ps: when the last of them is over */
    uint64_t stalled; /* ticks that the CPU has stalled so far */
    unsigned n;       /* how many, 0: none */
};

/* What this file reads and writes of one CPU. */
struct sn_fast {
    struct sn_cache l2;
    uint32_t t_l2hit, t_way; /* ticks of an L2 hit; more in the other way */
    uint32_t watched;        /* events, by bits: see sn_cpu_event_watch() */
    struct sn_pending pending;
    uint64_t ps_per_tick; /* << 20 */
    uint64_t ev[SN_R10K_EVENTS];
    uint32_t l1d[SN_L1D_SETS][2]; /* words of `d`, if it is usual */
    uint32_t l1i[SN_L1I_SETS][2];
    struct sn_cache d, i; /* the L1s */
    bool usual;           /* two ways each, L1s of 32 KB, lines of an R10000 */
};

/*
 * The state of the line of pa if it is in the MRU way of its L1D set and not
 * contested, else I: what a filter in front of the L1D may resolve.
 */
static inline unsigned sn_l1d_state(const struct sn_fast *c, uint64_t pa)
{
    const uint32_t *s = sn_cache_set(&c->d, pa);
    unsigned w = sn_cache_mru(&c->d, s);

    return (s[w] & (SN_TAG_BITS | SN_CONTESTED)) == sn_cache_tag(&c->d, pa)
               ? sn_tag_state(s, w)
               : SN_I;
}

/* Address of the line in the MRU way of pa's L1D set, or SN_NO_LINE. */
static inline uint64_t sn_l1d_mru(const struct sn_fast *c, uint64_t pa)
{
    const uint32_t *s = sn_cache_set(&c->d, pa);
    unsigned w = sn_cache_mru(&c->d, s);

    return sn_tag_state(s, w) == SN_I
               ? SN_NO_LINE
               : sn_cache_addr(&c->d, s[w], sn_cache_index(&c->d, pa));
}

#define SN_FAST_EVENT(name) (1u << SN_R10K_##name)

/* The events that are counted here. */
#define SN_FAST_EVENTS                                           \
    (SN_FAST_EVENT(L1D_MISS) | SN_FAST_EVENT(D_MISPREDICT_WAY) | \
     SN_FAST_EVENT(STORE_CLEAN) | SN_FAST_EVENT(L1D_QUAD_WB) |   \
     SN_FAST_EVENT(L1I_MISS) | SN_FAST_EVENT(I_MISPREDICT_WAY))

/*
 * Which way holds a line, or loses its line, is as good as random.  So the code
 * below does not branch on a way, it computes with it as a number, 0 or 1.
 */

/* Sets and tags of usual caches */
static inline uint32_t *sn_fast_d(struct sn_fast *c, uint64_t pa)
{
    return c->l1d[(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1)];
}

static inline uint32_t *sn_fast_i(struct sn_fast *c, uint64_t pa)
{
    return c->l1i[(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1)];
}

static inline uint32_t *sn_fast_s(const struct sn_fast *c, uint64_t pa)
{
    return &c->l2.tag[2 * ((pa >> SN_LINE_SHIFT) & c->l2.set_mask)];
}

static inline uint32_t sn_fast_tag(uint64_t pa)
{
    return (uint32_t)(pa >> SN_L1_TAG_SHIFT) << 2;
}

/*
 * The caches by value.  usual: they are an R10000's, and sizes, ways and shifts
 * are constants.  Functions of cache.h that are inlined for such a copy need no
 * variable shifts and have no branches for other ways.
 */
static inline struct sn_cache sn_fast_l1d(struct sn_fast *c, bool usual)
{
    if (!usual) {
        return c->d;
    }
    return (struct sn_cache){ .tag = c->l1d[0],
                              .set_mask = SN_L1D_SETS - 1,
                              .tag_shift = SN_L1_TAG_SHIFT,
                              .line_shift = SN_L1D_SHIFT,
                              .ways = 2,
                              .stride = 2 };
}

static inline struct sn_cache sn_fast_l1i(struct sn_fast *c, bool usual)
{
    if (!usual) {
        return c->i;
    }
    return (struct sn_cache){ .tag = c->l1i[0],
                              .set_mask = SN_L1I_SETS - 1,
                              .tag_shift = SN_L1_TAG_SHIFT,
                              .line_shift = SN_L1I_SHIFT,
                              .ways = 2,
                              .stride = 2 };
}

/* Its size and replacement are the description's. */
static inline struct sn_cache sn_fast_l2c(const struct sn_fast *c, bool usual)
{
    if (!usual) {
        return c->l2;
    }
    return (struct sn_cache){ .tag = c->l2.tag,
                              .set_mask = c->l2.set_mask,
                              .tag_shift = c->l2.tag_shift,
                              .line_shift = SN_LINE_SHIFT,
                              .ways = 2,
                              .stride = 2,
                              .random = c->l2.random };
}

/* The way that holds a valid line with this tag; 2: none. */
static inline uint32_t sn_fast_find(const uint32_t *s, uint32_t tag)
{
    /* State - 1 if the tag is the same and the line valid, else a large number. */
    uint32_t d0 = (s[0] & ~SN_WAY_BIT) - tag - 1, d1 = s[1] - tag - 1;

    return sn_likely((d0 < d1 ? d0 : d1) < SN_M) ? d1 < d0 : 2;
}

/* Whether the secondary cache has the line of pa, contested or not. */
static inline bool sn_fast_holds(const struct sn_fast *c, uint64_t pa)
{
    return sn_cache_find(&c->l2, sn_cache_set(&c->l2, pa),
                         sn_cache_tag(&c->l2, pa)) >= 0;
}

/* Whether the CPU has misses under way at `now`. */
static inline bool sn_fast_pending(const struct sn_fast *c, uint64_t now)
{
    return sn_unlikely(c->pending.n) &&
           c->pending.last >
               (uint64_t)((unsigned __int128)now * c->ps_per_tick >> 20);
}

/* The CPU stalled for so many ticks; misses that are over are forgotten. */
static inline void sn_pending_charge(struct sn_pending *p, bool pending,
                                     uint64_t ticks)
{
    if (!pending) {
        p->n = 0;
        p->last = 0;
    }
    p->stalled += ticks;
}

/* A hit is charged only while there are misses to hide it. */
static inline void sn_fast_hit(struct sn_fast *c, bool pending, uint32_t ticks)
{
    if (sn_unlikely(c->pending.n)) {
        sn_pending_charge(&c->pending, pending, ticks);
    }
}

/* Ticks of an L2 hit in way w, which becomes the MRU way. */
static inline uint32_t sn_fast_l2(struct sn_fast *c, uint32_t *s, uint32_t w,
                                  unsigned mispredict)
{
    uint32_t s0 = s[0], other = s0 >> 31 ^ w;

    s[0] = (s0 & ~SN_WAY_BIT) | w << 31;
    c->ev[mispredict] += other;
    return c->t_l2hit + (c->t_way & -other);
}

/*
 * A line enters an L1 set as its most recently used one; the line of
 * sn_cache_victim() leaves.  Returns whether that line was modified.
 */
static inline uint32_t sn_fast_fill(uint32_t *s, uint32_t word)
{
    uint32_t s0 = s[0], s1 = s[1], old;
    bool first = s0 >> 31;

    /* The victim is the invalid way if just one is, else the LRU way. */
    if (sn_unlikely(!(s0 & SN_STATE_BITS) || !(s1 & SN_STATE_BITS))) {
        first = !(s0 & SN_STATE_BITS) && ((s1 & SN_STATE_BITS) || first);
    }
    old = first ? s0 : s1;
    s[0] = first ? word : s0 | SN_WAY_BIT;
    s[1] = first ? s1 : word;
    return (old & SN_STATE_BITS) == SN_M;
}

/* An access to a line that the L1 holds in way w; returns as sn_fast_data(). */
static inline unsigned sn_fast_l1(struct sn_fast *c, uint32_t *s, uint32_t w,
                                  uint64_t pa, bool write)
{
    unsigned st = s[w] & SN_STATE_BITS;

    if (write && st != SN_M) {
        uint32_t *l2 = sn_fast_s(c, pa);
        uint32_t k = sn_fast_find(l2, sn_cache_tag(&c->l2, pa));

        if (st != SN_E ||
            sn_unlikely(c->watched & SN_FAST_EVENT(STORE_CLEAN))) {
            return SN_I;
        }
        /* By inclusion the L2 has the line, exclusive or modified. */
        c->ev[SN_R10K_STORE_CLEAN] += (l2[k] & SN_STATE_BITS) == SN_E;
        l2[k] |= SN_M;
        s[w] |= SN_M;
        st = SN_M;
    }
    s[0] = (s[0] & ~SN_WAY_BIT) | w << 31;
    return st;
}

/*
 * A load or a store.  Returns the state in which the L1 then holds the line (M
 * may be written, E and S read) and sets *ticks to stall; or returns SN_I:
 * nothing has happened, call sn_access().  Inline always, because most callers
 * pass a constant `write`.
 */
__attribute__((always_inline)) static inline unsigned
sn_fast_data(struct sn_fast *c, uint64_t pa, bool write, bool pending,
             uint32_t *ticks)
{
    uint32_t *s = sn_fast_d(c, pa), *l2;
    uint32_t tag = sn_fast_tag(pa), w = sn_fast_find(s, tag);
    unsigned st;

    *ticks = 0;
    if (w < 2) {
        return sn_fast_l1(c, s, w, pa, write);
    }

    l2 = sn_fast_s(c, pa);
    w = sn_fast_find(l2, sn_cache_tag(&c->l2, pa));
    if (w == 2 || sn_unlikely(c->watched & SN_FAST_EVENTS)) {
        return SN_I;
    }
    st = l2[w] & SN_STATE_BITS;
    if (write) {
        if (st == SN_S) {
            return SN_I;
        }
        c->ev[SN_R10K_STORE_CLEAN] += st == SN_E;
        l2[w] |= SN_M;
        st = SN_M;
    } else {
        st -= st >> 1 & st; /* M of the L2 is E in the L1 */
    }
    /* Misses under way hide the hit. */
    *ticks =
        sn_fast_l2(c, l2, w, SN_R10K_D_MISPREDICT_WAY) & -(uint32_t)!pending;
    sn_fast_hit(c, pending, *ticks);
    c->ev[SN_R10K_L1D_MISS]++;
    c->ev[SN_R10K_L1D_QUAD_WB] += 2 * sn_fast_fill(s, tag | st);
    return st;
}

/* Whether the L1I has the line; changes nothing. */
static inline bool sn_l1i_holds(const struct sn_fast *c, uint64_t pa)
{
    return sn_cache_find(&c->i, sn_cache_set(&c->i, pa),
                         sn_cache_tag(&c->i, pa)) >= 0;
}

/* A fetch that hits the L1, at no cost.  False: nothing has happened. */
static inline bool sn_fast_fetch_l1(struct sn_fast *c, uint64_t pa)
{
    uint32_t *s = sn_fast_i(c, pa);
    uint32_t w = sn_fast_find(s, sn_fast_tag(pa));

    if (sn_unlikely(w == 2)) {
        return false;
    }
    s[0] = (s[0] & ~SN_WAY_BIT) | w << 31;
    return true;
}

/* A fetch that misses the L1 and hits the L2.  False: nothing has happened. */
static inline bool sn_fast_fetch_l2(struct sn_fast *c, uint64_t pa,
                                    bool pending, uint32_t *ticks)
{
    uint32_t *l2 = sn_fast_s(c, pa),
             w = sn_fast_find(l2, sn_cache_tag(&c->l2, pa));

    if (w == 2 || sn_unlikely(c->watched & SN_FAST_EVENTS)) {
        return false;
    }
    c->ev[SN_R10K_L1I_MISS]++;
    *ticks = sn_fast_l2(c, l2, w, SN_R10K_I_MISPREDICT_WAY);
    sn_fast_hit(c, pending, *ticks);
    sn_fast_fill(sn_fast_i(c, pa), sn_fast_tag(pa) | SN_S);
    return true;
}

/* The same for caches that may be other than usual */
unsigned sn_any_data(struct sn_fast *c, uint64_t pa, bool write, bool pending,
                     uint32_t *ticks);
bool sn_any_fetch_l1(struct sn_fast *c, uint64_t pa);
bool sn_any_fetch_l2(struct sn_fast *c, uint64_t pa, bool pending,
                     uint32_t *ticks);

#endif
