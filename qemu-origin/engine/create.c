/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making, resetting and freeing a machine; what follows once from its
 * description: delays, paths, latency parts in each clock.
 */
#include <string.h>

#include "counters/router.h"
#include "machine.h"
#include "time/models.h"

static uint64_t memory_end(const struct sn_node_desc *d)
{
    uint64_t end = 0;

    for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
        uint64_t mb = d->bank_mb[b];

        if (!mb) {
            continue;
        }
        /* Banks of 256 MB stand in four chunks 128 MB apart (regs/addr.h). */
        end = ((uint64_t)b + 1) << SN_BANK_SHIFT;
        if (mb <= 128) {
            end = ((uint64_t)b << SN_BANK_SHIFT) + (mb << 20);
        }
    }
    return end;
}

static void init_parts(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        const struct sn_node_desc *d = &m->desc->node[n];
        struct sn_node *nd = &m->node[n];

        nd->nasid = d->nasid;
        nd->hub_hz = (uint64_t)d->hub_khz * 1000;
        for (unsigned p = 0; p < SN_NPARTS; p++) {
            nd->ps[p] = sn_part_ps(m->desc, p, d->hub_khz, 0, 0);
        }
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            const struct sn_cpu_desc *cd = &d->cpu[s];
            struct sn_cpu *c = &m->cpu[n * SN_NODE_CPUS + s];

            c->node = (uint16_t)n;
            c->index = (uint16_t)(n * SN_NODE_CPUS + s);
            c->agent = sn_agent_make(n, s);
            c->present = cd->model != SN_CPU_NONE;
            c->r12k = cd->model == SN_CPU_R12000;
            if (!c->present) {
                continue;
            }
            for (unsigned p = 0; p < SN_NPARTS; p++) {
                c->ps[p] =
                    sn_part_ps(m->desc, p, d->hub_khz, cd->l2_khz, cd->khz);
            }
            if (c->fast.l2.ways == 1) { /* nothing to predict */
                c->ps[SN_P_L2_WAY] = 0;
            }
            c->fast.t_l2hit = (uint32_t)sn_to_ticks(m, c->ps[SN_P_L2_HIT]);
            c->fast.t_way = (uint32_t)sn_to_ticks(m, c->ps[SN_P_L2_WAY]);
            c->fast.ps_per_tick = m->ps_per_tick;
        }
    }
}

static void init_net(struct sn_machine *m)
{
    for (unsigned a = 0; a < m->nnodes; a++) {
        for (unsigned b = 0; b < m->nnodes; b++) {
            uint16_t *p =
                &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
            struct sn_hop hop[SN_MAX_PATH];
            unsigned n;

            m->net_ps[a * m->nnodes + b] = sn_net_ps(m->topo, a, b);
            n = a == b ? 0 : sn_topo_path(m->topo, a, b, hop);
            p[0] = (uint16_t)n;
            for (unsigned i = 0; i < n; i++) {
                p[1 + 2 * i] = (uint16_t)(hop[i].router * 7 + hop[i].in);
                p[2 + 2 * i] = (uint16_t)(hop[i].router * 7 + hop[i].out);
            }
        }
    }
}

/* What follows from the description and the configuration alone. */
static void init_scalars(struct sn_machine *m, const struct sn_config *cfg)
{
    const struct sn_desc *d = cfg->desc;
    unsigned hops = 0;

    m->desc = d;
    m->topo = cfg->topo;
    m->nnodes = d->nnodes;
    m->nrouters = d->nrouters;
    m->line_shift = sn_desc_line(d);
    m->line_bytes = 1u << m->line_shift;
    m->data_packets = 1 + m->line_bytes / 16;
    m->region_shift = d->nnodes > 64 ? 3 : 0;
    m->nregions = (d->nnodes + (1u << m->region_shift) - 1) >> m->region_shift;
    m->tick_hz = cfg->tick_hz;
    m->ps_to_tick =
        (uint64_t)(((unsigned __int128)cfg->tick_hz << 40) / 1000000000000ull) +
        1;
    m->ps_per_tick =
        (uint64_t)((1e12 * (1 << 20)) / (double)cfg->tick_hz + 0.5);
    m->time = sn_time_models[cfg->time];
    m->seed = cfg->seed;
    m->window = 32 * cfg->quantum;
    if (cfg->ops) {
        m->ops = *cfg->ops;
    }
    m->opaque = cfg->opaque;
    for (unsigned r = 0; r < m->nrouters; r++) {
        m->nobypass |= d->router[r].meta;
    }
    for (unsigned a = 0; a < m->nnodes; a++) {
        for (unsigned b = 0; b < m->nnodes; b++) {
            if (cfg->topo->hops[a][b] > hops) {
                hops = cfg->topo->hops[a][b];
            }
        }
    }
    m->path_stride = 1 + 2 * hops;
}

