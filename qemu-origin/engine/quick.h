/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an access needs when it stays within the processor's own caches, for
 * callers that want it inline: the other way of an L1 set, an L1 miss that
 * the L2 has with the right that it needs, a first store to an exclusive
 * line.  With somebody waiting for one of its events an L2 hit is sn_access(),
 * too, as is everything else, and every kind of access beside SN_LOAD, SN_STORE
 * and SN_IFETCH.  Effects, events and ticks are those of sn_access(), with one
 * exception: l1_drop is not called for the line that leaves the L1.  It was in
 * the way used less recently, so it is in no filter.
 *
 *   sn_quick_data()    a load or store
 *   sn_quick_fetch_l1() sn_quick_fetch_l2()   a fetch, in this order
 *   sn_quick_pending() their argument `pending`
 *   sn_l1d_state() sn_l1d_mru()   what the L1 holds
 */
#ifndef SN_QUICK_H
#define SN_QUICK_H

#include "machine.h"

/* What may be done with the line of pa if the L1 has it in its MRU way. */
static inline unsigned sn_l1d_state(const struct sn_cpu *c, uint64_t pa)
{
    const uint32_t *s = c->l1d[(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1)];
    unsigned w = sn_tag_mru(s);

    return (s[w] & SN_TAG_BITS) == sn_l1_tag(pa) ? sn_tag_state(s, w) : SN_I;
}

/* The line in the MRU way of pa's set, or SN_KEY_NONE. */
static inline uint64_t sn_l1d_mru(const struct sn_cpu *c, uint64_t pa)
{
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1);
    const uint32_t *s = c->l1d[set];
    unsigned w = sn_tag_mru(s);

    return sn_tag_state(s, w) == SN_I ? SN_KEY_NONE
                                      : sn_l1_addr(s[w], set, SN_L1D_SHIFT);
}

#define SN_QUICK_EVENT(name) (1u << SN_EV_R10K_##name)

/* What is counted here. */
#define SN_QUICK_EVENTS                                                                            \
    (SN_QUICK_EVENT(L1D_MISS) | SN_QUICK_EVENT(D_MISPREDICT_WAY) | SN_QUICK_EVENT(STORE_CLEAN) |   \
     SN_QUICK_EVENT(L1D_QUAD_WB) | SN_QUICK_EVENT(L1I_MISS) | SN_QUICK_EVENT(I_MISPREDICT_WAY))

/*
 * Which way holds a line, or loses its own, is as good as random.  So nothing
 * here branches on it: ways are numbers to compute with, 0 or 1.
 */

/* The way that holds a valid line with this tag; 2: none. */
static inline uint32_t sn_quick_find(const uint32_t *s, uint32_t tag)
{
    /* State - 1 if the tag is the same, a large number if one or the other is not. */
    uint32_t d0 = (s[0] & ~SN_WAY_BIT) - tag - 1, d1 = s[1] - tag - 1;

    return sn_likely((d0 < d1 ? d0 : d1) < SN_M) ? d1 < d0 : 2;
}

/* The CPU has misses under way at `now` (second stage of the time model). */
static inline bool sn_quick_pending(const struct sn_machine *m, const struct sn_cpu *c,
                                    uint64_t now)
{
    return sn_unlikely(c->ooo.n) && c->ooo.last > sn_abs_ps(m, now);
}

/* As sn_ooo_hit(), which is not called while there are no misses. */
static inline void sn_quick_hit(struct sn_cpu *c, bool pending, uint32_t ticks)
{
    if (sn_unlikely(c->ooo.n)) {
        sn_ooo_charge(&c->ooo, pending, ticks);
    }
}

/* An L2 hit in way w: its ticks. */
static inline uint32_t sn_quick_l2(struct sn_cpu *c, uint32_t *s, uint32_t w, unsigned mispredict)
{
    uint32_t s0 = s[0], other = s0 >> 31 ^ w;

    s[0] = (s0 & ~SN_WAY_BIT) | w << 31;
    c->ev[mispredict] += other;
    return c->t_l2hit + (c->t_way & -other);
}

/*
 * The line enters an L1 set and was used last; sn_l1_victim() leaves.  Returns
 * whether that was modified.
 */
