/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an access needs when it stays within the processor's own caches, for
 * callers that want it inline: the other way of an L1 set, an L1 miss that
 * the L2 has with the right that it needs, a first store to an exclusive
 * line.  With misses under way (second stage of the time model), or somebody
 * waiting for one of its events, an L2 hit is sn_access(), too, as is
 * everything else, and every kind of access beside
 * SN_LOAD, SN_STORE and SN_IFETCH.  Effects, events and ticks are those of
 * sn_access(), with one exception: l1_drop is not called for the line that
 * leaves the L1.  It was in the way used less recently, so it is in no filter.
 *
 *   sn_quick_data()    a load or store
 *   sn_quick_fetch()   a fetch
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

/* sn_tag_find() without a branch for the way. */
static inline int sn_l2_quick_find(const struct sn_cpu *c, const uint32_t *s, uint64_t pa)
{
    uint32_t tag = sn_l2_tag(&c->l2, pa);
    int hit0 = (s[0] & SN_TAG_BITS) == tag, hit1 = (s[1] & SN_TAG_BITS) == tag;

    hit0 &= (s[0] & SN_STATE_BITS) != SN_I;
    hit1 &= (s[1] & SN_STATE_BITS) != SN_I;
    return sn_likely(hit0 | hit1) ? hit1 : -1;
}

/* An L2 hit in way w: its ticks. */
static inline uint32_t sn_quick_l2(struct sn_cpu *c, uint32_t *s, unsigned w, unsigned mispredict)
{
    uint32_t other = sn_tag_mru(s) ^ w;

    c->ev[mispredict] += other;
    sn_tag_set_mru(s, w);
    return c->t_l2hit + (c->t_way & -other);
}

/* sn_l1_victim() */
static inline unsigned sn_quick_victim(const uint32_t *s)
{
    unsigned none0 = sn_tag_state(s, 0) == SN_I, none1 = sn_tag_state(s, 1) == SN_I;

    /* An invalid way if only one is, else the one not used last. */
    return none0 == none1 ? !sn_tag_mru(s) : none1;
}

/* The line enters way v and was used last. */
static inline void sn_quick_fill(uint32_t *s, unsigned v, uint32_t word)
{
    uint32_t s0 = s[0] & ~SN_WAY_BIT, s1 = s[1];

    s[0] = (v ? s0 : word) | v << 31;
    s[1] = v ? word : s1;
}

/*
 * The state in which the L1 then holds the line (enum sn_mesi: M may be
 * written, others read), and *ticks to stall; or SN_I: nothing has happened,
 * call sn_access().
 */
static inline unsigned sn_quick_data(struct sn_machine *m, struct sn_cpu *c,
                                     uint64_t pa, bool write, uint32_t *ticks)
{
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1), st, v;
    uint32_t *s = c->l1d[set], *l2 = sn_l2_set(&c->l2, pa);
    uint32_t tag = sn_l1_tag(pa);
    int w = sn_tag_find(s, tag), k;

    if (w >= 0) {
        st = sn_tag_state(s, (unsigned)w);
        if (write && st != SN_M) {
            if (st != SN_E) {
                return SN_I;
            }
            k = sn_tag_find(l2, sn_l2_tag(&c->l2, pa));
            if (sn_tag_state(l2, (unsigned)k) == SN_E) {
                sn_ev(m, c, SN_EV_R10K_STORE_CLEAN, 1);
                sn_tag_set_state(l2, (unsigned)k, SN_M);
            }
            st = SN_M;
            sn_tag_set_state(s, (unsigned)w, SN_M);
        }
        sn_tag_set_mru(s, (unsigned)w);
        *ticks = 0;
        return st;
    }

    /*
     * Which way it is in is as good as random: computed, not branched on.
     * Events that somebody waits for are left to sn_access().
     */
    k = sn_l2_quick_find(c, l2, pa);
    if (k < 0 || (m->full && c->ooo.n) || sn_unlikely(c->armed & SN_QUICK_EVENTS)) {
        return SN_I;
    }
    st = sn_tag_state(l2, (unsigned)k);
    if (write) {
        if (st == SN_S) {
            return SN_I;
        }
        if (st == SN_E) {
            c->ev[SN_EV_R10K_STORE_CLEAN]++;
            sn_tag_set_state(l2, (unsigned)k, SN_M);
        }
        st = SN_M;
    } else {
        st = st == SN_S ? SN_S : SN_E;
    }
    *ticks = sn_quick_l2(c, l2, (unsigned)k, SN_EV_R10K_D_MISPREDICT_WAY);
    c->ev[SN_EV_R10K_L1D_MISS]++;
    v = sn_quick_victim(s);
    c->ev[SN_EV_R10K_L1D_QUAD_WB] += 2 * (sn_tag_state(s, v) == SN_M);
    sn_quick_fill(s, v, tag | st);
    return st;
}

/* Likewise; true if it was done. */
static inline bool sn_quick_fetch(struct sn_machine *m, struct sn_cpu *c,
                                  uint64_t pa, uint32_t *ticks)
{
    uint32_t *s = c->l1i[(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1)];
    int w = sn_tag_find(s, sn_l1_tag(pa));
    uint32_t *l2;

    *ticks = 0;
    if (w < 0) {
        l2 = sn_l2_set(&c->l2, pa);
        w = sn_l2_quick_find(c, l2, pa);
        if (w < 0 || (m->full && c->ooo.n) || sn_unlikely(c->armed & SN_QUICK_EVENTS)) {
            return false;
        }
        c->ev[SN_EV_R10K_L1I_MISS]++;
        *ticks = sn_quick_l2(c, l2, (unsigned)w, SN_EV_R10K_I_MISPREDICT_WAY);
        sn_quick_fill(s, sn_quick_victim(s), sn_l1_tag(pa) | SN_S);
        return true;
    }
    sn_tag_set_mru(s, (unsigned)w);
    return true;
}

#endif
