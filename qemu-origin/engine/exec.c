/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The atomic executor: runs one transaction to its end, message by message,
 * through the protocol's functions (proto.h), applying what they say to the
 * real directory and caches and adding up times along the way.  Nothing here
 * decides what a message does.
 *
 * Two-step reads (request, one reply, no third party), nine tenths of all
 * transactions, take a short cut that applies the same table row without
 * building messages.
 *
 * First stage of the time model: a transaction is alone but for those of the
 * same line, which follow each other.  Its parts run in parallel where the
 * hardware's do (speculative reply and intervention, invalidations of many
 * nodes); the requestor waits for the last.
 *
 * Second stage: the same walk, but each step waits for what it needs (full.h)
 * and constants that stood for waiting are left out.
 */
#include <string.h>

#include "full.h"
#include "machine.h"

/* One transaction under way.  Times are ps since the request was issued. */
struct tx {
    struct sn_machine *m;
    struct sn_cpu *cpu;         /* requestor, or NULL for an I/O unit */
    struct sn_cpu_line rq;      /* its buffers */
    struct sn_chunk *ch;
    uint64_t pa;
    uint64_t now;               /* ticks */
    sn_agent req, home_agent;
    unsigned home, rnode;
    const uint32_t *ps;         /* requestor's parts */
    uint64_t base;              /* second stage: when it was issued */
    uint64_t t_data, t_ack, t_rev;      /* arrivals: data, acknowledge, revision */
    uint64_t t_word;            /* second stage: the first word is there */
    uint64_t home_wait, owner_wait;     /* the line changed hands lately */
    enum sn_event ev;
    uint8_t owner_state;        /* MESI that an intervention found */
    bool intervened, invalidated, backoff, shwb;
    bool acks;                  /* IVACKs came, completion not yet charged */
    unsigned type;
};

static void to_requestor(struct tx *t, const struct sn_msg *in, uint64_t at);
static void to_home(struct tx *t, const struct sn_msg *in, uint64_t at);

/* ---- counting what moves ---- */

static void pass(struct sn_machine *m, unsigned from, unsigned to, unsigned type,
                 uint64_t now)
{
    if (from != to) {
        sn_router_pass(m, from, to, sn_packets(type), sn_msg_vc(type), now);
    }
}

/* An I/O unit's message crosses between II and crossbar (thesis table 5.3). */
static void count_ii(struct sn_node *n, bool tx, unsigned type)
{
    unsigned data = sn_msg_data[type] ? SN_LINE_SIZE / 8 : 0;

    if (tx) {
        n->io.xbar_tx += 1 + data;
        n->io.xbar_tx_data += data;
    } else {
        n->io.xbar_rx += 1 + data;
        n->io.xbar_rx_data += data;
    }
}

static const uint8_t rd_state_of_col[SN_NCOL] = {
    [SN_COL_UOWN] = 0, [SN_COL_SHRD] = 1, [SN_COL_SHRD_ME] = 1,
    [SN_COL_EXCL_ME] = 2, [SN_COL_EXCL] = 3, [SN_COL_BUSYS] = 4,
    [SN_COL_BUSYS_ME] = 4, [SN_COL_BUSYS_IO] = 4, [SN_COL_BUSYE] = 4,
    [SN_COL_BUSYE_ME] = 4, [SN_COL_WAIT] = 4, [SN_COL_POIS] = 5,
};

/* A request reaches the MD: everything that is counted about it there. */
static void count_request(struct tx *t, const struct sn_msg *in, unsigned col)
{
    struct sn_node *h = &t->m->node[t->home];
    bool local = sn_agent_node(in->src) == t->home;
    bool io = sn_agent_is_io(in->src);

    switch (in->type) {
    case SN_WB:
    case SN_WBP:
        if (local) {
            h->local[io ? 5 : 2 * sn_agent_unit(in->src) + 1]++;
        }
        break;
    case SN_WINV:
        if (local) {
            h->local[5]++;
        }
        break;
    default:
        h->rd_state[rd_state_of_col[col]]++;
        if (local && in->type != SN_UPGRD) {
            h->local[io ? 4 : 2 * sn_agent_unit(in->src)]++;
        }
        sn_refcnt(t->m, t->home, t->ch, t->pa, in->src, t->now);
    }
}

static void count_occupancy(struct sn_node *h, const struct sn_home_row *r)
{
    if (r->mem == SN_MEM_NO) {
        h->occ_dir++;
    } else {
        h->occ_mem++;
    }
}

/* ---- steps on the way; `at` and results are ps since the request ---- */

