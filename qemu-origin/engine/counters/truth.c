/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ground truth: what the hardware's counters cannot tell (thesis 5.3.3), as
 * JSON for the monitor and for tests.  Format: docs/engine.md.  The writer
 * below knows objects, arrays and integers, which is all there is.
 */
#include <stdio.h>
#include <string.h>

#include "counters/md_perf.h"
#include "counters/refcnt.h"
#include "counters/router.h"

struct out {
    char *buf;
    size_t len, pos;
};

static void put(struct out *o, char c)
{
    if (o->pos + 1 < o->len) {
        o->buf[o->pos] = c;
    }
    o->pos++;
}

static void text(struct out *o, const char *s)
{
    while (*s) {
        put(o, *s++);
    }
}

static void num(struct out *o, uint64_t v)
{
    char d[20];
    int n = 0;

    do {
        d[n++] = (char)('0' + v % 10);
    } while (v /= 10);
    while (n) {
        put(o, d[--n]);
    }
}

static void sgn(struct out *o, int64_t v)
{
    if (v < 0) {
        put(o, '-');
    }
    num(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void key(struct out *o, const char *k)
{
    put(o, '"');
    text(o, k);
    text(o, "\":");
}

static void field(struct out *o, const char *k, uint64_t v, bool more)
{
    key(o, k);
    num(o, v);
    if (more) {
        put(o, ',');
    }
}

static void array(struct out *o, const char *k, const uint64_t *v, unsigned n)
{
    key(o, k);
    put(o, '[');
    for (unsigned i = 0; i < n; i++) {
        if (i) {
            put(o, ',');
        }
        num(o, v[i]);
    }
    put(o, ']');
}

static int finish(struct out *o, size_t *need)
{
    if (o->len) {
        o->buf[o->pos < o->len ? o->pos : o->len - 1] = '\0';
    }
    if (need) {
        *need = o->pos;
    }
    return o->pos < o->len ? 0 : SN_ERR_SPACE;
}

static const char *const tx_json[] = {
#define X(name, json, what) json,
    SN_TX_LIST(X)
#undef X
};

const char *sn_tx_name(unsigned tx)
{
    return tx < SN_NTX ? tx_json[tx] : "?";
}

void sn_sums(const struct sn_machine *m, struct sn_sums *s)
{
    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_truth *t = &m->cpu[i].truth;

        for (unsigned tx = 0; tx < SN_NTX; tx++) {
            s->local += t->tx[tx][0];
            s->remote += t->tx[tx][1];
            s->latency_ns += t->lat_ns_sum[tx];
        }
        s->backoff += t->backoff;
        s->writebacks += t->wb[0] + t->wb[1];
    }
    s->transfers = m->order.transfers;
    s->early = m->order.early;
    s->early_ns = sn_to_ns(m, m->order.early_sum);
}

static void cpu_json(struct out *o, const struct sn_cpu *c)
{
    const struct sn_truth *t = &c->truth;

    put(o, '{');
    field(o, "cpu", c->index, true);
    field(o, "node", c->node, true);
    key(o, "transactions");
    put(o, '{');
    for (unsigned i = 0; i < SN_NTX; i++) {
        key(o, tx_json[i]);
        put(o, '{');
        field(o, "local", t->tx[i][0], true);
        field(o, "remote", t->tx[i][1], true);
        field(o, "latency_ns_sum", t->lat_ns_sum[i], false);
        text(o, i + 1 < SN_NTX ? "}," : "}");
    }
    text(o, "},");
    field(o, "backoff", t->backoff, true);
    field(o, "writeback_local", t->wb[0], true);
    field(o, "writeback_remote", t->wb[1], true);
    array(o, "latency_hist", t->hist, SN_LAT_BINS);
    put(o, ',');
    array(o, "events", c->fast.ev, SN_R10K_EVENTS);
    put(o, '}');
}

static void node_json(struct out *o, const struct sn_node *n, unsigned index)
{
    static const char *const md[] = { "recv", "sent" };
    bool first;

    put(o, '{');
    field(o, "node", index, true);
    for (unsigned d = 0; d < 4; d++) {
        const uint64_t *v = d == 0   ? n->md_recv
                            : d == 1 ? n->md_sent
                            : d == 2 ? n->pi_recv
                                     : n->pi_sent;

        text(o, d < 2 ? "\"md_" : "\"pi_");
        text(o, md[d & 1]);
        text(o, "\":{");
        first = true;
        for (unsigned i = 0; i < SN_NMSG; i++) {
            if (v[i]) {
                if (!first) {
                    put(o, ',');
                }
                field(o, sn_msg_name(i), v[i], false);
                first = false;
            }
        }
        text(o, "},");
    }
    array(o, "read_state", n->rd_state, 6);
    put(o, ',');
    array(o, "local", n->local, 6);
    put(o, ',');
    field(o, "invalidations", n->ni_inval, true);
    field(o, "refcnt", n->refcnt_added, true);
    field(o, "refcnt_pegged", n->refcnt_pegged, true);
    key(o, "refcnt_written");
    sgn(o, (int64_t)n->refcnt_written);
    put(o, ',');
    array(o, "ni_sent", n->ni_sent, SN_VCS);
    put(o, ',');
    array(o, "ni_recv", n->ni_recv, SN_VCS);
    put(o, ',');
    key(o, "ii_transactions");
    put(o, '{');
    for (unsigned i = 0; i < SN_NTX; i++) {
        field(o, tx_json[i], n->ii_tx[i], i + 1 < SN_NTX);
    }
    text(o, "},");
    array(o, "ii",
          (const uint64_t[]){ n->io.xbow_tx, n->io.xbow_rx, n->io.xbow_tx_data,
                              n->io.xbow_rx_data, n->io.xbar_tx, n->io.xbar_rx,
                              n->io.xbar_tx_data, n->io.xbar_rx_data },
          8);
    put(o, ',');
    field(o, "uncached", n->uncached, true);
    field(o, "fetchop", n->fetchop, true);
    field(o, "fetchop_hit", n->fetchop_hit, false);
    put(o, '}');
}

static void port_json(struct out *o, const struct sn_port *p,
                      const struct sn_end *e)
{
    put(o, '{');
    field(o, e->kind == SN_END_NODE ? "node" : "router", e->index, true);
    if (e->kind == SN_END_ROUTER) {
        field(o, "port", e->port, true);
    }
    array(o, "recv", p->recv, SN_VCS);
    put(o, ',');
    array(o, "sent", p->sent, SN_VCS);
    put(o, ',');
    field(o, "packets", p->packets, true);
    field(o, "bypass", p->bypass, true);
    field(o, "vectors", p->vectors, true);
    array(o, "vectors_through", p->vectors_through, 2);
    put(o, '}');
}

static void router_json(struct out *o, const struct sn_machine *m, unsigned r)
{
    put(o, '{');
    field(o, "router", r, true);
    key(o, "ports");
    put(o, '[');
    for (unsigned p = 1; p <= SN_ROUTER_PORTS; p++) {
        const struct sn_end *e = &m->desc->router[r].port[p];

        if (p > 1) {
            put(o, ',');
        }
        if (e->kind == SN_END_NONE) {
            text(o, "null");
        } else {
            port_json(o, &m->port[r * 7 + p], e);
        }
    }
    text(o, "]}");
}

int sn_truth_json(struct sn_machine *m, char *buf, size_t len, size_t *need)
{
    struct out o = { buf, len, 0 };
    bool first = true;

    sn_router_settle(m);
    put(&o, '{');
    field(&o, "version", 1, true);
    field(&o, "tick_hz", m->tick_hz, true);
    field(&o, "latency_bin_ns", SN_LAT_BIN_NS, true);
    key(&o, "order");
    put(&o, '{');
    field(&o, "transfers", m->order.transfers, true);
    field(&o, "early", m->order.early, true);
    field(&o, "early_ns_max", sn_to_ns(m, m->order.early_most), true);
    field(&o, "early_ns_sum", sn_to_ns(m, m->order.early_sum), true);
    field(&o, "interrupts", m->order.interrupts, true);
    field(&o, "late", m->order.late, true);
    field(&o, "late_ns_max", sn_to_ns(m, m->order.late_most), false);
    text(&o, "},");
    text(&o, "\"cpus\":[");
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        if (m->cpu[i].present) {
            if (!first) {
                put(&o, ',');
            }
            cpu_json(&o, &m->cpu[i]);
            first = false;
        }
    }
    text(&o, "],\"nodes\":[");
    for (unsigned n = 0; n < m->nnodes; n++) {
        if (n) {
            put(&o, ',');
        }
        node_json(&o, &m->node[n], n);
    }
    text(&o, "],\"routers\":[");
    for (unsigned r = 0; r < m->nrouters; r++) {
        if (r) {
            put(&o, ',');
        }
        router_json(&o, m, r);
    }
    text(&o, "]}");
    return finish(&o, need);
}

