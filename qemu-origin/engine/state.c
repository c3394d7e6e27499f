/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of nodes, processors, router ports and traffic; the other parts
 * are in the files of their owners: cache.c, dir.c, cal.c, the time models.
 */
#include "machine.h"
#include "time/models.h"
#include "time/ooo.h"

static void node_state(struct sn_node *n, struct sn_archive *a)
{
    const size_t from = offsetof(struct sn_node, md_recv);

    sn_dirmem_state(&n->dir, a);
    /* All that reset_node() clears */
    sn_move(a, (char *)n + from, sizeof(*n) - from);
    for (unsigned i = 0; i < 2; i++) {
        sn_must_be_bool(a, &n->fop[i].valid);
    }
}

/*
 * The L2 must have each line of the L1D, and both must agree on whether it is
 * contested.  A store that hits the L1D relies on that without a check, so it is
 * checked when a state is loaded.
 */
static bool l1d_is_included(const struct sn_fast *f)
{
    for (uint32_t s = 0; s <= f->d.set_mask; s++) {
        const uint32_t *set = sn_cache_at(&f->d, s);

        for (unsigned w = 0; w < f->d.ways; w++) {
            uint64_t pa = sn_cache_addr(&f->d, set[w], s);
            const uint32_t *l2;
            int k;

            if (sn_tag_state(set, w) == SN_I) {
                continue;
            }
            l2 = sn_cache_set(&f->l2, pa);
            k = sn_cache_find(&f->l2, l2, sn_cache_tag(&f->l2, pa));
            if (k < 0 || ((l2[k] ^ set[w]) & SN_CONTESTED)) {
                return false;
            }
        }
    }
    return true;
}

static void cpu_state(struct sn_cpu *c, struct sn_archive *a)
{
    struct sn_fast *f = &c->fast;

    sn_cache_state(&f->l2, a);
    sn_cache_state(&f->d, a);
    sn_cache_state(&f->i, a);
    SN_MOVE(a, f->watched);
    SN_MOVE(a, f->pending);
    sn_must(a, f->pending.n <= SN_OOO_MAX);
    if (f->l2.tag && !a->failed) {
        sn_must(a, l1d_is_included(f));
    }
    SN_MOVE(a, f->ev);
    SN_MOVE(a, c->link);
    SN_MOVE(a, c->rng);
    SN_MOVE(a, c->limit);
    SN_MOVE(a, c->truth);
    SN_MOVE(a, c->lost);
    SN_MOVE(a, c->glanced);
}

static void port_state(struct sn_port *p, struct sn_archive *a)
{
    SN_MOVE(a, *p);
    sn_must(a, p->mode < 4 && p->vc < SN_VCS);
    sn_must_be_bool(a, &p->wired);
    for (unsigned i = 0; i < 4; i++) {
        sn_must(a, p->cnt[i] <= SN_PORT_COUNT);
    }
}

/*
 * More than a flow ever collects before its ports are read.  With larger numbers
 * from a damaged file, router.c would add up for hours.
 */
#define FLOW_MOST (1ull << 44)

static bool flow_is_possible(const struct sn_flow *f)
{
    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        if (f->micro[vc] > FLOW_MOST) {
            return false;
        }
    }
    return f->packets <= FLOW_MOST;
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
    for (unsigned i = 0; i < m->flow.nused; i++) {
        sn_must(a, m->flow.used[i] < pairs);
    }
    for (size_t i = 0; i < pairs; i++) {
        sn_must(a, flow_is_possible(&m->flow.f[i]));
    }
    if (a->failed) {
        m->flow.nused = 0;
    }
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
    for (unsigned i = 0; i < m->nrouters * 7; i++) {
        port_state(&m->port[i], a);
    }
    flow_state(m, a);
    SN_MOVE(a, m->seed);
    SN_MOVE(a, m->order);
    return a->failed ? -1 : 0;
}
