/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resources that transactions share (share.h); numbers in timing.h.inc. */
#include "time/share.h"

static uint64_t align(uint64_t t, uint64_t grid)
{
    return (t + grid - 1) / grid * grid;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sn_share_tag(struct sn_machine *m, struct sn_cpu *c, uint64_t t)
{
    t = align(t, sn_full(m)->cpu[c->index].ps_cycle);
    return sn_cal_book(&sn_full(m)->cpu[c->index].l2, t, c->ps[SN_P_L2_TAG]) +
           c->ps[SN_P_L2_TAG];
}

/*
 * The first time from t on at which a stretch of `len` on the SysAD contains no
 * data and keeps a distance of `room` to data before and after it.  The loop looks
 * at the newest stretch of data first.  It ends at one whose `upto` has passed:
 * then all older ones are over, too.
 */
static uint64_t clear_of_data(const struct sn_full_node *n, uint64_t t,
                              uint64_t len, uint64_t room)
{
    uint64_t before;

    do {
        before = t;
        for (unsigned i = 1; i <= SN_DATA_RING; i++) {
            const struct sn_data *d =
                &n->data[(n->data_next - i) % SN_DATA_RING];

            if (d->upto + room <= t) {
                break;
            }
            if (t < d->to + room && d->from < t + len + room) {
                t = d->to + room;
            }
        }
    } while (t != before);
    return t;
}

/*
 * A CPU's request takes the SysAD for so long.  The CPU holds the bus while it
 * writes back an L1 line, unless the request had to wait: the line left
 * meanwhile.
 */
static uint64_t request_ps(const struct sn_machine *m, const struct sn_cpu *c,
                           bool store)
{
    bool held = store && !sn_full_of(m, c)->behind;

    return c->ps[SN_P_ARB] + (held ? c->ps[SN_P_REQ_RDEX] : 0);
}

uint64_t sn_share_request(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                          bool store)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    struct sn_full_cpu *f = sn_full_of(m, c);
    uint64_t from, tick, occ, wanted = t;

    /* The victim leaves first.  Not while SN_ACKED stores wait for IVACKs. */
    from = later(t, f->victim);
    from = later(from, sooner(f->acked[0], f->acked[1]));
    f->behind = from > t;
    t = from;
    occ = request_ps(m, c, store);
    t = sn_cal_book(&f->pi, t, 1);
    /* Arbitration looks at the bus every other cycle; a waiting request follows
     * whatever ends.  It goes before all but data. */
    tick = align(t, c->ps[SN_P_GRID]);
    if (sn_cal_free(&n->sysad, t, tick - t + occ)) {
        t = tick;
    }
    t = clear_of_data(n, t, 1, 0);
    sn_cal_take(&n->sysad, t, occ);
    sn_waited(m, SN_WAIT_SYSAD, c->node, align(wanted, c->ps[SN_P_GRID]), t);
    return t;
}

uint64_t sn_share_net(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                      uint64_t t)
{
    struct sn_full *f = sn_full(m);
    const uint16_t *path =
        &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
    uint64_t link = (n ? n : 1) * (uint64_t)f->upacket;
    uint64_t end, w, delay = 0;

    if (n) {
        uint64_t wanted = t;

        t = sn_cal_take(&f->node[a].ni, t, link + f->ni_out);
        sn_waited(m, SN_WAIT_NI, a, wanted, t);
    }
    end = t + sn_net(m, a, b);
    /* The message reaches the routers one after the other; only their order matters. */
    w = t + f->ni;
    for (unsigned i = 0; i < path[0]; i++) {
        uint64_t s = sn_cal_take(&f->out[path[2 + 2 * i]], w, link);

        if (s != w) {
            uint64_t wait = s - w;

            if (!m->nobypass && wait < f->nobypass) {
                wait = f->nobypass;
            }
            delay += wait;
            w += wait;
            sn_waited(m, SN_WAIT_LINK,
                      path[2 + 2 * i] / 7u * 8u + path[2 + 2 * i] % 7u,
                      w - wait, w);
        }
        w += f->router;
    }
    end += delay;
    /* What comes in goes first: it takes time from what goes out. */
    sn_cal_take(&f->node[b].ni, end, f->ni_in * (uint64_t)(n ? n : 1));
    return end;
}

uint64_t sn_share_vector(struct sn_machine *m, unsigned a, unsigned n,
                         uint64_t t)
{
    struct sn_full *f = sn_full(m);
    uint64_t first = m->node[a].ps[SN_P_NI_VECTOR], wanted = t;

    if (!n) {
        return t;
    }
    /* The first waits for its turn.  Other messages go between the others. */
    t = sn_cal_take(&f->node[a].ni, t, f->inval_occ);
    sn_seen_wait(m->seen, SN_WAIT_NI, a, wanted, t);
    for (unsigned i = 1; i < n; i++) {
        sn_cal_take(&f->node[a].ni, t + i * (uint64_t)f->inval, f->inval_occ);
    }
    return t + first;
}