static inline uint64_t travel(struct tx *t, unsigned from, unsigned to, unsigned type,
                              uint64_t at)
{
    struct sn_machine *m = t->m;

    if (m->full && from != to) {
        return sn_full_net(m, from, to, type == SN_INVAL ? 0 : sn_packets(type),
                           t->base + at) - t->base;
    }
    return at + sn_net(m, from, to);
}

static inline uint64_t sysad(struct tx *t, unsigned node, uint64_t at, uint32_t occupied)
{
    return t->m->full ?
        sn_cal_take(&t->m->node[node].cal_sysad, t->base + at, occupied) - t->base : at;
}

/* ---- owner and sharers ---- */

static void cpu_line_init(struct sn_cpu_line *l, unsigned mesi, bool premium)
{
    memset(l, 0, sizeof(*l));
    l->mesi = (uint8_t)mesi;
    l->iv = SN_NOMSG;
    l->prio_max = premium ? 15 : 1;
}

/* An intervention at the owner's PI, arriving at `at`. */
static void to_owner(struct tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    unsigned on = sn_agent_node(in->dst);
    struct sn_cpu *o = sn_agent_unit(in->dst) < SN_NODE_CPUS && on < m->nnodes ?
        &m->cpu[on * SN_NODE_CPUS + sn_agent_unit(in->dst)] : NULL;
    struct sn_cpu_line l;
    struct sn_out out = { .n = 0 };
    uint64_t leave;

    if (on >= m->nnodes) {
        return;         /* a pointer that a back-door write invented */
    }
    leave = sysad(t, on, at > t->owner_wait ? at : t->owner_wait, t->ps[SN_P_INT_OCC]) +
            t->ps[SN_P_SNOOP];
    m->node[on].pi_recv[in->type]++;
    t->intervened = true;
    t->owner_state = o && o->present ? (uint8_t)sn_cpu_state(o, t->pa) : SN_I;
    cpu_line_init(&l, t->owner_state, true);
    sn_cpu_step(&l, in, in->dst, t->home_agent, &out);
    if (o && o->present) {
        sn_ev(m, o, SN_EV_R10K_EXT_INTERVENTION, 1);
        if (t->owner_state != SN_I) {
            sn_ev(m, o, SN_EV_R10K_EXT_INTERVENTION_HIT, 1);
        }
        if (l.mesi == SN_I) {
            sn_cpu_drop(m, o, t->pa);
        } else {
            sn_cpu_downgrade(m, o, t->pa);
        }
    }
    if (on == t->rnode) {
        leave += t->ps[SN_P_SNOOP_BUS];
    }
    if (m->full && t->owner_state == SN_I && o && o->present) {
        leave += o->ps[SN_P_L2_WAY];            /* both ways were looked at */
    }
    if (t->owner_state == SN_M) {
        bool down = in->type == SN_IRDSH;

        if (m->full) {
            leave += o->ps[SN_P_DIRTY] - o->ps[SN_P_DIRTY_BUS] +
                     (o->r12k || down ? 0 : o->ps[SN_P_DIRTY_R10K]);
            leave = sysad(t, on, leave, t->ps[SN_P_DIRTY_OCC]) + o->ps[SN_P_DIRTY_BUS];
        } else {
            leave += o->ps[SN_P_DIRTY];
            if (down) {
                leave += o->ps[SN_P_SHWB];
            } else if (!o->r12k) {
                leave += o->ps[SN_P_DIRTY_R10K];
            }
        }
        t->shwb = down;
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *a = &out.m[i];
        unsigned to = sn_agent_node(a->dst);

        m->node[on].pi_sent[a->type]++;
        pass(m, on, to, a->type, t->now);
        if (sn_msg_class[a->type] == SN_CLS_REV) {
            to_home(t, a, travel(t, on, to, a->type, leave + t->ps[SN_P_XBAR]));
        } else {
            to_requestor(t, a, travel(t, on, to, a->type, leave + t->ps[SN_P_XBAR]));
        }
    }
}