static bool alloc_arrays(struct sn_machine *m)
{
    size_t pairs = (size_t)m->nnodes * m->nnodes;

    m->node = sn_env_alloc(m->nnodes, sizeof(*m->node));
    m->cpu = sn_env_alloc(m->nnodes * SN_NODE_CPUS, sizeof(*m->cpu));
    m->port = sn_env_alloc(m->nrouters * 7 + 1, sizeof(*m->port));
    m->flow.f = sn_env_alloc(pairs, sizeof(*m->flow.f));
    m->flow.used = sn_env_alloc(pairs, sizeof(*m->flow.used));
    m->net_ps = sn_env_alloc(pairs, sizeof(*m->net_ps));
    m->path = sn_env_alloc(pairs * m->path_stride, sizeof(*m->path));
    return m->node && m->cpu && m->port && m->flow.f && m->flow.used &&
           m->net_ps && m->path;
}

/* Tags of a processor's caches; of one that is not fitted, the L1's alone */
static bool alloc_caches(const struct sn_machine *m,
                         const struct sn_cpu_desc *d, struct sn_fast *f)
{
    const struct sn_what *w = &m->desc->what;
    uint32_t l1d = w->l1d ? w->l1d : SN_L1_BYTES;
    uint32_t l1i = w->l1i ? w->l1i : SN_L1_BYTES;
    unsigned l1_ways = w->l1_ways ? w->l1_ways : 2;
    unsigned l2_ways = w->l2_ways ? w->l2_ways : 2;
    bool usual = l1_ways == 2 && l1d == SN_L1_BYTES && l1i == SN_L1_BYTES;
    /* The L2 has all of an L1I line. */
    unsigned line_i =
        m->line_shift < SN_L1I_SHIFT ? m->line_shift : SN_L1I_SHIFT;

    usual &= line_i == SN_L1I_SHIFT;
    f->usual = usual && l2_ways == 2 && m->line_shift == SN_LINE_SHIFT;
    f->l2.random = !w->l2_lru;
    return !sn_cache_init(&f->d, l1d, l1_ways, SN_L1D_SHIFT,
                          usual ? f->l1d[0] : NULL) &&
           !sn_cache_init(&f->i, l1i, l1_ways, line_i,
                          usual ? f->l1i[0] : NULL) &&
           (d->model == SN_CPU_NONE ||
            !sn_cache_init(&f->l2, d->l2_bytes, l2_ways, m->line_shift, NULL));
}

/* Directory memory and tags, and which nasid is which node. */
static bool alloc_nodes(struct sn_machine *m)
{
    for (unsigned i = 0; i < 256; i++) {
        m->node_of_nasid[i] = -1;
    }
    for (unsigned n = 0; n < m->nnodes; n++) {
        const struct sn_node_desc *nd = &m->desc->node[n];

        m->node_of_nasid[nd->nasid] = (int16_t)n;
        if (sn_dirmem_init(&m->node[n].dir, memory_end(nd), m->nregions,
                           nd->dir == SN_DIMM_PREMIUM, m->line_shift)) {
            return false;
        }
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            if (!alloc_caches(m, &nd->cpu[s],
                              &m->cpu[n * SN_NODE_CPUS + s].fast)) {
                return false;
            }
        }
    }
    return true;
}

