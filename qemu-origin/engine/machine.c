/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making, resetting and freeing a machine; what follows once from its
 * description: delays, paths, latency parts in each clock.
 */
#include <string.h>

#include "machine.h"

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
        nd->ps_beats = (uint32_t)(16e9 / d->hub_khz + 0.5);
        nd->ps_refresh = (uint32_t)(SN_REFRESH_CYCLES * 1e9 / d->hub_khz);
        nd->ps_refresh_period = (uint32_t)(SN_REFRESH_PERIOD * 1e9 / d->hub_khz);
        for (unsigned p = 0; p < SN_NPARTS; p++) {
            nd->ps[p] = sn_part_ps(p, d->hub_khz, 0, 0);
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
                c->ps[p] = sn_part_ps(p, d->hub_khz, cd->l2_khz, cd->khz);
            }
            c->fix_read = c->ps[SN_P_ISSUE] + 2 * c->ps[SN_P_XBAR] +
                          c->ps[SN_P_MD_READ] + c->ps[SN_P_DATA] +
                          (c->r12k ? 0 : c->ps[SN_P_DATA_R10K]);
            c->fix_rdex = c->fix_read + (c->r12k ? 0 : c->ps[SN_P_RDEX_R10K]);
            c->t_l2hit = (uint32_t)sn_to_ticks(m, c->ps[SN_P_L2_HIT]);
            c->t_way = (uint32_t)sn_to_ticks(m, c->ps[SN_P_L2_WAY]);
            c->ps_l2 = (uint32_t)(1e9 / cd->l2_khz + 0.5);
        }
    }
}