/* The network interface of `from` makes one INVAL a node (thesis 3.2.2). */
static void to_sharers(struct tx *t, const struct sn_msg *in, unsigned from,
                       uint64_t at)
{
    struct sn_machine *m = t->m;
    unsigned n = sn_vec_next(in->vec, in->oct, in->coarse, 0, m->nnodes);
    uint64_t vector = 0;

    t->invalidated = true;
    if (m->full && (n < m->nnodes && (n != from || sn_vec_count(in->vec, in->oct, in->coarse,
                                                                m->nnodes) > 1))) {
        uint64_t ready = at + t->ps[SN_P_XBAR];

        vector = sn_full_vector(m, from, t->base + ready) - t->base - ready;
    }
    for (; n < m->nnodes;
         n = sn_vec_next(in->vec, in->oct, in->coarse, n + 1, m->nnodes)) {
        struct sn_msg ack = { .type = SN_IVACK, .dst = in->req, .req = in->req,
                              .src = sn_agent_make(n, SN_AG_A) };
        uint64_t arrive = travel(t, from, n, SN_INVAL,
                                 at + t->ps[SN_P_XBAR] + (n == from ? 0 : vector));
        uint64_t leave = sysad(t, n, arrive, t->ps[SN_P_INV_OCC]) + t->ps[SN_P_INVAL];

        m->node[from].ni_inval++;
        pass(m, from, n, SN_INVAL, t->now);
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            struct sn_cpu *c = &m->cpu[n * SN_NODE_CPUS + s];
            struct sn_cpu_line l;
            struct sn_out none = { .n = 0 };
            unsigned st;

            if (!c->present || c->agent == in->req) {
                continue;
            }
            st = sn_cpu_state(c, t->pa);
            cpu_line_init(&l, st, true);
            sn_ev(m, c, SN_EV_R10K_EXT_INVALIDATION, 1);
            if (sn_cpu_step(&l, in, c->agent, t->home_agent, &none) ==
                SN_EV_ILLEGAL) {
                m->node[t->home].proto_err |= 1ull << 63;
                continue;
            }
            if (st != SN_I) {
                sn_ev(m, c, SN_EV_R10K_EXT_INVALIDATION_HIT, 1);
                sn_cpu_drop(m, c, t->pa);
            }
        }
        if (n == t->rnode) {
            leave += t->ps[SN_P_SNOOP_BUS];
            if (t->type != SN_UPGRD) {
                leave += t->ps[SN_P_INVAL_DATA];
            }
        }
        m->node[n].pi_recv[SN_INVAL]++;
        m->node[n].pi_sent[SN_IVACK]++;
        pass(m, n, t->rnode, SN_IVACK, t->now);
        to_requestor(t, &ack, travel(t, n, t->rnode, SN_IVACK, leave + t->ps[SN_P_XBAR]));
        if (!m->full) {
            at += sn_parts[SN_P_INVAL_NI].ps;   /* else the NI itself says when */
        }
    }
}

/* ---- requestor ---- */

/* Second stage: a reply at the requestor's PI. */
static void full_arrival(struct tx *t, const struct sn_msg *in, uint64_t at)
{
    bool excl = t->type == SN_RDEX;
    bool owner_data = t->intervened && t->owner_state == SN_M &&
        (in->type == SN_SRESP || in->type == SN_ERESP);
    uint64_t word, end;

    if (sn_msg_data[in->type]) {
        end = sn_full_data(t->m, t->cpu, t->base + at, excl, owner_data,
                           sn_agent_node(in->src) != t->rnode, &word) - t->base;
        word -= t->base;
        t->t_word = word > t->t_word ? word : t->t_word;
        t->t_data = end > t->t_data ? end : t->t_data;
        if (t->shwb && owner_data) {
            sn_full_block(t->cpu, t->base + word, end - word + t->cpu->ps[SN_P_SHWB_NEXT]);
        }
        return;
    }
    if (in->type == SN_IVACK || in->type == SN_UPACK) {
        /* The last one completes the transaction. */
        if (in->type == SN_IVACK) {
            at = sysad(t, t->rnode, at, t->ps[SN_P_IVACK_OCC]);
        }
        t->t_ack = at > t->t_ack ? at : t->t_ack;
        t->acks = true;
        return;
    }
    if (in->type == SN_SACK || in->type == SN_EACK) {
        end = sn_full_ack(t->m, t->cpu, t->base + at, true,
                          excl && t->cpu->r12k ? t->cpu->ps[SN_P_RDEX_CEX_R12K] : 0) - t->base;
        t->t_ack = end > t->t_ack ? end : t->t_ack;
        return;
    }
    if (in->type == SN_WBACK || in->type == SN_WBBAK) {
        sn_full_wback(t->m, t->rnode, t->base + at);
    }
    t->t_ack = at > t->t_ack ? at : t->t_ack;
}