/* The rows of regs/ev_md.h.inc. */
static const struct {
    const char *name;
    uint8_t mode, counter;
} md_rows[] = {
#define MD_EV(mode, counter, NAME, METRIC, metric, ...) \
    { metric, mode, counter },
#include "regs/ev_md.h.inc"
};

#define MD_ROWS (sizeof(md_rows) / sizeof(md_rows[0]))

int sn_md_json(struct sn_machine *m, uint64_t now, char *buf, size_t len,
               size_t *need)
{
    struct out o = { buf, len, 0 };

    text(&o, "{\"names\":[");
    for (unsigned i = 0; i < MD_ROWS; i++) {
        text(&o, i ? ",\"" : "\"");
        text(&o, md_rows[i].name);
        put(&o, '"');
    }
    text(&o, "],\"nodes\":[");
    for (unsigned n = 0; n < m->nnodes; n++) {
        text(&o, n ? ",[" : "[");
        for (unsigned i = 0; i < MD_ROWS; i++) {
            if (i) {
                put(&o, ',');
            }
            num(&o, sn_md_look(m, n, md_rows[i].mode, md_rows[i].counter, now));
        }
        put(&o, ']');
    }
    text(&o, "]}");
    return finish(&o, need);
}

int sn_page_json(struct sn_machine *m, uint64_t pa, char *buf, size_t len,
                 size_t *need)
{
    struct out o = { buf, len, 0 };
    int home = sn_home(m, pa);
    const struct sn_dirmem *d;

    put(&o, '{');
    field(&o, "address", pa & ~(uint64_t)((1u << SN_MDPAGE_SHIFT) - 1), true);
    if (home < 0) {
        text(&o, "\"home\":null}");
        return finish(&o, need);
    }
    d = &m->node[home].dir;
    field(&o, "home", (uint64_t)home, true);
    field(&o, "region_nodes", 1u << m->region_shift, true);
    field(&o, "most", d->premium ? 0x7ffff : 0x7ff, true);
    text(&o, "\"counts\":[");
    for (unsigned r = 0; r < d->regions; r++) {
        if (r) {
            put(&o, ',');
        }
        num(&o, sn_refcnt_of(m, pa, r));
    }
    text(&o, "]}");
    return finish(&o, need);
}

