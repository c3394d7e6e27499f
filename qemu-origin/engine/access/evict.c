/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines leave a processor's caches, or lose rights in them; see evict.h. */
#include "access/evict.h"

/*
 * Whether none of the n words has this tag.  So it is for most lines that leave
 * the L2: the L1 has no part of them any more.
 */
static inline bool no_tag(const uint32_t *s, unsigned n, uint32_t tag)
{
    uint32_t same = 0;

    for (unsigned i = 0; i < n; i++) {
        same |= ((s[i] ^ tag) & SN_TAG_BITS) == 0;
    }
    return !same;
}

/*
 * The first of `n` parts of an L2 line that may be in a primary cache; n: none is.
 */
static inline unsigned first_part(const struct sn_cache *l1, uint32_t set,
                                  uint32_t tag, unsigned n)
{
    return no_tag(sn_cache_at(l1, set), n * l1->stride, tag) ? n : 0;
}

static inline __attribute__((always_inline)) void
purge(struct sn_machine *m, struct sn_cpu *c, uint64_t pa, bool usual)
{
    const struct sn_cache d = sn_fast_l1d(&c->fast, usual),
                          k = sn_fast_l1i(&c->fast, usual),
                          l2 = sn_fast_l2c(&c->fast, usual);
    unsigned n = sn_l1_parts(&l2, &d);
    uint32_t set = sn_l1_first(&l2, &d, pa), tag = sn_cache_tag(&d, pa);

    for (unsigned i = first_part(&d, set, tag, n); i < n; i++) {
        int w = sn_cache_find(&d, sn_cache_at(&d, set + i), tag);

        if (w >= 0) {
            sn_l1d_evict(m, c, &d, set + i, (unsigned)w);
        }
    }
    n = sn_l1_parts(&l2, &k);
    set = sn_l1_first(&l2, &k, pa);
    tag = sn_cache_tag(&k, pa);
    for (unsigned i = first_part(&k, set, tag, n); i < n; i++) {
        int w = sn_cache_find(&k, sn_cache_at(&k, set + i), tag);

        if (w >= 0) {
            sn_l1i_evict(m, c, &k, set + i, (unsigned)w);
        }
    }
    if (c->link == pa >> l2.line_shift) {
        c->link = SN_NO_LINK;
    }
}

static void __attribute__((noinline))
purge_any(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    purge(m, c, pa, false);
}

/* The primary lines of an L2 line leave (inclusion). */
void sn_l1_purge(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    if (sn_likely(c->fast.usual)) {
        purge(m, c, pa, true);
    } else {
        purge_any(m, c, pa);
    }
}

void sn_cpu_drop(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2;
    uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));

    if (w >= 0) {
        sn_l1_purge(m, c, sn_line_of(m, pa));
        sn_tag_set_state(s, (unsigned)w, SN_I);
    }
}

void sn_cpu_downgrade(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2, *d = &c->fast.d;
    uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));
    uint32_t set = sn_l1_first(l2, d, pa), tag = sn_cache_tag(d, pa);

    if (w < 0) {
        return;
    }
    sn_tag_set_state(s, (unsigned)w, SN_S);
    for (unsigned i = 0; i < sn_l1_parts(l2, d); i++) {
        uint32_t *l = sn_cache_at(d, set + i);
        int k = sn_cache_find(d, l, tag);

        if (k < 0) {
            continue;
        }
        if (sn_tag_state(l, (unsigned)k) == SN_M) {
            sn_ev(m, c, SN_R10K_L1D_QUAD_WB, 2);
        }
        sn_tag_set_state(l, (unsigned)k, SN_S);
        sn_l1_note(m, c, false, sn_cache_addr(d, l[k], set + i));
    }
}
