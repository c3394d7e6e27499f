/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sn_fast.h does inline for the caches of an R10000, for all caches: state,
 * events and ticks change in the same way.
 */
#include "counters/events.h"

/* Ticks of an L2 hit in way w, which becomes the MRU way. */
static uint32_t l2_hit(struct sn_fast *c, uint32_t *s, unsigned w,
                       unsigned mispredict)
{
    uint32_t other = sn_cache_mru(&c->l2, s) != w;

    sn_cache_use(&c->l2, s, w);
    c->ev[mispredict] += other;
    return c->t_l2hit + (other ? c->t_way : 0);
}

/* As sn_fast_fill() */
static bool fill(const struct sn_cache *l1, uint64_t pa, unsigned st)
{
    uint32_t *s = sn_cache_set(l1, pa);
    unsigned v = sn_cache_victim(l1, s, NULL);
    bool modified = sn_tag_state(s, v) == SN_M;

    sn_tag_put(s, v, sn_cache_tag(l1, pa), st);
    sn_cache_use(l1, s, v);
    return modified;
}

/* The way of the line, if it is not contested, else -1 */
static int find(const struct sn_cache *k, const uint32_t *s, uint64_t pa)
{
    int w = sn_cache_find(k, s, sn_cache_tag(k, pa));

    return w >= 0 && s[w] & SN_CONTESTED ? -1 : w;
}

static unsigned l1_hit(struct sn_fast *c, uint32_t *s, unsigned w, uint64_t pa,
                       bool write)
{
    unsigned st = sn_tag_state(s, w);

    if (write && st != SN_M) {
        uint32_t *l2 = sn_cache_set(&c->l2, pa);
        int k = sn_cache_find(&c->l2, l2, sn_cache_tag(&c->l2, pa));

        if (st != SN_E || c->watched & SN_FAST_EVENT(STORE_CLEAN)) {
            return SN_I;
        }
        c->ev[SN_R10K_STORE_CLEAN] += sn_tag_state(l2, (unsigned)k) == SN_E;
        l2[k] |= SN_M;
        s[w] |= SN_M;
        st = SN_M;
    }
    sn_cache_use(&c->d, s, w);
    return st;
}

unsigned sn_any_data(struct sn_fast *c, uint64_t pa, bool write, bool pending,
                     uint32_t *ticks)
{
    uint32_t *s = sn_cache_set(&c->d, pa);
    int w = find(&c->d, s, pa);
    unsigned st;

    *ticks = 0;
    if (w >= 0) {
        return l1_hit(c, s, (unsigned)w, pa, write);
    }
    s = sn_cache_set(&c->l2, pa);
    w = find(&c->l2, s, pa);
    if (w < 0 || c->watched & SN_FAST_EVENTS) {
        return SN_I;
    }
    st = sn_tag_state(s, (unsigned)w);
    if (write) {
        if (st == SN_S) {
            return SN_I;
        }
        c->ev[SN_R10K_STORE_CLEAN] += st == SN_E;
        s[w] |= SN_M;
        st = SN_M;
    } else if (st == SN_M) {
        st = SN_E; /* in the L1 */
    }
    *ticks = l2_hit(c, s, (unsigned)w, SN_R10K_D_MISPREDICT_WAY);
    *ticks = pending ? 0 : *ticks;
    sn_fast_hit(c, pending, *ticks);
    c->ev[SN_R10K_L1D_MISS]++;
    c->ev[SN_R10K_L1D_QUAD_WB] += fill(&c->d, pa, st) ? 2 : 0;
    return st;
}

bool sn_any_fetch_l1(struct sn_fast *c, uint64_t pa)
{
    uint32_t *s = sn_cache_set(&c->i, pa);
    int w = find(&c->i, s, pa);

    if (w < 0) {
        return false;
    }
    sn_cache_use(&c->i, s, (unsigned)w);
    return true;
}

bool sn_any_fetch_l2(struct sn_fast *c, uint64_t pa, bool pending,
                     uint32_t *ticks)
{
    uint32_t *s = sn_cache_set(&c->l2, pa);
    int w = find(&c->l2, s, pa);

    if (w < 0 || c->watched & SN_FAST_EVENTS) {
        return false;
    }
    c->ev[SN_R10K_L1I_MISS]++;
    *ticks = l2_hit(c, s, (unsigned)w, SN_R10K_I_MISPREDICT_WAY);
    sn_fast_hit(c, pending, *ticks);
    fill(&c->i, pa, SN_S);
    return true;
}
