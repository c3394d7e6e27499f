/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of nodes, processors, router ports and traffic; the other parts
 * are in the files of their owners: cache.c, dir.c, cal.c, the time models.
 */
#include "sn_state.h"
#include "machine.h"
#include "time/model.h"

static void node_state(struct sn_node *n, struct sn_archive *a)
{
    const size_t from = offsetof(struct sn_node, md_recv);

    sn_dirmem_state(&n->dir, a);
    /* All that reset_node() clears */
    sn_move(a, (char *)n + from, sizeof(*n) - from);
}

static void cpu_state(struct sn_cpu *c, struct sn_archive *a)
{
    struct sn_fast *f = &c->fast;

    sn_l2_state(&f->l2, a);
    SN_MOVE(a, f->l1d);
    SN_MOVE(a, f->l1i);
    SN_MOVE(a, f->watched);
    SN_MOVE(a, f->pending);
    SN_MOVE(a, f->ev);
    SN_MOVE(a, c->link);
    SN_MOVE(a, c->rng);
    SN_MOVE(a, c->limit);
    SN_MOVE(a, c->truth);
    SN_MOVE(a, c->lost);
    SN_MOVE(a, c->glanced);
}

static void flow_state(struct sn_machine *m, struct sn_archive *a)
{
    size_t pairs = (size_t)m->nnodes * m->nnodes;

    SN_MOVE(a, m->flow.nused);
    if (m->flow.nused > pairs) {
        a->failed = true;
        return;
    }
    sn_move(a, m->flow.used, m->flow.nused * sizeof(*m->flow.used));
    sn_move(a, m->flow.f, pairs * sizeof(*m->flow.f));
    SN_MOVE(a, m->flow.left);
    SN_MOVE(a, m->flow.until);
}

/* The time model that runs may be another than that of the configuration. */
static void time_state(struct sn_machine *m, struct sn_archive *a)
{
    unsigned time = 0;

    while (sn_time_models[time] != m->time) {
        time++;
    }
    SN_MOVE(a, time);
    if (a->failed || (a->loading && sn_machine_set_time(m, time))) {
        a->failed = true;
        return;
    }
    m->time->state(m, a);
}

int sn_machine_state(struct sn_machine *m, struct sn_archive *a)
{
    time_state(m, a);
    for (unsigned n = 0; n < m->nnodes; n++) {
        node_state(&m->node[n], a);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        cpu_state(&m->cpu[i], a);
    }
    sn_move(a, m->port, m->nrouters * 7 * sizeof(*m->port));
    flow_state(m, a);
    SN_MOVE(a, m->seed);
    SN_MOVE(a, m->order);
    return a->failed ? -1 : 0;
}