static void init_net(struct sn_machine *m)
{
    for (unsigned a = 0; a < m->nnodes; a++) {
        for (unsigned b = 0; b < m->nnodes; b++) {
            uint16_t *p = &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
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

struct sn_machine *sn_machine_new(const struct sn_config *cfg)
{
    const struct sn_desc *d = cfg->desc;
    struct sn_machine *m;
    unsigned hops = 0;
    bool ok = true;

    if (cfg->tick_hz < 1000000 || cfg->tick_hz > 100000000000ull) {
        return NULL;
    }
    m = sn_env_alloc(1, sizeof(*m));
    if (!m) {
        return NULL;
    }
    m->desc = d;
    m->topo = cfg->topo;
    m->nnodes = d->nnodes;
    m->nrouters = d->nrouters;
    m->region_shift = d->nnodes > 64 ? 3 : 0;
    m->nregions = (d->nnodes + (1u << m->region_shift) - 1) >> m->region_shift;
    m->tick_hz = cfg->tick_hz;
    m->ps_to_tick = (uint64_t)(((unsigned __int128)cfg->tick_hz << 40) /
                               1000000000000ull) + 1;
    m->ps_per_tick = (uint64_t)((1e12 * (1 << 20)) / (double)cfg->tick_hz + 0.5);
    m->ps_upacket = sn_part_ps(SN_P_NI_UPACKET, 0, 0, 0);
    m->ps_ni_out = sn_part_ps(SN_P_NI_OUT, 0, 0, 0);
    m->ps_ni_in = sn_part_ps(SN_P_NI_IN, 0, 0, 0);
    m->ps_ni_in_up = sn_part_ps(SN_P_NI_IN_UP, 0, 0, 0);
    m->ps_ni = sn_part_ps(SN_P_NI, 0, 0, 0);
    m->ps_router = sn_part_ps(SN_P_ROUTER, 0, 0, 0);
    m->ps_nobypass = sn_part_ps(SN_P_NOBYPASS, 0, 0, 0);
    m->ps_oq_full = sn_part_ps(SN_P_OQ_FULL, 0, 0, 0);
    m->ps_oq_low = sn_part_ps(SN_P_OQ_LOW, 0, 0, 0);
    m->full = cfg->time == SN_TIME_FULL;
    m->seed = cfg->seed;
    if (cfg->ops) {
        m->ops = *cfg->ops;
    }
    m->opaque = cfg->opaque;
    m->oq_ticks = sn_to_ticks(m, SN_OQ_BUCKET_PS);
    m->oq_capacity = SN_OQ_BUCKET_PS / sn_part_ps(SN_P_INVAL_NI, 0, 0, 0);
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

    m->node = sn_env_alloc(m->nnodes, sizeof(*m->node));
    m->cpu = sn_env_alloc(m->nnodes * SN_NODE_CPUS, sizeof(*m->cpu));
    m->port = sn_env_alloc(m->nrouters * 7 + 1, sizeof(*m->port));
    m->out = m->full ? sn_env_alloc(m->nrouters * 7 + 1, sizeof(*m->out)) : NULL;
    m->flow.f = sn_env_alloc((size_t)m->nnodes * m->nnodes, sizeof(*m->flow.f));
    m->flow.used = sn_env_alloc((size_t)m->nnodes * m->nnodes, sizeof(*m->flow.used));
    m->net_ps = sn_env_alloc((size_t)m->nnodes * m->nnodes, sizeof(*m->net_ps));
    m->path = sn_env_alloc((size_t)m->nnodes * m->nnodes * m->path_stride,
                           sizeof(*m->path));
    m->depend = m->full ? sn_depend_new() : NULL;
    ok = m->node && m->cpu && m->port && m->flow.f && m->flow.used && m->net_ps && m->path &&
         ((m->depend && m->out) || !m->full);
    for (unsigned i = 0; i < 256; i++) {
        m->node_of_nasid[i] = -1;
    }
    for (unsigned n = 0; ok && n < m->nnodes; n++) {
        const struct sn_node_desc *nd = &d->node[n];

        m->node_of_nasid[nd->nasid] = (int16_t)n;
        ok = !sn_dirmem_init(&m->node[n].dir, memory_end(nd), m->nregions,
                             nd->dir == SN_DIR_PREMIUM);
        for (unsigned s = 0; ok && s < SN_NODE_CPUS; s++) {
            struct sn_cpu *c = &m->cpu[n * SN_NODE_CPUS + s];

            c->f = &c->own;
            if (nd->cpu[s].model != SN_CPU_NONE) {
                ok = !sn_l2_init(&c->l2, nd->cpu[s].l2_bytes);
            }
        }
    }
    if (!ok) {
        sn_machine_free(m);
        return NULL;
    }
    init_parts(m);
    init_net(m);
    sn_machine_reset(m);
    return m;
}

void sn_machine_free(struct sn_machine *m)
{
    if (!m) {
        return;
    }
    for (unsigned n = 0; m->node && n < m->nnodes; n++) {
        sn_dirmem_free(&m->node[n].dir);
    }
    for (unsigned i = 0; m->cpu && i < m->nnodes * SN_NODE_CPUS; i++) {
        sn_l2_free(&m->cpu[i].l2);
    }
    sn_env_free(m->node);
    sn_env_free(m->cpu);
    sn_env_free(m->port);
    sn_env_free(m->out);
    sn_env_free(m->flow.f);
    sn_env_free(m->flow.used);
    sn_env_free(m->net_ps);
    sn_env_free(m->path);
    sn_depend_free(m->depend);
    sn_env_free(m);
}

/* Counters and registers of a node; what the description fixes stays. */
static void reset_node(struct sn_node *n)
{
    const size_t from = offsetof(struct sn_node, md_recv), to = offsetof(struct sn_node, cal_sysad);

    memset((char *)n + from, 0, to - from);
    sn_cal_reset(&n->cal_sysad);
    sn_cal_reset(&n->cal_md);
    sn_cal_reset(&n->cal_ni);
    n->moq = 0x32 << 8 | 0x12;      /* hubmd.h MMS_RESET_DEFAULTS */
    sn_dirmem_reset(&n->dir);
}

void sn_machine_reset(struct sn_machine *m)
{
    for (unsigned n = 0; n < m->nnodes; n++) {
        reset_node(&m->node[n]);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        struct sn_cpu *c = &m->cpu[i];

        memset(c->l1d, 0, sizeof(c->l1d));
        memset(c->l1i, 0, sizeof(c->l1i));
        sn_l2_reset(&c->l2);
        memset(c->ev, 0, sizeof(c->ev));
        memset(&c->truth, 0, sizeof(c->truth));
        c->armed = c->live = 0;
        memset(c->limit, 0xff, sizeof(c->limit));
        c->link = SN_NO_LINK;
        sn_cal_reset(&c->cal_l2);
        sn_cal_reset(&c->cal_pi);
        sn_ooo_reset(m, c);
        /* Splitting the seed: any odd multiplier keeps the states apart. */
        c->rng = (m->seed + i + 1) * 0x9e3779b97f4a7c15ull | 1;
        sn_cpu_flush_filter(m, i);
    }
    sn_router_init(m);
}

void sn_cpu_set_filter(struct sn_machine *m, unsigned cpu, struct sn_filter *f)
{
    m->cpu[cpu].f = f ? f : &m->cpu[cpu].own;
    sn_cpu_flush_filter(m, cpu);
}

struct sn_filter *sn_cpu_filter(struct sn_machine *m, unsigned cpu)
{
    return m->cpu[cpu].f;
}

void sn_cpu_flush_filter(struct sn_machine *m, unsigned cpu)
{
    if (m->cpu[cpu].f) {
        /* SN_KEY_NONE is all ones. */
        memset(m->cpu[cpu].f, 0xff, sizeof(*m->cpu[cpu].f));
    }
}

void sn_cpu_no_filter(struct sn_machine *m)
{
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        m->cpu[i].f = NULL;
    }
}

uint32_t sn_cpu_drain(struct sn_machine *m, unsigned cpu, uint64_t now)
{
    return m->full ? sn_ooo_drain(m, &m->cpu[cpu], now) : 0;
}

void sn_cpu_clear_link(struct sn_machine *m, unsigned cpu)
{
    m->cpu[cpu].link = SN_NO_LINK;
}

const uint64_t *sn_cpu_events(struct sn_machine *m, unsigned cpu)
{
    return m->cpu[cpu].ev;
}

void sn_cpu_event_watch(struct sn_machine *m, unsigned cpu, unsigned ev,
                        uint64_t limit)
{
    struct sn_cpu *c = &m->cpu[cpu];
    uint32_t bit = 1u << ev;

    c->limit[ev] = limit;
    c->armed = limit != UINT64_MAX ? c->armed | bit : (c->armed & ~bit) | (c->live & bit);
}

void sn_cpu_event_live(struct sn_machine *m, unsigned cpu, uint32_t mask)
{
    struct sn_cpu *c = &m->cpu[cpu];

    c->live = mask;
    c->armed = mask;
    for (unsigned ev = 0; ev < SN_R10K_EVENTS; ev++) {
        if (c->limit[ev] != UINT64_MAX) {
            c->armed |= 1u << ev;
        }
    }
}

void sn_ev_fire(struct sn_machine *m, struct sn_cpu *c, unsigned ev, unsigned n)
{
    if (c->live >> ev & 1 && m->ops.count) {
        m->ops.count(m->opaque, c->index, ev, n);
    }
    if (c->ev[ev] >= c->limit[ev]) {
        sn_cpu_event_watch(m, c->index, ev, UINT64_MAX);
        if (m->ops.event) {
            m->ops.event(m->opaque, c->index, ev);
        }
    }
}

void sn_footprint(struct sn_machine *m, uint64_t *host, uint64_t *guest)
{
    *host = *guest = 0;
    for (unsigned n = 0; n < m->nnodes; n++) {
        const struct sn_dirmem *d = &m->node[n].dir;

        *guest += (uint64_t)d->used << SN_CHUNK_SHIFT;
        *host += sn_dirmem_bytes(d) + sizeof(struct sn_node);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu *c = &m->cpu[i];

        *host += sizeof(*c);
        for (uint32_t s = 0; c->l2.tag && s <= c->l2.set_mask; s++) {
            if (c->l2.tag[2 * s] || c->l2.tag[2 * s + 1]) {
                *host += 8;         /* sets in use: others are untouched memory */
            }
        }
    }
}
