/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub MD performance counters and the other MD registers that the engine
 * keeps.  The engine counts what the MD receives and sends for ever in 64
 * bits; the six 20-bit registers show the selected mode's totals since they
 * were last written or enabled.  Rows: regs/ev_md.h.inc.
 */
#include "machine.h"

static uint64_t hub_cycles(const struct sn_machine *m, const struct sn_node *n,
                           uint64_t now)
{
    return (uint64_t)((unsigned __int128)now * n->hub_hz / m->tick_hz);
}

/* Whole cycles of `count` occupations of `part`. */
static uint64_t occupied(uint64_t count, enum sn_part part)
{
    return (uint64_t)((double)count * sn_parts[part].hub + 0.5);
}

static uint64_t mode_activity(struct sn_machine *m, struct sn_node *n, unsigned i,
                              uint64_t now)
{
    uint64_t all = hub_cycles(m, n, now);
    uint64_t refresh = all / SN_REFRESH_PERIOD * SN_REFRESH_CYCLES;
    uint64_t dir = occupied(n->occ_dir, SN_P_OCC_DIR);
    uint64_t mem = occupied(n->occ_mem, SN_P_OCC_MEM);
    uint64_t other = occupied(n->occ_other, SN_P_OCC_OTHER);
    uint64_t busy = refresh + dir + mem + other;

    switch (i) {
    case 0:
        /*
         * Where nothing queues a memory may be used for longer than time passes.
         * It is not idle until time has caught up: no counter runs backwards, or
         * its reader would take that for a wrap.
         */
        if (all > busy && all - busy > n->idle) {
            n->idle = all - busy;
        }
        return n->idle;
    case 1: return 0;           /* nothing queues in the first time model */
    case 2: return refresh;
    case 3: return dir;
    case 4: return mem;
    default: return other;
    }
}

static uint64_t sum(const uint64_t *v, const uint8_t *types, unsigned n)
{
    uint64_t s = 0;

    for (unsigned i = 0; i < n; i++) {
        s += v[types[i]];
    }
    return s;
}
#define SUM(v, ...) \
    sum(v, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static uint64_t mode_out(struct sn_node *n, unsigned i)
{
    const uint64_t *s = n->md_sent;

    switch (i) {
    case 0: return SUM(s, SN_SRPLY, SN_ERPLY, SN_PRPLY, SN_SSPEC, SN_ESPEC,
                       SN_SRESP, SN_ERESP);
    case 1: return SUM(s, SN_WBACK, SN_WBBAK);
    case 2: return SUM(s, SN_INVAL, SN_IRDSH, SN_IRDEX);
    case 3: return SUM(s, SN_BINV, SN_BRDSH, SN_BRDEX);
    case 4: return s[SN_NACK];
    default: return SUM(s, SN_UPACK, SN_WIACK, SN_PERR, SN_PRESP) +
                    n->uncached + n->fetchop;
    }
}

static uint64_t mode_ivn(struct sn_node *n, unsigned i)
{
    static const uint8_t type[] = {
        SN_IRDSH, SN_IRDEX, SN_INVAL, SN_BRDSH, SN_BRDEX, SN_BINV,
    };

    return n->md_sent[type[i]];
}

static uint64_t mode_in(struct sn_node *n, unsigned i)
{
    const uint64_t *r = n->md_recv;

    switch (i) {
    case 0: return SUM(r, SN_READ, SN_RDSH, SN_RDEX, SN_UPGRD, SN_RSHU, SN_PRDX);
    case 1: return SUM(r, SN_WB, SN_WBP, SN_WINV);
    case 2: return SUM(r, SN_SHWB, SN_DNGRD, SN_XFER);
    case 3: return n->uncached;
    case 4: return n->fetchop;
    default: return n->fetchop_hit;
    }
}

uint64_t sn_md_total(struct sn_machine *m, unsigned node, unsigned mode,
                     unsigned i, uint64_t now)
{
    struct sn_node *n = &m->node[node];

    switch (mode) {
    case 0: return mode_activity(m, n, i, now);
    case 1: return mode_out(n, i);
    case 2: return mode_ivn(n, i);
    case 3: return mode_in(n, i);
    case 4: return n->rd_state[i];
    case 5: return n->local[i];
    default: return 0;          /* selections 6 and 7 count nothing */
    }
}

static bool enabled(const struct sn_node *n)
{
    return n->perf.sel >> 3 & 1;
}

static uint32_t current(struct sn_machine *m, unsigned node, unsigned i, uint64_t now)
{
    struct sn_node *n = &m->node[node];

    if (!enabled(n)) {
        return n->perf.value[i];
    }
    return (uint32_t)(n->perf.value[i] +
                      sn_md_total(m, node, n->perf.sel & 7, i, now) -
                      n->perf.at[i]) & SN_COUNT20;
}

uint64_t sn_md_perf_sel(struct sn_machine *m, unsigned node)
{
    return m->node[node].perf.sel;
}

void sn_md_perf_sel_set(struct sn_machine *m, unsigned node, uint64_t v,
                        uint64_t now)
{
    struct sn_node *n = &m->node[node];

    for (unsigned i = 0; i < SN_MD_COUNTERS; i++) {
        n->perf.value[i] = current(m, node, i, now);
    }
    n->perf.sel = v & 0xf;
    for (unsigned i = 0; i < SN_MD_COUNTERS; i++) {
        n->perf.at[i] = sn_md_total(m, node, n->perf.sel & 7, i, now);
    }
}

uint64_t sn_md_perf_cnt(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t now)
{
    return i < SN_MD_COUNTERS ? current(m, node, i, now) : 0;
}

void sn_md_perf_cnt_set(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t v, uint64_t now)
{
    struct sn_node *n = &m->node[node];

    if (i < SN_MD_COUNTERS) {
        n->perf.value[i] = v & SN_COUNT20;
        n->perf.at[i] = sn_md_total(m, node, n->perf.sel & 7, i, now);
    }
}

void sn_md_moq_set(struct sn_machine *m, unsigned node, uint64_t v)
{
    m->node[node].moq = v & (0x3f << 8 | 0x1f);
}

uint64_t sn_md_proto_error(struct sn_machine *m, unsigned node, bool clear)
{
    uint64_t v = m->node[node].proto_err;

    if (clear) {
        m->node[node].proto_err = 0;
    }
    return v;
}