/* Dependents of data that take the bus at s go on. */
static uint64_t first_word(const struct sn_cpu *c, uint64_t s)
{
    return s + c->ps[SN_P_FIRST] + c->ps[SN_P_USE] +
           (c->r12k ? c->ps[SN_P_USE_BLOCK] : 0);
}

/* The first data of the CPU that begin at `from` or later, but before `to`. */
static struct sn_data *next_data(struct sn_full_node *n, const struct sn_cpu *c,
                                 uint64_t from, uint64_t to)
{
    struct sn_data *first = NULL;

    for (unsigned i = 0; i < SN_DATA_RING; i++) {
        struct sn_data *d = &n->data[i];

        if (d->cpu == c->index && d->from >= from && d->from < to &&
            (!first || d->from < first->from)) {
            first = d;
        }
    }
    return first;
}

/*
 * Data of the CPU that would begin between `from` and `to` wait for `to`, and those
 * behind them for these.  The bus stays busy at the same times.
 */
static void data_wait(struct sn_machine *m, struct sn_cpu *c, uint64_t from,
                      uint64_t to)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    struct sn_data *d;

    if (n->data_upto <= from) {
        return;
    }
    while ((d = next_data(n, c, from, to))) {
        uint64_t old = d->to;

        d->to += to - d->from;
        d->from = to;
        from = to + 1;
        to = d->to;
        sn_ooo_later(c, sn_ooo_of(m, c), old, to,
                     first_word(c, to - c->ps[SN_P_DATA_OCC]));
    }
    for (unsigned i = SN_DATA_RING; i; i--) {
        d = &n->data[(n->data_next - i) % SN_DATA_RING];
        d->upto = later(d->upto, d->to);
        if (i < SN_DATA_RING) {
            d->upto = later(
                d->upto, n->data[(n->data_next - i - 1) % SN_DATA_RING].upto);
        }
    }
    n->data_upto = d->upto;
}

/* When the bus is free of data that were at the PI by t. */
static uint64_t after_data(const struct sn_full_node *n, uint64_t t)
{
    uint64_t s = t;

    for (unsigned i = 0; i < SN_DATA_RING && n->data_upto > t; i++) {
        const struct sn_data *d = &n->data[i];

        if (d->at <= t && d->to > s) {
            s = d->to;
        }
    }
    return s;
}

/*
 * The processor's outgoing buffer sends a line without a pause, and what comes for
 * the processor waits for the end (R10000 User's Manual, 6.10 and 6.17).  Only
 * the CPU's own data do so here: data of the node's other one, whose misses this one
 * must not change, interrupt the line.
 */
uint64_t sn_share_writeback(struct sn_machine *m, struct sn_cpu *c, uint64_t t)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    uint64_t occ = m->node[c->node].ps[SN_P_WB_OCC], wanted = t;

    t = sn_cal_take(&n->sysad, after_data(n, t), occ);
    sn_seen_wait(m->seen, SN_WAIT_SYSAD, c->node, wanted, t);
    data_wait(m, c, t, t + occ);
    sn_full(m)->cpu[c->index].victim = t + occ;
    return t;
}

void sn_share_wback(struct sn_machine *m, unsigned node, uint64_t t)
{
    sn_cal_take(&sn_full(m)->node[node].sysad, t,
                m->node[node].ps[SN_P_MSG_OCC]);
}

bool sn_share_queue_full(struct sn_machine *m, unsigned node, uint64_t t)
{
    const struct sn_full *f = sn_full(m);
    struct sn_full_node *h = &sn_full(m)->node[node];
    uint64_t backlog = sn_cal_backlog(&h->ni, t);
    uint64_t entries = m->node[node].moq & 0x1f;

    h->oq_full = backlog > entries * f->oq_full ||
                 (h->oq_full && backlog > entries * f->oq_low);
    return h->oq_full;
}

/* ps until t in which the memory does not refresh */
static uint64_t without_refresh(const struct sn_full_node *h, uint64_t t)
{
    uint64_t into = t % h->ps_refresh_period;

    return t / h->ps_refresh_period * (h->ps_refresh_period - h->ps_refresh) +
           (into > h->ps_refresh ? into - h->ps_refresh : 0);
}

/*
 * The controller is a pipeline.  Its counter of busy cycles runs from the moment
 * a request arrives until its reply has left, once for all that are in the
 * pipeline (thesis 6.1).  Cycles of refresh have a counter of their own.
 */
static void md_busy(struct sn_machine *m, unsigned node, bool mem,
                    uint64_t from, uint64_t to)
{
    struct sn_full_node *h = &sn_full(m)->node[node];
    uint64_t ps = sn_cal_cover(&h->busy, without_refresh(h, from),
                               without_refresh(h, to));

    if (mem) {
        m->node[node].busy_mem += ps;
    } else {
        m->node[node].busy_dir += ps;
    }
}