static void to_requestor(struct tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    struct sn_out out = { .n = 0 };
    enum sn_event ev;

    m->node[t->rnode].pi_recv[in->type]++;
    if (!t->cpu) {
        count_ii(&m->node[t->rnode], false, in->type);
    }
    if (m->full && t->cpu) {
        full_arrival(t, in, at);
    } else if (sn_msg_data[in->type]) {
        uint64_t done = at + (t->cpu ? t->ps[SN_P_DATA] : t->ps[SN_P_II]);

        if (t->cpu && !t->cpu->r12k && !t->shwb) {
            done += t->cpu->ps[SN_P_DATA_R10K];
        }
        t->t_data = done > t->t_data ? done : t->t_data;
    } else {
        uint64_t done = at + (t->cpu ? t->ps[SN_P_ACK] : t->ps[SN_P_II]);

        t->t_ack = done > t->t_ack ? done : t->t_ack;
    }
    ev = sn_cpu_step(&t->rq, in, t->req, t->home_agent, &out);
    if (ev != SN_EV_NONE) {
        t->ev = ev;
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *o = &out.m[i];

        /* backoff: what the home could not send */
        if (o->type == SN_INVAL) {
            to_sharers(t, o, t->rnode, at);
        } else {
            unsigned to = sn_agent_node(o->dst);

            m->node[t->rnode].pi_sent[o->type]++;
            if (to < m->nnodes) {
                pass(m, t->rnode, to, o->type, t->now);
                to_owner(t, o, travel(t, t->rnode, to, o->type, at + t->ps[SN_P_XBAR]));
            }
        }
    }
}

/* ---- home ---- */

/*
 * Is the outgoing queue too full for forwarded messages (thesis 4.1.3)?  The
 * network interface makes one in INVAL_NI; requests come with clocks that
 * disagree, so the queue is judged by stretches of time: it is full when more
 * was put in than a stretch can send and the queue (MD_MOQ_SIZE) can hold.
 */
static bool queue_full(const struct sn_machine *m, const struct sn_node *h,
                       uint64_t at)
{
    return h->oq_bucket == at / m->oq_ticks &&
           h->oq_count > m->oq_capacity + (h->moq & 0x1f);
}

static void queue_add(const struct sn_machine *m, struct sn_node *h, uint64_t at,
                      unsigned n)
{
    uint64_t bucket = at / m->oq_ticks;

    if (bucket > h->oq_bucket) {
        uint64_t left = h->oq_count > m->oq_capacity && bucket == h->oq_bucket + 1 ?
            h->oq_count - m->oq_capacity : 0;

        h->oq_bucket = bucket;
        h->oq_count = left;
    }
    h->oq_count += n;
}

static void to_home(struct tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    struct sn_node *h = &m->node[t->home];
    unsigned line = sn_line_index(t->pa);
    uint64_t tick;
    const struct sn_home_row *r;
    struct sn_dirent e;
    struct sn_out out = { .n = 0 };

    h->md_recv[in->type]++;
    sn_dirent_load(&e, t->ch, line);
    if (sn_msg_class[in->type] == SN_CLS_REQ) {
        count_request(t, in, sn_home_col(&e, in->src));
        at = at > t->home_wait ? at : t->home_wait;
    } else {
        t->t_rev = at;
    }
    if (m->full) {
        bool mem = sn_msg_data[in->type] || (sn_msg_class[in->type] == SN_CLS_REQ &&
                                             in->type != SN_UPGRD);

        at = sn_full_md(m, t->home, t->base + at, mem, sn_msg_data[in->type]) - t->base;
    }
    tick = t->now + sn_to_ticks(m, at);
    r = sn_home_step(&e, in, t->home_agent, m->full ? sn_full_queue_full(m, t->home, t->base + at) :
                     queue_full(m, h, tick), m->nnodes,
                     NULL, &out);
    if (!r->legal) {
        if (h->proto_err >> 63) {
            h->proto_err |= 1;                      /* overrun */
        } else {                                    /* hubmd.h proto_error_reg */
            h->proto_err = 1ull << 63 | (uint64_t)in->src << 50 |
                (uint64_t)in->type << 40 | (uint64_t)e.state << 33 |
                (uint64_t)(e.ptr == in->src) << 32 | (t->pa & 0xfffffff8u);
        }
        t->ev = t->ev == SN_EV_NONE ? SN_EV_ILLEGAL : t->ev;
        return;
    }
    count_occupancy(h, r);
    sn_dirent_store(&h->dir, t->ch, line, &e);
    /*
     * INVALs need the directory only; they leave before the data, which would
     * keep the network interface (thesis 4.3.4).
     */
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *o = &out.m[i];

        if (o->type == SN_INVAL) {
            h->md_sent[o->type]++;
            queue_add(m, h, tick, sn_vec_count(o->vec, o->oct, o->coarse, m->nnodes));
            to_sharers(t, o, t->home, at + t->ps[SN_P_MD_DIR]);
        }
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *o = &out.m[i];
        unsigned to = sn_agent_node(o->dst);
        uint64_t leave = at + t->ps[sn_msg_data[o->type] ? SN_P_MD_READ : SN_P_MD_DIR];

        if (o->type == SN_INVAL) {
            continue;
        }
        h->md_sent[o->type]++;
        if (to >= m->nnodes) {
            continue;
        }
        pass(m, t->home, to, o->type, t->now);
        leave = travel(t, t->home, to, o->type, leave + t->ps[SN_P_XBAR]);
        if (sn_msg_class[o->type] == SN_CLS_IVN) {
            queue_add(m, h, tick, 1);
            to_owner(t, o, leave);
        } else {
            if (o->type == SN_BINV || o->type == SN_BRDSH || o->type == SN_BRDEX) {
                t->backoff = true;
            }
            to_requestor(t, o, leave);
        }
    }
}

