/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub MD performance counters, and the other MD registers that the engine
 * keeps.  The engine keeps 64-bit totals of what the MD has received and sent
 * since power-on.  The six 20-bit registers show how much the selected mode's
 * totals grew since software last wrote or enabled them.  The rows of
 * regs/ev_md.h.inc define what each counter counts; sn_md_total() expands them.
 *
 * Interface: sn.h (sn_md_*), md_perf.h.
 */
#include "counters/md_perf.h"

/* Hub cycles since power-on. */
static uint64_t elapsed(const struct sn_machine *m, const struct sn_node *n,
                        uint64_t now)
{
    return (uint64_t)((unsigned __int128)now * n->hub_hz / m->tick_hz);
}

/* Hub cycles for which `part` is occupied `count` times, and ps; rounded. */
static uint64_t occupied(const struct sn_machine *m, const struct sn_node *n,
                         uint64_t count, enum sn_part part, uint64_t ps)
{
    const struct sn_what_part *w = &m->desc->what.part[part];
    double cycles = sn_parts[part].hub;

    if (w->how == SN_WHAT_FACTOR) {
        cycles *= w->v;
    } else if (w->how == SN_WHAT_PS) {
        cycles = n->ps[part] * 1e-12 * (double)n->hub_hz;
    }
    return (uint64_t)((double)count * cycles +
                      (double)ps * 1e-12 * (double)n->hub_hz + 0.5);
}

enum use { USE_IDLE, USE_REFRESH, USE_DIR, USE_MEM, USE_OTHER };

/*
 * Hub cycles that the memory has spent on `use` since power-on.  `look`: for
 * somebody outside of the machine, whose look must not change what the guest
 * reads later.
 */
static uint64_t hub_cycles(struct sn_machine *m, struct sn_node *n,
                           enum use use, uint64_t now, bool look)
{
    uint64_t all = elapsed(m, n, now);
    uint64_t refresh = all / SN_REFRESH_PERIOD * SN_REFRESH_CYCLES;
    uint64_t dir = occupied(m, n, n->occ_dir, SN_P_OCC_DIR, n->busy_dir);
    uint64_t mem = occupied(m, n, n->occ_mem, SN_P_OCC_MEM, n->busy_mem);
    uint64_t other = occupied(m, n, n->occ_other, SN_P_OCC_OTHER, 0);
    uint64_t busy = refresh + dir + mem + other;

    switch (use) {
    case USE_REFRESH:
        return refresh;
    case USE_DIR:
        return dir;
    case USE_MEM:
        return mem;
    case USE_OTHER:
        return other;
    case USE_IDLE:
        break;
    }
    /*
     * Without contention the sum of busy cycles can exceed the elapsed time.
     * The idle count then stands still until time has caught up.  It must not
     * run backwards, because a reader would take that for a wrap.
     */
    if (all <= busy || all - busy <= n->idle) {
        return n->idle;
    }
    if (!look) {
        n->idle = all - busy;
    }
    return all - busy;
}

static uint64_t sum(const uint64_t *v, const uint8_t *types, unsigned n)
{
    uint64_t s = 0;

    for (unsigned i = 0; i < n; i++) {
        s += v[types[i]];
        for (unsigned t = SN_NMSG_HW; t < SN_NMSG; t++) {
            s += sn_msg_like(t) == types[i] ? v[t] : 0;
        }
    }
    return s;
}

/* The words used in the rows' expressions, see regs/ev_md.h.inc. */
#define SUM(v, ...)                          \
    sum(v, (const uint8_t[]){ __VA_ARGS__ }, \
        sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define SENT(...)       SUM(n->md_sent, __VA_ARGS__)
#define RECEIVED(...)   SUM(n->md_recv, __VA_ARGS__)
#define TOTAL(field)    (n->field)
#define HUB_CYCLES(use) hub_cycles(m, n, USE_##use, now, look)

static uint64_t total(struct sn_machine *m, unsigned node, unsigned mode,
                      unsigned i, uint64_t now, bool look)
{
    struct sn_node *n = &m->node[node];

    switch (mode << 3 | i) {
#define MD_EV(mode, counter, NAME, METRIC, metric, expression, ...) \
    case (mode) << 3 | (counter):                                   \
        return expression;
#include "regs/ev_md.h.inc"
    default:
        return 0; /* the other selections count nothing */
    }
}

uint64_t sn_md_total(struct sn_machine *m, unsigned node, unsigned mode,
                     unsigned i, uint64_t now)
{
    return total(m, node, mode, i, now, false);
}

uint64_t sn_md_look(struct sn_machine *m, unsigned node, unsigned mode,
                    unsigned i, uint64_t now)
{
    return total(m, node, mode, i, now, true);
}

static bool enabled(const struct sn_node *n)
{
    return n->perf.sel >> 3 & 1;
}

static uint32_t current(struct sn_machine *m, unsigned node, unsigned i,
                        uint64_t now)
{
    struct sn_node *n = &m->node[node];

    if (!enabled(n)) {
        return n->perf.value[i];
    }
    return (uint32_t)(n->perf.value[i] +
                      sn_md_total(m, node, n->perf.sel & 7, i, now) -
                      n->perf.at[i]) &
           SN_COUNT20;
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