uint64_t sn_share_md(struct sn_machine *m, unsigned node, uint64_t t, bool mem,
                     bool write)
{
    struct sn_full_node *h = &sn_full(m)->node[node];
    uint64_t occ = m->node[node].ps[mem ? SN_P_MD_OCC : SN_P_MD_OCC_DIR];
    uint64_t into = t % h->ps_refresh_period, wanted = t, leave;

    if (mem && write != h->md_wrote) {
        h->md_wrote = write;
        occ += m->node[node].ps[SN_P_MD_TURN];
    }
    if (into < h->ps_refresh) {
        t += h->ps_refresh - into;
    }
    t = sn_cal_take(&h->md, t, occ);
    sn_waited(m, SN_WAIT_MEMORY, node, wanted, t);
    leave = mem && !write
                ? m->node[node].ps[SN_P_MD_READ] + m->node[node].ps[SN_P_LINE]
                : occ;
    md_busy(m, node, mem, wanted, t + leave);
    return t;
}

void sn_share_upack(struct sn_machine *m, unsigned node, uint64_t t)
{
    struct sn_cal *bus = &sn_full(m)->node[node].sysad;
    uint64_t occ = m->node[node].ps[SN_P_UPACK_OCC];

    sn_cal_take(bus, sn_cal_find(bus, t, occ * 3 / 4), occ);
}

/*
 * When the bus takes the beats of a line for the CPU that arrive at t, being held for
 * them `early` before.  Between two such there must be room for a request, or
 * replies one after the other would keep all requests out; and on the L2 bus
 * for the tag check that it comes from.  The write-back of an L1 line fits into
 * `early`.
 */
static uint64_t data_slot(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                          bool store, uint64_t early)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    uint64_t occ = c->ps[SN_P_DATA_OCC];
    uint64_t room = request_ps(m, c, store && !early);
    uint64_t check = c->ps[SN_P_L2_TAG] + sn_full(m)->cpu[c->index].ps_cycle;
    uint64_t fill = occ - n->ps_beats - check; /* from s to the check */
    uint64_t tail =
        n->ps_beats +
        (c->r12k ? 0
                 : c->ps[SN_P_FILL_TAIL] + (store ? c->ps[SN_P_RDEX_L1] : 0));
    uint64_t s = t, before;
    struct sn_data *d;

    if (n->sysad_last == c->index && !sn_full_of(m, c)->behind) {
        room += c->ps[c->r12k ? SN_P_REQ_SAME_R12K : SN_P_REQ_SAME_R10K];
    }
    n->sysad_last = c->index;
    do {
        before = s = sn_cal_find(&n->sysad, s, occ / 2);
        s = clear_of_data(n, s - early, early + occ, room) + early;
        if (!c->r12k) {
            s = sn_cal_find(&sn_full(m)->cpu[c->index].l2, s + fill,
                            check + tail) -
                fill;
        }
    } while (s != before);
    s -= early;
    d = &n->data[n->data_next++ % SN_DATA_RING];
    d->at = t - early;
    d->cpu = c->index;
    d->from = s;
    d->to = s + early + occ;
    n->data_upto = d->upto = d->to > n->data_upto ? d->to : n->data_upto;
    sn_cal_take(&n->sysad, s, early + occ);
    sn_waited(m, SN_WAIT_SYSAD, c->node, t, s + early);
    return s + early;
}

uint64_t sn_share_data(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                       bool store, bool dirty, bool net, uint64_t *word)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    uint64_t s = data_slot(m, c, t, store, net ? c->ps[SN_P_NET_OCC] : 0);
    uint64_t end = s + c->ps[SN_P_DATA_OCC];
    uint64_t first = end - n->ps_beats;

    *word = first_word(c, s);
    if (c->r12k) {
        /* Blocks of 32 bytes; a tag check fits before each (thesis 4.2.3). */
        unsigned blocks = m->line_bytes / 32;

        for (unsigned i = 0; i < blocks; i++) {
            uint64_t from =
                first + n->ps_beats * i / blocks + c->ps[SN_P_L2_TAG];

            sn_cal_book(&sn_full(m)->cpu[c->index].l2, from,
                        first + n->ps_beats * (i + 1) / blocks - from);
        }
    } else {
        sn_cal_book(&sn_full(m)->cpu[c->index].l2, first,
                    n->ps_beats + c->ps[SN_P_FILL_TAIL] +
                        (store ? c->ps[SN_P_RDEX_L1] : 0));
    }
    if (dirty) {
        sn_cal_book(&n->sysad, end, c->ps[SN_P_DONE_OCC]);
    }
    return end;
}

void sn_share_block(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                    uint64_t dur)
{
    sn_cal_book(&sn_full(m)->cpu[c->index].pi, t, dur);
}

uint64_t sn_share_ack(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                      bool next, uint64_t more)
{
    struct sn_full_node *n = &sn_full(m)->node[c->node];
    uint64_t s = t;

    sn_cal_take(&n->sysad, t, c->ps[SN_P_DONE_OCC]);

    if (next) {
        sn_share_block(m, c, s + c->ps[SN_P_ACK_USE],
                       c->ps[SN_P_ACK_NEXT] - c->ps[SN_P_ACK_USE] + more);
    }
    return s + c->ps[SN_P_ACK_USE];
}