int sn_line_json(struct sn_machine *m, uint64_t pa, char *buf, size_t len,
                 size_t *need)
{
    struct out o = { buf, len, 0 };
    struct sn_dirent e = { .state = SN_UOWN };
    int home = sn_home(m, pa);
    const struct sn_chunk *ch;
    bool first = true;

    put(&o, '{');
    field(&o, "address", sn_line_of(m, pa), true);
    if (home < 0) {
        text(&o, "\"home\":null}");
        return finish(&o, need);
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    if (ch) {
        sn_dirent_load(&e, ch, sn_place(m, pa));
    }
    field(&o, "home", (uint64_t)home, true);
    text(&o, "\"state\":\"");
    text(&o, sn_dstate_name(e.state));
    text(&o, "\",");
    if (e.state == SN_SHRD) {
        text(&o, "\"sharers\":[");
        for (unsigned n = sn_vec_next(e.vec, e.oct, e.coarse, 0, m->nnodes);
             n < m->nnodes;
             n = sn_vec_next(e.vec, e.oct, e.coarse, n + 1, m->nnodes)) {
            if (!first) {
                put(&o, ',');
            }
            num(&o, n);
            first = false;
        }
        text(&o, "],");
    } else if (e.state != SN_UOWN && e.state != SN_POIS) {
        field(&o, "owner_node", sn_agent_node(e.ptr), true);
        field(&o, "owner_unit", sn_agent_unit(e.ptr), true);
    }
    text(&o, "\"caches\":{");
    first = true;
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        char k[12];
        unsigned st;

        if (!m->cpu[i].present) {
            continue;
        }
        st = sn_cpu_state(&m->cpu[i], pa);
        if (st == SN_I) {
            continue;
        }
        snprintf(k, sizeof(k), "%u", i);
        if (!first) {
            put(&o, ',');
        }
        key(&o, k);
        put(&o, '"');
        text(&o, sn_mesi_name(st));
        put(&o, '"');
        first = false;
    }
    text(&o, "}}");
    return finish(&o, need);
}
