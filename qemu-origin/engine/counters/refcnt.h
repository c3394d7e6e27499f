/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page reference counters; refcnt.c has their rules. */
#ifndef SN_REFCNT_H
#define SN_REFCNT_H

#include "machine.h"

/* The migration rules for a read request of `req` for the page. */
void sn_refcnt_slow(struct sn_machine *m, unsigned home, struct sn_chunk *ch,
                    uint64_t pa, sn_agent req, uint64_t now);

static inline void sn_refcnt(struct sn_machine *m, unsigned home,
                             struct sn_chunk *ch, uint64_t pa, sn_agent req,
                             uint64_t now)
{
    struct sn_node *h = &m->node[home];
    uint32_t *w = sn_prot_word(&h->dir, ch, sn_page_index(pa),
                               sn_agent_node(req) >> m->region_shift);
    uint32_t max = h->dir.premium ? 0x7ffffu << 5 : 0x7ffu << 5;

    h->refcnt_added++;
    if (sn_likely((*w & max) != max)) {
        *w += 1u << 5;
    } else {
        h->refcnt_pegged++;
    }
    if (sn_unlikely(*w & (3u << SN_PROT_MIGMD_SHIFT))) {
        sn_refcnt_slow(m, home, ch, pa, req, now);
    }
}

/* Sum of the present values of a node's reference counters. */
uint64_t sn_refcnt_sum(const struct sn_machine *m, unsigned node);
/* The reference counter of the page at pa for a region; 0 if there is none. */
uint64_t sn_refcnt_of(const struct sn_machine *m, uint64_t pa, unsigned region);

#endif