/* ---- a whole transaction ---- */

static void truth(struct sn_machine *m, struct sn_cpu *c, unsigned tx, bool remote,
                  bool backoff, uint64_t ps)
{
    uint64_t ns = ps / 1000;
    unsigned bin = ns / SN_LAT_BIN_NS < SN_LAT_BINS ?
        (unsigned)(ns / SN_LAT_BIN_NS) : SN_LAT_BINS - 1;

    c->truth.tx[tx][remote]++;
    c->truth.backoff += backoff;
    c->truth.lat_ns_sum[tx] += ns;
    c->truth.hist[bin]++;
    (void)m;
}

static uint64_t to_ps(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000000u / m->tick_hz);
}

/* What the line's last transfer makes this request wait for. */
static void recall(struct tx *t)
{
    unsigned line = sn_line_index(t->pa);
    uint64_t number = (t->pa & 0xffffffffu) >> SN_LINE_SHIFT;
    const struct sn_recent *r = &t->m->node[t->home].recent[number % SN_RECENT];

    if (!(t->ch->st[line] & SN_ST_RECENT)) {
        return;
    }
    if (r->line != number || (r->home_ready <= t->now && r->owner_ready <= t->now)) {
        t->ch->st[line] &= (uint16_t)~SN_ST_RECENT;
        return;
    }
    if (r->home_ready > t->now) {
        t->home_wait = to_ps(t->m, r->home_ready - t->now);
    }
    if (r->owner_ready > t->now) {
        t->owner_wait = to_ps(t->m, r->owner_ready - t->now);
    }
}

static void remember(struct tx *t)
{
    uint64_t number = (t->pa & 0xffffffffu) >> SN_LINE_SHIFT;
    struct sn_recent *r = &t->m->node[t->home].recent[number % SN_RECENT];
    uint64_t end = t->t_data > t->t_ack ? t->t_data : t->t_ack;

    r->line = number;
    r->owner_ready = t->now + sn_to_ticks(t->m, end);
    r->home_ready = t->now + sn_to_ticks(t->m, t->t_rev);
    t->ch->st[sn_line_index(t->pa)] |= SN_ST_RECENT;
}

static bool tx_init(struct tx *t, struct sn_machine *m, sn_agent req, uint64_t pa,
                    unsigned type, uint64_t now, uint64_t at)
{
    int home = sn_home(m, pa);

    memset(t, 0, sizeof(*t));
    t->m = m;
    t->req = req;
    t->rnode = sn_agent_node(req);
    t->cpu = sn_agent_is_io(req) ? NULL :
        &m->cpu[t->rnode * SN_NODE_CPUS + sn_agent_unit(req)];
    t->ps = m->node[t->rnode].ps;
    t->pa = pa & ~(uint64_t)(SN_LINE_SIZE - 1);
    t->now = now;
    t->base = at;
    t->type = type;
    if (home < 0) {
        return false;
    }
    t->home = (unsigned)home;
    t->home_agent = sn_agent_make(t->home, SN_AG_RSVD);
    t->ch = sn_chunk_get(&m->node[t->home].dir, pa);
    cpu_line_init(&t->rq, SN_I, m->node[t->home].dir.premium);
    return t->ch != NULL;
}

/* Send one request of the requestor's buffer to the home and let it run. */
static void launch(struct tx *t, const struct sn_msg *msg, uint64_t at)
{
    struct sn_machine *m = t->m;

    m->node[t->rnode].pi_sent[msg->type]++;
    if (!t->cpu) {
        count_ii(&m->node[t->rnode], true, msg->type);
    }
    pass(m, t->rnode, t->home, msg->type, t->now);
    t->ev = SN_EV_NONE;
    if (m->full && t->cpu) {
        if (sn_msg_data[msg->type]) {           /* a write-back */
            at = sn_full_writeback(m, t->rnode, t->base + at) - t->base;
        } else {
            at = sn_full_request(m, t->cpu, t->base + at, msg->type == SN_RDEX) - t->base;
        }
    }
    to_home(t, msg, travel(t, t->rnode, t->home, msg->type,
                           at + t->ps[t->cpu ? SN_P_ISSUE : SN_P_II] + t->ps[SN_P_XBAR]));
}

