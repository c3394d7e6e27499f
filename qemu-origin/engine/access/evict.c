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

/* The primary lines of an L2 line leave (inclusion). */
void sn_l1_purge(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t tag = sn_l1_tag(pa);
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1) & ~3u;

    for (unsigned i = no_tag(&c->fast.l1d[set][0], 8, tag) ? 4 : 0; i < 4;
         i++) {
        int w = sn_tag_find(c->fast.l1d[set + i], tag);

        if (w >= 0) {
            sn_l1d_evict(m, c, set + i, (unsigned)w);
        }
    }
    set = (unsigned)(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1) & ~1u;
    for (unsigned i = no_tag(&c->fast.l1i[set][0], 4, tag) ? 2 : 0; i < 2;
         i++) {
        int w = sn_tag_find(c->fast.l1i[set + i], tag);

        if (w >= 0) {
            sn_l1i_evict(m, c, set + i, (unsigned)w);
        }
    }
    if (c->link == pa >> SN_LINE_SHIFT) {
        c->link = SN_NO_LINK;
    }
}

void sn_cpu_drop(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = sn_l2_set(&c->fast.l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->fast.l2, pa));

    if (w >= 0) {
        sn_l1_purge(m, c, pa & ~(uint64_t)(SN_LINE_SIZE - 1));
        sn_tag_set_state(s, (unsigned)w, SN_I);
    }
}

void sn_cpu_downgrade(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = sn_l2_set(&c->fast.l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->fast.l2, pa));
    uint32_t tag = sn_l1_tag(pa);
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1) & ~3u;

    if (w < 0) {
        return;
    }
    sn_tag_set_state(s, (unsigned)w, SN_S);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t *l = c->fast.l1d[set + i];
        int k = sn_tag_find(l, tag);

        if (k < 0) {
            continue;
        }
        if (sn_tag_state(l, (unsigned)k) == SN_M) {
            sn_ev(m, c, SN_R10K_L1D_QUAD_WB, 2);
        }
        sn_tag_set_state(l, (unsigned)k, SN_S);
        sn_l1_note(m, c, false, sn_l1_addr(l[k], set + i, SN_L1D_SHIFT));
    }
}
