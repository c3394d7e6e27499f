/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * R10000 events of a processor (regs/ev_r10k.h.inc): count them, and tell the
 * engine's caller when a watched one reaches its limit.
 */
#ifndef SN_EVENTS_H
#define SN_EVENTS_H

#include "machine.h"

/* R10000 event ev of a CPU occurred n times. */
void sn_ev_reached(struct sn_machine *m, struct sn_cpu *c, unsigned ev);
static inline void sn_ev(struct sn_machine *m, struct sn_cpu *c, unsigned ev,
                         unsigned n)
{
    c->fast.ev[ev] += n;
    if (sn_unlikely(c->fast.watched >> ev & 1) &&
        c->fast.ev[ev] >= c->limit[ev]) {
        sn_ev_reached(m, c, ev);
    }
}

#endif