static unsigned classify(const struct tx *t)
{
    if (t->ev == SN_EV_BERR || t->ev == SN_EV_ILLEGAL) {
        return SN_TX_BERR;
    }
    if (t->intervened) {
        if (t->owner_state == SN_M) {
            return t->shwb ? SN_TX_DEX_DOWN : SN_TX_DEX_XFER;
        }
        return t->owner_state == SN_I ? SN_TX_CEX_MISS : SN_TX_CEX_HIT;
    }
    if (t->invalidated) {
        return t->type == SN_UPGRD ? SN_TX_UPGRADE : SN_TX_INVAL;
    }
    return t->rq.mesi == SN_S ? SN_TX_SHARED : SN_TX_UNOWNED;
}

/* Second stage: completion after the last IVACK; times into the outcome. */
static uint64_t finish_full(struct tx *t, struct sn_outcome *o)
{
    uint64_t done;

    if (t->cpu && t->acks) {
        t->t_ack = sn_full_ack(t->m, t->cpu, t->base + t->t_ack, !t->cpu->r12k, 0) - t->base;
    }
    done = t->t_word > t->t_ack ? t->t_word : t->t_ack;
    o->word = t->base + (t->intervened ? done : t->t_word ? t->t_word : done);
    o->done = t->base + done;
    o->data = t->base + (t->t_data > done ? t->t_data : done);
    return done;
}

/* The requestor goes on when data and acknowledgements are there. */
static uint64_t finish_time(const struct tx *t)
{
    const struct sn_cpu *c = t->cpu;
    uint64_t data = t->t_data, ack = t->t_ack, ps;
    bool excl = t->type == SN_RDEX || t->type == SN_UPGRD;

    if (c && c->r12k && t->invalidated) {
        /* Stores wait in the R12000's longer queues (timing.h.inc). */
        if (t->type == SN_UPGRD) {
            uint64_t most = c->ps[SN_P_UPGRD_R12K];

            ack -= ack / 2 < most ? ack / 2 : most;
        } else {
            ack -= ack > c->ps[SN_P_STORE_R12K] ? c->ps[SN_P_STORE_R12K] : ack;
        }
    }
    ps = data > ack ? data : ack;
    if (c && excl && t->type == SN_RDEX) {
        if (!c->r12k) {
            ps += c->ps[SN_P_RDEX_R10K];
        } else if (t->intervened) {
            ps += c->ps[SN_P_RDEX_CEX_R12K];
        }
    }
    return ps;
}

static uint64_t transact_full(struct sn_machine *m, sn_agent req, uint64_t pa,
                              unsigned type, uint64_t now, uint64_t at,
                              struct sn_outcome *o)
{
    struct tx t;
    struct sn_out out = { .n = 0 };
    uint64_t ps;

    if (!tx_init(&t, m, req, pa, type, now, at)) {
        o->flags = SN_F_BUSERR;
        o->mesi = SN_I;
        o->tx = SN_TX_BERR;
        o->word = o->done = o->data = at;
        if (t.cpu) {
            truth(m, t.cpu, SN_TX_BERR, true, false, 0);
        }
        return 0;
    }
    if (type == SN_UPGRD) {
        t.rq.mesi = SN_S;
    }
    recall(&t);
    sn_cpu_request(&t.rq, type, req, t.home_agent, &out);
    launch(&t, &out.m[0], 0);
    /* Refused: only a line left busy through the back door, or an upgrade
     * whose sharer bit was overwritten there; the second try is an RDEX. */
    for (unsigned tries = 0; t.ev == SN_EV_RETRY && tries < 64; tries++) {
        uint64_t again = t.t_data > t.t_ack ? t.t_data : t.t_ack;

        if (t.rq.req == SN_UPGRD) {
            t.rq.mesi = SN_I;
            t.rq.req = SN_RDEX;
        }
        out.n = 0;
        sn_cpu_request(&t.rq, t.rq.req, req, t.home_agent, &out);
        launch(&t, &out.m[0], again);
    }
    o->flags = 0;
    o->mesi = t.rq.mesi;
    if (t.ev == SN_EV_ONCE) {
        o->flags |= SN_F_ONCE;
    } else if (t.ev != SN_EV_DONE) {
        o->flags |= SN_F_BUSERR;
        o->mesi = SN_I;
    }
    o->tx = (uint8_t)classify(&t);
    ps = m->full && t.cpu ? finish_full(&t, o) : finish_time(&t);
    if (t.intervened || t.invalidated) {
        remember(&t);
    }
    if (t.cpu) {
        truth(m, t.cpu, o->tx, t.home != t.rnode, t.backoff, ps);
    } else {
        m->node[t.rnode].ii_tx[o->tx]++;
    }
    return ps;
}