/* The protocol; a hypothetical one has a table of its own. */
static bool init_rows(struct sn_machine *m)
{
    const struct sn_what *w = &m->desc->what;
    const struct sn_variant v = { .msi = w->msi,
                                  .no_backoff = w->no_backoff,
                                  .no_spec = w->no_spec,
                                  .four_hop = w->four_hop,
                                  .evict = w->evict,
                                  .most = w->sharers,
                                  .group = w->group };

    m->rows = sn_home_rows;
    if (sn_variant_none(&v)) {
        return true;
    }
    m->own_rows = sn_env_alloc(1, sizeof(*m->own_rows));
    if (!m->own_rows) {
        return false;
    }
    memcpy(*m->own_rows, sn_home_rows, sizeof(*m->own_rows));
    sn_home_vary(*m->own_rows, &v);
    m->rows = (const struct sn_home_row(*)[SN_NMSG][SN_NCOL]) * m->own_rows;
    return true;
}

struct sn_machine *sn_machine_new(const struct sn_config *cfg)
{
    struct sn_machine *m;

    if (cfg->tick_hz < 1000000 || cfg->tick_hz > 100000000000ull ||
        cfg->time >= SN_NTIMES) {
        return NULL;
    }
    m = sn_env_alloc(1, sizeof(*m));
    if (!m) {
        return NULL;
    }
    init_scalars(m, cfg);
    if (!alloc_arrays(m) || !alloc_nodes(m) || !init_rows(m)) {
        sn_machine_free(m);
        return NULL;
    }
    init_parts(m);
    init_net(m);
    if (m->time->init(m)) {
        sn_machine_free(m);
        return NULL;
    }
    sn_machine_reset(m);
    return m;
}

void sn_machine_free(struct sn_machine *m)
{
    if (!m) {
        return;
    }
    if (m->ease.state) {
        sn_ease(m, NULL, NULL);
    }
    for (unsigned n = 0; m->node && n < m->nnodes; n++) {
        sn_dirmem_free(&m->node[n].dir);
    }
    for (unsigned i = 0; m->cpu && i < m->nnodes * SN_NODE_CPUS; i++) {
        sn_cache_free(&m->cpu[i].fast.l2);
        sn_cache_free(&m->cpu[i].fast.d);
        sn_cache_free(&m->cpu[i].fast.i);
    }
    sn_env_free(m->node);
    sn_env_free(m->cpu);
    sn_env_free(m->port);
    sn_env_free(m->flow.f);
    sn_env_free(m->flow.used);
    sn_env_free(m->net_ps);
    sn_env_free(m->path);
    sn_env_free(m->own_rows);
    if (m->time_state) {
        m->time->free(m);
    }
    sn_env_free(m);
}

/* Counters and registers of a node; what the description fixes stays. */
static void reset_node(struct sn_node *n)
{
    const size_t from = offsetof(struct sn_node, md_recv);

    memset((char *)n + from, 0, sizeof(*n) - from);
    n->moq = 0x32 << 8 | 0x12; /* hubmd.h MMS_RESET_DEFAULTS */
    sn_dirmem_reset(&n->dir);
}

void sn_machine_reset(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        reset_node(&m->node[n]);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        struct sn_cpu *c = &m->cpu[i];

        sn_cache_reset(&c->fast.d);
        sn_cache_reset(&c->fast.i);
        sn_cache_reset(&c->fast.l2);
        memset(&c->fast.pending, 0, sizeof(c->fast.pending));
        memset(c->fast.ev, 0, sizeof(c->fast.ev));
        memset(&c->truth, 0, sizeof(c->truth));
        memset(c->lost, 0, sizeof(c->lost));
        memset(&c->glanced, 0, sizeof(c->glanced));
        c->fast.watched = 0;
        c->ease = SN_EASE_ONE;
        memset(c->limit, 0xff, sizeof(c->limit));
        c->link = SN_NO_LINK;
    }
    sn_machine_set_seed(m, m->seed);
    memset(&m->order, 0, sizeof(m->order));
    sn_router_init(m);
    m->time->reset(m);
}

void sn_machine_set_seed(struct sn_machine *m, uint64_t seed)
{
    m->seed = seed;
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        /* Splitting the seed: any odd multiplier keeps the states apart. */
        m->cpu[i].rng = (seed + i + 1) * 0x9e3779b97f4a7c15ull | 1;
    }
}

struct sn_fast *sn_cpu_fast(struct sn_machine *m, unsigned cpu)
{
    return &m->cpu[cpu].fast;
}

void sn_observe(struct sn_machine *m, const struct sn_observer *o)
{
    m->observer = o;
    m->seen = NULL;
}