static inline uint32_t sn_quick_fill(uint32_t *s, uint32_t word)
{
    uint32_t s0 = s[0], s1 = s[1], old;
    bool first = s0 >> 31;

    /* An invalid way if only one is, else the one not used last. */
    if (sn_unlikely(!(s0 & SN_STATE_BITS) || !(s1 & SN_STATE_BITS))) {
        first = !(s0 & SN_STATE_BITS) && ((s1 & SN_STATE_BITS) || first);
    }
    old = first ? s0 : s1;
    s[0] = first ? word : s0 | SN_WAY_BIT;
    s[1] = first ? s1 : word;
    return (old & SN_STATE_BITS) == SN_M;
}

/* The L1 holds the line in way w. */
static inline unsigned sn_quick_l1(struct sn_cpu *c, uint32_t *s, uint32_t w, uint64_t pa,
                                   bool write)
{
    unsigned st = s[w] & SN_STATE_BITS;

    if (write && st != SN_M) {
        uint32_t *l2 = sn_l2_set(&c->l2, pa);
        uint32_t k = sn_quick_find(l2, sn_l2_tag(&c->l2, pa));

        if (st != SN_E || sn_unlikely(c->armed & SN_QUICK_EVENT(STORE_CLEAN))) {
            return SN_I;
        }
        /* Inclusion: the L2 has it, exclusive or modified. */
        c->ev[SN_EV_R10K_STORE_CLEAN] += (l2[k] & SN_STATE_BITS) == SN_E;
        l2[k] |= SN_M;
        s[w] |= SN_M;
        st = SN_M;
    }
    sn_tag_set_mru(s, w);
    return st;
}

/*
 * The state in which the L1 then holds the line (enum sn_mesi: M may be
 * written, others read), and *ticks to stall; or SN_I: nothing has happened,
 * call sn_access().  Most of what calls it knows `write` beforehand.
 */
__attribute__((always_inline)) static inline unsigned
sn_quick_data(struct sn_cpu *c, uint64_t pa, bool write, bool pending, uint32_t *ticks)
{
    uint32_t *s = c->l1d[(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1)], *l2;
    uint32_t tag = sn_l1_tag(pa), w = sn_quick_find(s, tag);
    unsigned st;

    *ticks = 0;
    if (w < 2) {
        return sn_quick_l1(c, s, w, pa, write);
    }

    l2 = sn_l2_set(&c->l2, pa);
    w = sn_quick_find(l2, sn_l2_tag(&c->l2, pa));
    if (w == 2 || sn_unlikely(c->armed & SN_QUICK_EVENTS)) {
        return SN_I;
    }
    st = l2[w] & SN_STATE_BITS;
    if (write) {
        if (st == SN_S) {
            return SN_I;
        }
        c->ev[SN_EV_R10K_STORE_CLEAN] += st == SN_E;
        l2[w] |= SN_M;
        st = SN_M;
    } else {
        st -= st >> 1 & st; /* M is E in the L1 */
    }
    /* Behind misses that are under way it costs nothing. */
    *ticks = sn_quick_l2(c, l2, w, SN_EV_R10K_D_MISPREDICT_WAY) & -(uint32_t)!pending;
    sn_quick_hit(c, pending, *ticks);
    c->ev[SN_EV_R10K_L1D_MISS]++;
    c->ev[SN_EV_R10K_L1D_QUAD_WB] += 2 * sn_quick_fill(s, tag | st);
    return st;
}

/* A fetch that stays within the L1, without ticks; true if it was done. */
static inline bool sn_quick_fetch_l1(struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = c->l1i[(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1)];
    uint32_t w = sn_quick_find(s, sn_l1_tag(pa));

    if (sn_unlikely(w == 2)) {
        return false;
    }
    sn_tag_set_mru(s, w);
    return true;
}

/* A fetch of what the L1 does not have, if the L2 has it; true if it was done. */
static inline bool sn_quick_fetch_l2(struct sn_cpu *c, uint64_t pa, bool pending, uint32_t *ticks)
{
    uint32_t *l2 = sn_l2_set(&c->l2, pa), w = sn_quick_find(l2, sn_l2_tag(&c->l2, pa));

    if (w == 2 || sn_unlikely(c->armed & SN_QUICK_EVENTS)) {
        return false;
    }
    c->ev[SN_EV_R10K_L1I_MISS]++;
    *ticks = sn_quick_l2(c, l2, w, SN_EV_R10K_I_MISPREDICT_WAY);
    sn_quick_hit(c, pending, *ticks);
    sn_quick_fill(c->l1i[(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1)], sn_l1_tag(pa) | SN_S);
    return true;
}

#endif