/* Rows of the short cut: one reply with data to the requestor, no memory
 * write, nobody else involved. */
static inline bool two_step(const struct sn_home_row *r)
{
    return r->legal && r->out2 == SN_NOMSG &&
           (r->out1 == SN_SRPLY || r->out1 == SN_ERPLY);
}

/* Second stage: the time of a short cut's request and reply. */
static void full_two_step(struct sn_machine *m, struct sn_cpu *c, unsigned home,
                          unsigned type, uint64_t at, struct sn_outcome *o)
{
    const uint32_t *ps = m->node[c->node].ps;
    uint64_t t = sn_full_request(m, c, at, type == SN_RDEX) + ps[SN_P_ISSUE] + ps[SN_P_XBAR];

    if (home != c->node) {
        t = sn_full_net(m, c->node, home, 1, t);
    }
    t = sn_full_md(m, home, t, true, false) + ps[SN_P_MD_READ] + ps[SN_P_XBAR];
    if (home != c->node) {
        t = sn_full_net(m, home, c->node, 9, t);
    }
    o->data = sn_full_data(m, c, t, type == SN_RDEX, false, home != c->node, &o->word);
    o->done = o->word;
}

uint64_t sn_transact(struct sn_machine *m, sn_agent req, uint64_t pa,
                     unsigned type, uint64_t now, struct sn_outcome *o)
{
    return sn_transact_at(m, req, pa, type, now, sn_abs_ps(m, now), o);
}

uint64_t sn_transact_at(struct sn_machine *m, sn_agent req, uint64_t pa, unsigned type,
                        uint64_t now, uint64_t at, struct sn_outcome *o)
{
    const struct sn_home_row *r;
    struct sn_node *h, *rn;
    struct sn_chunk *ch;
    struct sn_cpu *c;
    unsigned line, st, state, col, rnode, rd;
    int home = sn_home(m, pa);
    uint64_t vec, ps;

    if (type > SN_RDEX || home < 0 || sn_agent_is_io(req) || m->no_short_cut) {
        return transact_full(m, req, pa, type, now, at, o);
    }
    h = &m->node[home];
    ch = sn_chunk_get(&h->dir, pa);
    if (sn_unlikely(!ch)) {
        return transact_full(m, req, pa, type, now, at, o);
    }
    line = sn_line_index(pa);
    st = ch->st[line];
    vec = sn_vec_get(ch, line);
    state = (st ^ SN_UOWN) & SN_ST_STATE;
    rnode = sn_agent_node(req);
    switch (state) {
    case SN_UOWN: col = SN_COL_UOWN; rd = 0; break;
    case SN_EXCL:
        col = vec == req ? SN_COL_EXCL_ME : SN_COL_EXCL;
        rd = 2;
        break;
    case SN_SHRD:
        rd = 1;
        if (!(st & SN_ST_COARSE) && (st >> SN_ST_OCT_SHIFT & 7) == rnode >> 6) {
            col = vec >> (rnode & 63) & 1 ? SN_COL_SHRD_ME : SN_COL_SHRD;
            break;
        }
        /* fall through */
    default:
        return transact_full(m, req, pa, type, now, at, o);
    }
    r = &sn_home_rows[0][type][col];
    if (!two_step(r) || (st & (SN_ST_PRIO | SN_ST_RECENT))) {
        return transact_full(m, req, pa, type, now, at, o);
    }

    switch (r->dir) {
    case SN_DIR_OWN: vec = req; break;
    case SN_DIR_ADD: vec |= 1ull << (rnode & 63); break;
    case SN_DIR_ONE:
        vec = 1ull << (rnode & 63);
        st = (st & SN_ST_AX) | (rnode >> 6) << SN_ST_OCT_SHIFT;
        break;
    }
    sn_vec_put(&h->dir, ch, line, vec);
    ch->st[line] = (uint16_t)((st & ~SN_ST_STATE) | (r->next ^ SN_UOWN));

    rn = &m->node[rnode];
    c = &m->cpu[rnode * SN_NODE_CPUS + sn_agent_unit(req)];
    rn->pi_sent[type]++;
    h->md_recv[type]++;
    h->md_sent[r->out1]++;
    rn->pi_recv[r->out1]++;
    h->rd_state[rd]++;
    h->occ_mem++;
    sn_refcnt(m, (unsigned)home, ch, pa, req, now);
    ps = type == SN_RDEX ? c->fix_rdex : c->fix_read;
    if ((unsigned)home == rnode) {
        h->local[2 * sn_agent_unit(req)]++;
    } else {
        ps += 2ull * sn_net(m, rnode, (unsigned)home);
        sn_router_pass(m, rnode, (unsigned)home, 1, sn_msg_vc(type), now);
        sn_router_pass(m, (unsigned)home, rnode, 9, SN_VC_RPL, now);
    }
    o->flags = 0;
    o->mesi = type == SN_RDEX ? SN_M : r->out1 == SN_ERPLY ? SN_E : SN_S;
    o->tx = rd == 1 ? SN_TX_SHARED : SN_TX_UNOWNED;
    if (m->full) {
        full_two_step(m, c, (unsigned)home, type, at, o);
        ps = o->word - at;
    }
    truth(m, c, o->tx, (unsigned)home != rnode, false, ps);
    return ps;
}

