/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages that pass through the network: they are counted for each pair of
 * nodes, and in the ports on the way when somebody reads these (router.c).
 */
#ifndef SN_ROUTER_H
#define SN_ROUTER_H

#include "machine.h"

/*
 * n micropackets are about to pass from node a to b, and they exceed
 * the limits of flow[].  Returns true if it has counted them in the ports on
 * the path.  False: it has renewed the limits, and the caller adds the
 * micropackets to flow[].
 */
bool sn_router_count(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                     unsigned vc, uint64_t now);
/* Bring the totals of all ports up to date.  Call before reading them. */
void sn_router_settle(struct sn_machine *m);
void sn_router_init(struct sn_machine *m);

/* A message of n micropackets passes from node a to b, a != b. */
static inline void sn_router_pass(struct sn_machine *m, unsigned a, unsigned b,
                                  unsigned n, unsigned vc, uint64_t now)
{
    unsigned i = a * m->nnodes + b;
    struct sn_flow *f = &m->flow.f[i];

    m->node[a].ni_sent[vc] += n;
    m->node[b].ni_recv[vc] += n;
    if (sn_unlikely((n > m->flow.left || now >= m->flow.until) &&
                    sn_router_count(m, a, b, n, vc, now))) {
        return;
    }
    m->flow.left -= n;
    f->micro[vc] += n;
    if (!f->packets++) {
        m->flow.used[m->flow.nused++] = i;
    }
}

#endif
