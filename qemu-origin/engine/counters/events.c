/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * R10000 events that somebody watches; see events.h.
 *
 * Interface: sn.h (sn_cpu_events, sn_cpu_event_watch).
 */
#include "counters/events.h"

const uint64_t *sn_cpu_events(struct sn_machine *m, unsigned cpu)
{
    return m->cpu[cpu].fast.ev;
}

void sn_cpu_event_watch(struct sn_machine *m, unsigned cpu, unsigned ev,
                        uint64_t limit)
{
    struct sn_cpu *c = &m->cpu[cpu];
    uint32_t bit = 1u << ev;

    c->limit[ev] = limit;
    c->fast.watched =
        limit != UINT64_MAX ? c->fast.watched | bit : c->fast.watched & ~bit;
}

void sn_ev_reached(struct sn_machine *m, struct sn_cpu *c, unsigned ev)
{
    sn_cpu_event_watch(m, c->index, ev, UINT64_MAX);
    if (m->ops.event) {
        m->ops.event(m->opaque, c->index, ev);
    }
}