/* Short cut of a processor's write-back of a line that the directory says it owns. */
static bool writeback_quick(struct sn_machine *m, sn_agent req, uint64_t pa,
                            uint64_t now, uint64_t at, uint64_t *ps)
{
    const struct sn_home_row *r = &sn_home_rows[0][SN_WB][SN_COL_EXCL_ME];
    int home = sn_home(m, pa);
    unsigned line = sn_line_index(pa), rnode = sn_agent_node(req);
    struct sn_node *h, *rn;
    struct sn_chunk *ch;
    struct sn_cpu *c;

    if (home < 0 || sn_agent_is_io(req) || m->no_short_cut) {
        return false;
    }
    h = &m->node[home];
    ch = sn_chunk_peek(&h->dir, pa);
    if (!ch || ((ch->st[line] ^ SN_UOWN) & SN_ST_STATE) != SN_EXCL ||
        sn_vec_get(ch, line) != req || r->dir != SN_DIR_CLR || r->out2 != SN_NOMSG) {
        return false;
    }
    sn_vec_put(&h->dir, ch, line, 0);
    ch->st[line] = (uint16_t)((ch->st[line] & (SN_ST_PRIO | SN_ST_AX | SN_ST_RECENT)) |
                              (r->next ^ SN_UOWN));
    rn = &m->node[rnode];
    c = &m->cpu[rnode * SN_NODE_CPUS + sn_agent_unit(req)];
    rn->pi_sent[SN_WB]++;
    h->md_recv[SN_WB]++;
    h->md_sent[r->out1]++;
    rn->pi_recv[r->out1]++;
    h->occ_mem++;
    c->truth.wb[(unsigned)home != rnode]++;
    *ps = (uint64_t)rn->ps[SN_P_ISSUE] + 2ull * rn->ps[SN_P_XBAR] + rn->ps[SN_P_MD_DIR] +
          rn->ps[SN_P_ACK];
    if ((unsigned)home == rnode) {
        h->local[2 * sn_agent_unit(req) + 1]++;
    } else {
        *ps += 2ull * sn_net(m, rnode, (unsigned)home);
        sn_router_pass(m, rnode, (unsigned)home, 9, sn_msg_vc(SN_WB), now);
        sn_router_pass(m, (unsigned)home, rnode, 1, sn_msg_vc(r->out1), now);
    }
    if (m->full) {
        at = sn_full_writeback(m, rnode, at) + rn->ps[SN_P_ISSUE] + rn->ps[SN_P_XBAR];
        if ((unsigned)home != rnode) {
            at = sn_full_net(m, rnode, (unsigned)home, 9, at);
        }
        at = sn_full_md(m, (unsigned)home, at, true, true) + rn->ps[SN_P_MD_DIR];
        if ((unsigned)home != rnode) {
            at = sn_full_net(m, (unsigned)home, rnode, 1, at);
        }
        sn_full_wback(m, rnode, at + rn->ps[SN_P_XBAR]);
    }
    return true;
}

uint64_t sn_writeback(struct sn_machine *m, sn_agent req, uint64_t pa,
                      unsigned type, uint64_t now)
{
    return sn_writeback_at(m, req, pa, type, now, sn_abs_ps(m, now));
}

uint64_t sn_writeback_at(struct sn_machine *m, sn_agent req, uint64_t pa, unsigned type,
                         uint64_t now, uint64_t at)
{
    struct tx t;
    struct sn_out out = { .n = 0 };
    uint64_t ps;

    if (type == SN_WB && writeback_quick(m, req, pa, now, at, &ps)) {
        return ps;
    }
    if (!tx_init(&t, m, req, pa, type, now, at)) {
        return 0;
    }
    t.rq.mesi = SN_M;
    sn_cpu_writeback(&t.rq, type, req, t.home_agent, &out);
    if (t.cpu) {
        t.cpu->truth.wb[t.home != t.rnode]++;
    }
    launch(&t, &out.m[0], 0);
    return t.t_ack;
}
