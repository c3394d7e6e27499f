/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines leave a processor's caches, or lose rights in them:
 *
 *   sn_l1d_evict()  sn_l1i_evict()   one way of a primary cache
 *   sn_l1_purge()                    the primary lines of an L2 line
 *   sn_cpu_drop()                    a line, from all caches: invalidated
 *   sn_cpu_downgrade()               a line becomes shared
 *
 * None of them makes a transaction: a modified line is the caller's to write
 * back.  The caller of the engine learns about primary lines through
 * ops.l1_drop.
 */
#ifndef SN_EVICT_H
#define SN_EVICT_H

#include "counters/events.h"

/* Primary lines of a cache that lie in a line of the L2 */
static inline unsigned sn_l1_parts(const struct sn_cache *l2,
                                   const struct sn_cache *l1)
{
    return 1u << (l2->line_shift - l1->line_shift);
}

/* Number of the set of the first of them; the others follow it. */
static inline uint32_t sn_l1_first(const struct sn_cache *l2,
                                   const struct sn_cache *l1, uint64_t pa)
{
    return sn_cache_index(l1, pa) & ~(sn_l1_parts(l2, l1) - 1);
}

/* Tell the engine's user that a primary line left or lost rights. */
static inline void sn_l1_note(struct sn_machine *m, struct sn_cpu *c, bool insn,
                              uint64_t pa)
{
    if (m->ops.l1_drop) {
        m->ops.l1_drop(m->opaque, c->index, insn, pa);
    }
}

/* Take the line of a way of L1D `d` out; modified data goes to the L2. */
static inline void sn_l1d_evict(struct sn_machine *m, struct sn_cpu *c,
                                const struct sn_cache *d, unsigned set,
                                unsigned way)
{
    uint32_t *s = sn_cache_at(d, set);
    unsigned st = sn_tag_state(s, way);

    if (st == SN_I) {
        return;
    }
    if (st == SN_M) {
        sn_ev(m, c, SN_R10K_L1D_QUAD_WB, 2);
    }
    sn_tag_set_state(s, way, SN_I);
    sn_l1_note(m, c, false, sn_cache_addr(d, s[way], set));
}

/* Take the line of a way of L1I `k` out. */
static inline void sn_l1i_evict(struct sn_machine *m, struct sn_cpu *c,
                                const struct sn_cache *k, unsigned set,
                                unsigned way)
{
    uint32_t *s = sn_cache_at(k, set);

    if (sn_tag_state(s, way) == SN_I) {
        return;
    }
    sn_tag_set_state(s, way, SN_I);
    sn_l1_note(m, c, true, sn_cache_addr(k, s[way], set));
}

void sn_l1_purge(struct sn_machine *m, struct sn_cpu *c, uint64_t pa);
void sn_cpu_drop(struct sn_machine *m, struct sn_cpu *c, uint64_t pa);
void sn_cpu_downgrade(struct sn_machine *m, struct sn_cpu *c, uint64_t pa);

#endif
