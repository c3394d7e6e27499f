/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of a machine that runs: caches and directory go cold, another time
 * model takes over, addresses without memory have a directory.
 *
 * Left out: the write-backs and the waiting that hardware would need for it.
 *
 * Interface: sn.h (sn_machine_cold, sn_machine_set_time, sn_machine_extend).
 */
#include <string.h>

#include "machine.h"
#include "regs/addr.h"
#include "time/models.h"

/* The observer follows the lines: it is told of each one that leaves. */
static void tell_flushed(struct sn_machine *m, const struct sn_cpu *c)
{
    const struct sn_cache *l2 = &c->fast.l2;

    for (uint32_t s = 0; s <= l2->set_mask; s++) {
        const uint32_t *set = sn_cache_at(l2, s);

        for (unsigned w = 0; w < l2->ways; w++) {
            if (sn_tag_state(set, w) != SN_I) {
                m->observer->flushed(m->observer->opaque, c->index,
                                     sn_cache_addr(l2, set[w], s));
            }
        }
    }
}

static void cold_cpu(struct sn_machine *m, struct sn_cpu *c)
{
    if (m->observer) {
        tell_flushed(m, c);
    }
    sn_cache_reset(&c->fast.d);
    sn_cache_reset(&c->fast.i);
    sn_cache_reset(&c->fast.l2);
    memset(&c->fast.pending, 0, sizeof(c->fast.pending));
    memset(c->lost, 0, sizeof(c->lost));
    memset(&c->glanced, 0, sizeof(c->glanced));
    c->link = SN_NO_LINK;
}

void sn_machine_cold(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        struct sn_node *nd = &m->node[n];

        sn_dirmem_cold(&nd->dir);
        memset(nd->recent, 0, sizeof(nd->recent));
        memset(nd->contest, 0, sizeof(nd->contest));
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        if (m->cpu[i].present) {
            cold_cpu(m, &m->cpu[i]);
        }
    }
    m->time->reset(m);
}

/* The state of another model than the one that runs.  NULL: the host has no memory. */
static void *new_state(struct sn_machine *m, const struct sn_time_model *model)
{
    const struct sn_time_model *old = m->time;
    void *old_state = m->time_state, *state;

    m->time = model;
    m->time_state = NULL;
    if (model->init(m) && m->time_state) {
        model->free(m);
        m->time_state = NULL;
    }
    state = m->time_state;
    m->time = old;
    m->time_state = old_state;
    return state;
}

static void free_state(struct sn_machine *m, const struct sn_time_model *model,
                       void *state)
{
    void *own = m->time_state;

    m->time_state = state;
    model->free(m);
    m->time_state = own;
}

int sn_machine_set_time(struct sn_machine *m, enum sn_time time)
{
    void *state;

    if (time >= SN_NTIMES) {
        return -1;
    }
    if (sn_time_models[time] == m->time) {
        return 0;
    }
    state = new_state(m, sn_time_models[time]);
    if (!state) {
        return -1;
    }
    m->time->free(m);
    m->time = sn_time_models[time];
    m->time_state = state;
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        memset(&m->cpu[i].fast.pending, 0, sizeof(m->cpu[i].fast.pending));
    }
    m->time->reset(m);
    return 0;
}

int sn_ease(struct sn_machine *m,
            uint32_t (*of)(void *opaque, unsigned cpu, uint64_t pa,
                           bool upgrade),
            void *opaque)
{
    const struct sn_time_model *model = sn_time_models[SN_TIME_UNLOADED];

    if (of && !m->ease.state) {
        m->ease.state = new_state(m, model);
        if (!m->ease.state) {
            return -1;
        }
    } else if (!of && m->ease.state) {
        free_state(m, model, m->ease.state);
        m->ease.state = NULL;
    }
    m->ease.of = of;
    m->ease.opaque = opaque;
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        m->cpu[i].ease = SN_EASE_ONE;
    }
    return 0;
}

void sn_ease_hits(struct sn_machine *m, unsigned cpu, uint32_t ease)
{
    struct sn_cpu *c = &m->cpu[cpu];
    uint64_t hit = sn_to_ticks(m, c->ps[SN_P_L2_HIT]);
    uint64_t way = sn_to_ticks(m, c->ps[SN_P_L2_WAY]);

    c->fast.t_l2hit = (uint32_t)(hit * ease / SN_EASE_ONE);
    c->fast.t_way = (uint32_t)(way * ease / SN_EASE_ONE);
}

int sn_machine_extend(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        if (sn_dirmem_extend(&m->node[n].dir, SN_NODE_SIZE)) {
            return -1;
        }
    }
    return 0;
}
