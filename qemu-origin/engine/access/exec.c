/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The atomic executor.  It runs one transaction to its end, message by message,
 * through the protocol's functions (proto.h), applies what they say to the
 * directory and the caches, counts what the hardware counts, and asks the time
 * model (time/model.h) how long each step takes.  Nothing here decides what a
 * message does.
 *
 * Nine tenths of all transactions are reads that the home answers alone, or
 * write-backs by the owner.  These take a short cut: it applies the same table
 * row by the same function, without building messages.
 *
 * A transaction does not interleave with others.  On the hardware it might meet
 * another one that is still under way for the same line.  Here it only waits for
 * as long as that one would have kept it: see struct sn_recent.
 *
 * If an observer wants the messages, the functions here note each one's way (seen.h)
 * and tell it when it is taken (tell.h).  `parent` and `me` are numbers of messages,
 * 0 without an observer.  Almost always nobody does, and looking that up at each step
 * took 4 % of the instructions of a miss.  So this file is compiled twice: exec_seen.c
 * is the one that notes messages.
 */
#include <string.h>

#include "access/exec.h"

#include "access/evict.h"
#include "access/order.h"
#include "access/tell.h"
#include "counters/refcnt.h"
#include "counters/router.h"
#include "time/model.h"

#ifdef SN_EXEC_SEEN
#define seen_of(m) ((m)->seen)
#else
#define seen_of(m) ((struct sn_seen *)NULL)
#endif

static void to_requestor(struct sn_tx *t, const struct sn_msg *in, uint64_t at);
static void to_home(struct sn_tx *t, const struct sn_msg *in, uint64_t at);

/* ---- counting what moves ---- */

static void pass(struct sn_machine *m, unsigned from, unsigned to,
                 unsigned type, uint64_t now)
{
    if (from != to) {
        sn_router_pass(m, from, to, sn_packets(m, type), sn_msg_vc(type), now);
    }
}

/* An I/O unit's message crosses between II and crossbar (thesis table 5.3). */
static void count_ii(const struct sn_machine *m, struct sn_node *n, bool tx,
                     unsigned type)
{
    unsigned data = sn_msg_data[type] ? m->line_bytes / 8 : 0;

    if (tx) {
        n->io.xbar_tx += 1 + data;
        n->io.xbar_tx_data += data;
    } else {
        n->io.xbar_rx += 1 + data;
        n->io.xbar_rx_data += data;
    }
}

/* A read request reaches the MD: what is counted about it there. */
static inline void count_read(struct sn_machine *m, unsigned home,
                              struct sn_chunk *ch, uint64_t pa, sn_agent src,
                              unsigned type, unsigned col, uint64_t now)
{
    struct sn_node *h = &m->node[home];

    h->rd_state[sn_col_md_state[col]]++;
    if (sn_agent_node(src) == home && type != SN_UPGRD) {
        h->local[sn_agent_is_io(src) ? 4 : 2 * sn_agent_unit(src)]++;
    }
    sn_refcnt(m, home, ch, pa, src, now);
}

/* Any request reaches the MD. */
static void count_request(struct sn_tx *t, const struct sn_msg *in,
                          unsigned col)
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
        count_read(t->m, t->home, t->ch, t->pa, in->src, in->type, col, t->now);
    }
}

/*
 * A request occupies the MD; mem: its memory, too.  If requests wait for each
 * other, the time model knows for how long.
 */
static void count_occupancy(const struct sn_machine *m, struct sn_node *h,
                            bool mem)
{
    if (m->time->queues) {
        return;
    }
    if (mem) {
        h->occ_mem++;
    } else {
        h->occ_dir++;
    }
}

/* A message goes from one node to another, or stays. */
static uint64_t travel(struct sn_tx *t, unsigned from, unsigned to,
                       unsigned type, uint64_t at)
{
    pass(t->m, from, to, type, t->now);
    sn_seen_left(seen_of(t->m), at);
    at = t->m->time->net(t->m, from, to, type, at + t->ps[SN_P_XBAR]);
    sn_seen_arrived(seen_of(t->m), at);
    return at;
}

/* ---- owner and sharers ---- */

static void cpu_line_init(struct sn_cpu_line *l, unsigned mesi, bool premium)
{
    memset(l, 0, sizeof(*l));
    l->mesi = (uint8_t)mesi;
    l->iv = SN_NOMSG;
    l->prio_max = premium ? 15 : 1;
}

/*
 * Ps that data lose on the way to node `to` if they follow another message of
 * their transaction from the home: no router on the common way has its bypass
 * open, which takes two router cycles each (thesis 3.2.3).  The speculative reply
 * follows the intervention (4.3.3: zhops = 0 grows by 20 ns a hop); data of an
 * owner at home follow the speculative ones (4.18: yhops = 0 does so, too).
 */
static uint64_t behind_ps(const struct sn_tx *t, unsigned to)
{
    const struct sn_machine *m = t->m;
    size_t way = (size_t)t->home * m->nnodes + to;

    if (m->nobypass || to == t->home) {
        return 0;
    }
    return m->path[way * m->path_stride] *
           (uint64_t)m->node[t->home].ps[SN_P_NOBYPASS];
}

/* An intervention reaches the owner's PI; returns when it has the SysAD. */
static uint64_t snoop(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    unsigned on = sn_agent_node(in->dst);

    t->one_bus = on == t->rnode;
    sn_seen_wait(seen_of(t->m), SN_WAIT_LINE, on, at, t->owner_free);
    at = t->m->time->snoop(t, on, later(at, t->owner_free));
    sn_seen_taken(seen_of(t->m), at);
    return at;
}

/* The owner answers an intervention, which has the SysAD at `at`. */
static void to_owner(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    unsigned on = sn_agent_node(in->dst);
    bool speculative = in->type == SN_IRDSH || in->type == SN_IRDEX;
    bool down = sn_snoop_rows[in->type][SN_M].next == SN_S, supplies = false;
    struct sn_cpu *o = NULL;
    struct sn_cpu_line l;
    struct sn_out out = { .n = 0 };
    struct sn_flight answer;

    if (sn_agent_unit(in->dst) < SN_NODE_CPUS) {
        o = &m->cpu[on * SN_NODE_CPUS + sn_agent_unit(in->dst)];
    }
    if (o && !o->present) {
        o = NULL;
    }
    m->node[on].pi_recv[in->type]++;
    t->intervened = true;
    t->owner_state = o ? (uint8_t)sn_cpu_state(o, t->pa) : SN_I;
    cpu_line_init(&l, t->owner_state, true);
    sn_cpu_step(&l, in, in->dst, t->home_agent, &out);
    if (o) {
        sn_ev(m, o, SN_R10K_EXT_INTERVENTION, 1);
        if (t->owner_state != SN_I) {
            sn_ev(m, o, SN_R10K_EXT_INTERVENTION_HIT, 1);
        }
        t->owner = o;
        sn_seen_copy(seen_of(m), o->index, t->owner_state, l.mesi);
        if (l.mesi == SN_I) {
            if (t->owner_state != SN_I) {
                sn_order_lost(t, o, at + t->ps[SN_P_MSG_OCC]);
            }
            sn_cpu_drop(m, o, t->pa);
        } else {
            sn_cpu_downgrade(m, o, t->pa);
            if (sn_unlikely(m->observer != NULL)) {
                m->observer->shared(m->observer->opaque, o->index, t->pa);
            }
        }
    }
    if (sn_unlikely(seen_of(m) != NULL)) {
        sn_seen_send(seen_of(m), sn_tell_snoop(m, in, t->pa, t->owner_state),
                     at);
    }
    for (unsigned i = 0; i < out.n; i++) {
        supplies |= sn_msg_data[out.m[i].type];
    }
    t->supplied = supplies;
    at = m->time->owner(t, on, o, down, at);
    if (t->owner_state == SN_M) {
        t->shwb = down;
    }
    if (sn_unlikely(seen_of(m) != NULL)) {
        answer = sn_seen_keep(seen_of(m));
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *a = &out.m[i];
        uint64_t arrive;

        if (sn_unlikely(seen_of(m) != NULL)) {
            sn_seen_again(seen_of(m), &answer);
        }
        arrive = travel(t, on, sn_agent_node(a->dst), a->type, at);
        m->node[on].pi_sent[a->type]++;
        if (sn_msg_class[a->type] == SN_CLS_REV) {
            to_home(t, a, arrive);
        } else {
            if (on == t->home && speculative && sn_msg_data[a->type]) {
                arrive += behind_ps(t, t->rnode);
            }
            to_requestor(t, a, arrive);
        }
    }
}

/* The home wants the entry of a sharer for another one (limited pointers). */
static void tell_evicted(const struct sn_machine *m, const struct sn_cpu *c,
                         const struct sn_msg *in, uint64_t pa)
{
    if (sn_unlikely(in->type == SN_EVICT) && m->observer &&
        m->observer->evicted) {
        m->observer->evicted(m->observer->opaque, c->index, pa);
    }
}

/* An INVAL or EVICT gets to the CPUs of a node at `at`. */
static void invalidate(struct sn_tx *t, const struct sn_msg *in, unsigned node,
                       uint64_t at)
{
    struct sn_machine *m = t->m;

    for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
        struct sn_cpu *c = &m->cpu[node * SN_NODE_CPUS + s];
        struct sn_cpu_line l;
        struct sn_out none = { .n = 0 };
        unsigned st;

        if (!c->present || c->agent == in->req) {
            continue;
        }
        st = sn_cpu_state(c, t->pa);
        cpu_line_init(&l, st, true);
        sn_ev(m, c, SN_R10K_EXT_INVALIDATION, 1);
        if (sn_cpu_step(&l, in, c->agent, t->home_agent, &none) ==
            SN_STEP_ILLEGAL) {
            m->node[t->home].proto_err |= 1ull << 63;
            continue;
        }
        if (st != SN_I) {
            sn_ev(m, c, SN_R10K_EXT_INVALIDATION_HIT, 1);
            sn_seen_copy(seen_of(m), c->index, st, SN_I);
            sn_order_lost(t, c, at);
            sn_cpu_drop(m, c, t->pa);
            tell_evicted(m, c, in, t->pa);
        }
    }
}

/* Tells that a node's PI has taken INVAL or EVICT, and begins with its answer. */
static void tell_inval(struct sn_tx *t, const struct sn_msg *in, unsigned node)
{
    struct sn_seen *s = t->m->seen;
    struct sn_msg one = *in;

    one.dst = sn_agent_make(node, SN_AG_A);
    sn_seen_send(s, sn_tell_snoop(t->m, &one, t->pa, s->copies ? SN_S : SN_I),
                 s->flight.taken);
}

/* The network interface of `from` makes one INVAL a node (thesis 3.2.2). */
static void to_sharers(struct sn_tx *t, const struct sn_msg *in, unsigned from,
                       uint64_t at)
{
    struct sn_machine *m = t->m;
    unsigned count = sn_vec_count(in->vec, in->oct, in->coarse, m->nnodes);
    unsigned n = sn_vec_next(in->vec, in->oct, in->coarse, 0, m->nnodes);
    bool self = sn_vec_has(in->vec, in->oct, in->coarse, from);
    struct sn_stream stream =
        m->time->stream(t, from, count - self, at + t->ps[SN_P_XBAR]);
    struct sn_flight vector;

    if (sn_unlikely(seen_of(m) != NULL)) {
        vector = sn_seen_keep(seen_of(m));
    }
    t->invalidated = true;
    for (; n < m->nnodes;
         n = sn_vec_next(in->vec, in->oct, in->coarse, n + 1, m->nnodes)) {
        struct sn_msg ack = { .type = SN_IVACK,
                              .dst = in->req,
                              .req = in->req,
                              .src = sn_agent_make(n, SN_AG_A) };

        at = n == from ? stream.local : stream.remote;
        stream.local += stream.apart;
        stream.remote += stream.apart;
        if (sn_unlikely(seen_of(m) != NULL)) {
            sn_seen_again(seen_of(m), &vector);
            /* That to the interface's own node has not waited for it. */
            seen_of(m)->flight.first += n == from ? vector.count : 0;
        }
        sn_seen_left(seen_of(m), at);
        at = m->time->net(m, from, n, SN_INVAL, at);
        sn_seen_arrived(seen_of(m), at);
        at = m->time->sharer(t, n, at);
        sn_seen_taken(seen_of(m), at - sn_inval_ps(t, n));
        m->node[from].ni_inval++;
        pass(m, from, n, SN_INVAL, t->now);
        invalidate(t, in, n, at - sn_inval_ps(t, n) + t->ps[SN_P_MSG_OCC]);
        if (sn_unlikely(seen_of(m) != NULL)) {
            tell_inval(t, in, n);
        }
        m->node[n].pi_recv[SN_INVAL]++;
        m->node[n].pi_sent[SN_IVACK]++;
        to_requestor(t, &ack, travel(t, n, t->rnode, SN_IVACK, at));
    }
}

/* A sharer's node makes room for another: EVICT leaves node `from` at `at`. */
static void to_victim(struct sn_tx *t, const struct sn_msg *in, unsigned from,
                      uint64_t at)
{
    struct sn_machine *m = t->m;
    unsigned n = sn_agent_node(in->dst);
    struct sn_msg ack = {
        .type = SN_EVACK, .src = in->dst, .dst = t->home_agent, .req = in->req
    };

    at = travel(t, from, n, in->type, at);
    at = m->time->sharer(t, n, at);
    sn_seen_taken(seen_of(m), at - sn_inval_ps(t, n));
    invalidate(t, in, n, at - sn_inval_ps(t, n) + t->ps[SN_P_MSG_OCC]);
    if (sn_unlikely(seen_of(m) != NULL)) {
        tell_inval(t, in, n);
    }
    m->node[n].pi_recv[in->type]++;
    m->node[n].pi_sent[ack.type]++;
    t->evicted = true;
    to_home(t, &ack, travel(t, n, t->home, ack.type, at));
}

/* ---- requestor ---- */

/* An answer reaches an I/O unit. */
static void io_reply(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    uint64_t *arrival = sn_msg_data[in->type] ? &t->data : &t->ack;

    count_ii(t->m, &t->m->node[t->rnode], false, in->type);
    *arrival = later(*arrival, at + t->ps[SN_P_II]);
}

static void reply(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    if (t->cpu) {
        t->m->time->reply(t, in, at);
    } else {
        io_reply(t, in, at);
    }
}

/* The same, and when what the answer brings is there. */
static uint64_t seen_reply(struct sn_tx *t, const struct sn_msg *in,
                           uint64_t at)
{
    uint64_t data = t->data, word = t->word, ack = t->ack, taken;

    t->data = t->word = t->ack = 0;
    reply(t, in, at);
    taken = later(t->word ? t->word : t->data, t->ack);
    t->data = later(t->data, data);
    t->word = later(t->word, word);
    t->ack = later(t->ack, ack);
    return taken;
}

static void to_requestor(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    struct sn_out out = { .n = 0 };
    uint64_t me = 0;
    enum sn_step ev;

    m->node[t->rnode].pi_recv[in->type]++;
    if (sn_unlikely(seen_of(m) != NULL)) {
        struct sn_cpu_line was = t->rq;

        sn_seen_arrived(seen_of(m), at);
        sn_seen_taken(seen_of(m), seen_reply(t, in, at));
        ev = sn_cpu_step(&t->rq, in, t->req, t->home_agent, &out);
        if (t->cpu) {
            sn_seen_copy(seen_of(m), t->cpu->index, was.mesi, t->rq.mesi);
        }
        me = sn_tell_requestor(m, in, t->pa, &was, ev);
    } else {
        reply(t, in, at);
        ev = sn_cpu_step(&t->rq, in, t->req, t->home_agent, &out);
    }
    if (ev != SN_STEP_NONE) {
        t->ev = ev;
    }
    for (unsigned i = 0; i < out.n; i++) {
        struct sn_msg *o = &out.m[i];

        sn_seen_send(seen_of(m), me, at);
        /* After a backoff the requestor sends what the home could not. */
        if (o->type == SN_INVAL) {
            to_sharers(t, o, t->rnode, at);
        } else if (o->type == SN_EVICT) {
            m->node[t->rnode].pi_sent[o->type]++;
            to_victim(t, o, t->rnode, at);
        } else {
            unsigned to = sn_agent_node(o->dst);

            m->node[t->rnode].pi_sent[o->type]++;
            if (to < m->nnodes) {
                at = travel(t, t->rnode, to, o->type, at);
                to_owner(t, o, snoop(t, o, at));
            }
        }
    }
}

/* ---- home ---- */

/* MD_PROTOCOL_ERROR (hubmd.h): a message that has no row. */
static void protocol_error(struct sn_tx *t, const struct sn_msg *in,
                           const struct sn_dirent *e)
{
    struct sn_node *h = &t->m->node[t->home];

    if (h->proto_err >> 63) {
        h->proto_err |= 1; /* overrun */
    } else {
        h->proto_err = 1ull << 63 | (uint64_t)in->src << 50 |
                       (uint64_t)in->type << 40 | (uint64_t)e->state << 33 |
                       (uint64_t)(e->ptr == in->src) << 32 |
                       (t->pa & 0xfffffff8u);
    }
    if (t->ev == SN_STEP_NONE) {
        t->ev = SN_STEP_ILLEGAL;
    }
}

/* What the home sends leaves the MD, whose access began at `at`. */
static void from_home(struct sn_tx *t, const struct sn_out *out, uint64_t at,
                      uint64_t me)
{
    struct sn_machine *m = t->m;
    struct sn_node *h = &m->node[t->home];
    const struct sn_msg *ivn = NULL;
    struct sn_flight kept;
    uint64_t snooped = 0;

    /*
     * INVALs need the directory only.  They leave before the data, which would
     * keep the network interface (thesis 4.3.4).
     */
    for (unsigned i = 0; i < out->n; i++) {
        const struct sn_msg *o = &out->m[i];

        if (o->type == SN_INVAL) {
            h->md_sent[o->type]++;
            m->time->queue_add(
                t, sn_vec_count(o->vec, o->oct, o->coarse, m->nnodes), at);
            sn_seen_send(seen_of(m), me, at);
            to_sharers(t, o, t->home, at + t->ps[SN_P_MD_DIR]);
        }
    }
    /* An intervention needs the directory only, too. */
    for (unsigned i = 0; i < out->n; i++) {
        const struct sn_msg *o = &out->m[i];
        unsigned to = sn_agent_node(o->dst);

        if (o->type == SN_INVAL || sn_msg_class[o->type] != SN_CLS_IVN) {
            continue;
        }
        h->md_sent[o->type]++;
        if (o->type == SN_EVICT) {
            m->time->queue_add(t, 1, at);
            sn_seen_send(seen_of(m), me, at);
            to_victim(t, o, t->home, at + t->ps[SN_P_MD_DIR]);
        } else if (to < m->nnodes) { /* the back door may invent a pointer */
            m->time->queue_add(t, 1, at);
            ivn = o;
            sn_seen_send(seen_of(m), me, at);
            snooped = snoop(
                t, o, travel(t, t->home, to, o->type, at + t->ps[SN_P_MD_DIR]));
            if (sn_unlikely(seen_of(m) != NULL)) {
                kept = sn_seen_keep(seen_of(m));
            }
        }
    }
    for (unsigned i = 0; i < out->n; i++) {
        const struct sn_msg *o = &out->m[i];
        unsigned to = sn_agent_node(o->dst);
        uint64_t leave =
            at + t->ps[sn_msg_data[o->type] ? SN_P_MD_READ : SN_P_MD_DIR];

        if (sn_msg_class[o->type] == SN_CLS_IVN) {
            continue;
        }
        h->md_sent[o->type]++;
        if (to >= m->nnodes) {
            continue;
        }
        t->backoff |= o->type == SN_BINV || sn_pass_rows[o->type].legal;
        sn_seen_send(seen_of(m), me, at);
        leave = travel(t, t->home, to, o->type, leave);
        if (ivn && t->one_bus) {
            leave += behind_ps(t, to);
        }
        to_requestor(t, o, leave);
    }
    if (ivn) {
        if (sn_unlikely(seen_of(m) != NULL)) {
            sn_seen_again(seen_of(m), &kept);
        }
        to_owner(t, ivn, snooped);
    }
}

/* A message reaches the home's MD. */
static void to_home(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_machine *m = t->m;
    struct sn_node *h = &m->node[t->home];
    unsigned line = sn_place(t->m, t->pa);
    const struct sn_home_row *r;
    struct sn_dirent e, was;
    struct sn_out out = { .n = 0 };
    uint64_t me = 0;

    h->md_recv[in->type]++;
    sn_dirent_load(&e, t->ch, line);
    if (e.state == SN_BUSYV) { /* dir.h has no room for both */
        e.vec = t->sharers;
    }
    if (sn_msg_class[in->type] == SN_CLS_REQ) {
        count_request(t, in, sn_home_col(&e, in->src));
        sn_seen_wait(seen_of(m), SN_WAIT_LINE, t->home, at, t->home_free);
        at = later(at, t->home_free);
    } else {
        t->rev = at;
    }
    at = m->time->md(m, t->home, in->type, at);
    was = e;
    r = sn_home_step_by(m->rows, &e, in, t->home_agent,
                        m->time->queue_full(t, at), m->nnodes, NULL, &out);
    if (sn_unlikely(seen_of(m) != NULL)) {
        sn_seen_taken(seen_of(m), at);
        me = sn_tell_home(m, in, t->pa, r, &was, &e);
    }
    if (!r->legal) {
        protocol_error(t, in, &e);
        return;
    }
    count_occupancy(m, h, r->mem != SN_MEM_NO);
    sn_dirent_store(t->ch, line, &e);
    t->sharers = e.vec;
    from_home(t, &out, at, me);
}

/* ---- a whole transaction ---- */

static void truth(struct sn_cpu *c, unsigned tx, bool remote, bool backoff,
                  uint64_t ps)
{
    uint64_t ns = ps / 1000;
    unsigned bin = ns / SN_LAT_BIN_NS < SN_LAT_BINS
                       ? (unsigned)(ns / SN_LAT_BIN_NS)
                       : SN_LAT_BINS - 1;

    c->truth.tx[tx][remote]++;
    c->truth.backoff += backoff;
    c->truth.lat_ns_sum[tx] += ns;
    c->truth.hist[bin]++;
}

static uint64_t to_ps(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000000u / m->tick_hz);
}

/* The time of a tick in a transaction's ps; 0: before it was made. */
static uint64_t at_tick(const struct sn_tx *t, uint64_t tick)
{
    int64_t ps;

    if (tick <= t->now) {
        return 0;
    }
    ps = (int64_t)(t->start + to_ps(t->m, tick - t->now)) - t->ahead;
    return ps > 0 ? (uint64_t)ps : 0;
}

/* Wait for the line's last transfer (struct sn_recent). */
static void recall(struct sn_tx *t)
{
    unsigned line = sn_place(t->m, t->pa);
    uint64_t number = (t->pa & 0xffffffffu) >> t->m->line_shift;
    const struct sn_recent *r = &t->m->node[t->home].recent[number % SN_RECENT];

    if (!(t->ch->st[line] & SN_ST_RECENT)) {
        return;
    }
    if (r->line != number ||
        (r->home_ready <= t->now && r->owner_ready <= t->now)) {
        t->ch->st[line] &= (uint16_t)~SN_ST_RECENT;
        return;
    }
    t->home_free = later(t->start, at_tick(t, r->home_ready));
    t->owner_free = later(t->start, at_tick(t, r->owner_ready));
}

static void remember(struct sn_tx *t)
{
    uint64_t number = (t->pa & 0xffffffffu) >> t->m->line_shift;
    struct sn_recent *r = &t->m->node[t->home].recent[number % SN_RECENT];
    uint64_t end = later(t->data, t->ack);

    r->line = number;
    r->req = t->req;
    r->owner_ready = sn_tx_tick(t, end);
    r->home_ready = sn_tx_tick(t, t->rev);
    t->ch->st[sn_place(t->m, t->pa)] |= SN_ST_RECENT;
}

/* Written only if it changes: beside others it does not (private.c). */
static inline void used_by(struct sn_chunk *ch, const struct sn_cpu *c)
{
    uint16_t user = c ? (uint16_t)(c->index + 1) : 0;

    if (sn_unlikely(ch->user != user)) {
        ch->user = user;
    }
}

static bool tx_init(struct sn_tx *t, struct sn_machine *m, sn_agent req,
                    uint64_t pa, unsigned type, uint64_t now, uint64_t at)
{
    int home = sn_home(m, pa);

    memset(t, 0, sizeof(*t));
    t->m = m;
    t->req = req;
    t->rnode = sn_agent_node(req);
    t->cpu = sn_agent_is_io(req)
                 ? NULL
                 : &m->cpu[t->rnode * SN_NODE_CPUS + sn_agent_unit(req)];
    t->ps = m->node[t->rnode].ps;
    t->pa = sn_line_of(m, pa);
    t->now = now;
    t->start = t->data = t->ack = t->rev = t->home_free = t->owner_free = at;
    t->type = type;
    t->ahead = m->time->queues ? (int64_t)(at - sn_abs_ps(m, now)) : 0;
    if (home < 0) {
        return false;
    }
    t->home = (unsigned)home;
    t->home_agent = sn_agent_make(t->home, SN_AG_RSVD);
    t->ch = sn_chunk_get(&m->node[t->home].dir, pa);
    if (t->ch && type != SN_WB && type != SN_WBP) {
        used_by(t->ch, t->cpu);
    }
    cpu_line_init(&t->rq, SN_I, m->node[t->home].dir.premium);
    return t->ch != NULL;
}

/* One request of the requestor's buffer goes to the home and runs to its end. */
static void launch(struct sn_tx *t, const struct sn_msg *msg, uint64_t at)
{
    struct sn_machine *m = t->m;

    m->node[t->rnode].pi_sent[msg->type]++;
    t->ev = SN_STEP_NONE;
    sn_seen_send(seen_of(m), 0, at);
    if (t->cpu) {
        at = m->time->request(m, t->cpu, msg->type, at) + t->ps[SN_P_ISSUE];
    } else {
        count_ii(m, &m->node[t->rnode], true, msg->type);
        at += t->ps[SN_P_II];
    }
    to_home(t, msg, travel(t, t->rnode, t->home, msg->type, at));
}

static unsigned classify(const struct sn_tx *t)
{
    if (t->ev == SN_STEP_BERR || t->ev == SN_STEP_ILLEGAL) {
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

/* The request as often as it takes: the protocol may refuse it. */
static void run(struct sn_tx *t)
{
    struct sn_out out = { .n = 0 };

    if (t->type == SN_UPGRD) {
        t->rq.mesi = SN_S;
    }
    sn_cpu_request(&t->rq, t->type, t->req, t->home_agent, &out);
    launch(t, &out.m[0], t->start);
    /*
     * Two requests are refused: of a line that was left busy through the back
     * door, and an upgrade whose sharer bit was overwritten there.  The upgrade
     * comes back as an RDEX.
     */
    for (unsigned tries = 0; t->ev == SN_STEP_RETRY && tries < 64; tries++) {
        if (t->rq.req == SN_UPGRD) {
            t->rq.mesi = SN_I;
            t->rq.req = SN_RDEX;
        }
        out.n = 0;
        sn_cpu_request(&t->rq, t->rq.req, t->req, t->home_agent, &out);
        launch(t, &out.m[0], later(t->data, t->ack));
    }
}

static uint64_t by_messages(struct sn_machine *m, sn_agent req, uint64_t pa,
                            unsigned type, uint64_t now, uint64_t at,
                            struct sn_outcome *o)
{
    struct sn_tx t;
    uint64_t ps;

    if (!tx_init(&t, m, req, pa, type, now, at)) {
        o->flags = SN_F_BUSERR;
        o->mesi = SN_I;
        o->tx = SN_TX_BERR;
        o->backoff = false;
        o->word = o->done = o->data = at;
        if (t.cpu) {
            truth(t.cpu, SN_TX_BERR, true, false, 0);
        }
        return 0;
    }
    recall(&t);
    t.contested = sn_order_recall(&t);
    run(&t);
    o->flags = 0;
    o->mesi = t.rq.mesi;
    if (t.ev == SN_STEP_ONCE) {
        o->flags |= SN_F_ONCE;
    } else if (t.ev != SN_STEP_DONE) {
        o->flags |= SN_F_BUSERR;
        o->mesi = SN_I;
    }
    o->tx = (uint8_t)classify(&t);
    o->backoff = t.backoff;
    if (t.cpu) {
        ps = m->time->finish(&t, o) - at;
        truth(t.cpu, o->tx, t.home != t.rnode, t.backoff, ps);
    } else {
        ps = later(t.data, t.ack) - at;
        m->node[t.rnode].ii_tx[o->tx]++;
    }
    if (t.intervened || t.invalidated || t.evicted) {
        sn_order_moved(&t);
        remember(&t);
    }
    if (t.contested) {
        o->flags |= SN_F_CONTESTED;
    }
    return ps;
}

/* ---- short cuts ---- */

/* A test that runs the same transactions by messages says so here. */
#ifndef SN_SHORT_CUT
#define SN_SHORT_CUT true
#endif

/*
 * One message from a CPU to the home, one answer, and everything that is
 * counted about the two.  Always inline, because `read` is a constant: the
 * answer carries the line; else the message does.
 */
__attribute__((always_inline)) static inline void
count_two_step(struct sn_machine *m, const struct sn_cpu *c, unsigned home,
               unsigned type, unsigned answer, bool read, uint64_t now)
{
    struct sn_node *n = &m->node[c->node], *h = &m->node[home];

    n->pi_sent[type]++;
    h->md_recv[type]++;
    h->md_sent[answer]++;
    n->pi_recv[answer]++;
    count_occupancy(m, h, true);
    if (home != c->node) {
        sn_router_pass(m, c->node, home, read ? 1 : m->data_packets, SN_VC_REQ,
                       now);
        sn_router_pass(m, home, c->node, read ? m->data_packets : 1, SN_VC_RPL,
                       now);
    }
}

uint64_t sn_transact(struct sn_machine *m, sn_agent req, uint64_t pa,
                     unsigned type, uint64_t now, uint64_t at,
                     struct sn_outcome *o)
{
    int home = sn_home(m, pa);
    unsigned line = sn_place(m, pa), col;
    const struct sn_home_row *r;
    struct sn_dirent e, was;
    struct sn_chunk *ch;
    struct sn_cpu *c;
    uint64_t ps;

#ifndef SN_EXEC_SEEN
    if (sn_unlikely(m->observer != NULL) &&
        sn_tell_begin(m, req, pa, now, at)) {
        return sn_transact_seen(m, req, pa, type, now, at, o);
    }
#endif
    if (type > SN_RDEX || home < 0 || sn_agent_is_io(req) || !SN_SHORT_CUT) {
        return by_messages(m, req, pa, type, now, at, o);
    }
    ch = sn_chunk_get(&m->node[home].dir, pa);
    if (sn_unlikely(!ch) || (ch->st[line] & SN_NOT_PLAIN)) {
        return by_messages(m, req, pa, type, now, at, o);
    }
    sn_dirent_load(&e, ch, line);
    /* Known from SN_NOT_PLAIN; said again for the compiler. */
    e.prio = 0;
    e.coarse = 0;
    col = sn_home_col(&e, req);
    r = &m->rows[0][type][col];
    if (!r->two_step ||
        (e.state == SN_SHRD && e.oct != sn_agent_node(req) >> 6)) {
        return by_messages(m, req, pa, type, now, at, o);
    }
    o->flags = 0;
    o->mesi = (uint8_t)sn_copy_of(type, r->out1 == SN_ERPLY);
    o->tx = e.state == SN_SHRD ? SN_TX_SHARED : SN_TX_UNOWNED;
    o->backoff = false;
    was = e;
    sn_row_apply(r, &e, req);
    sn_dirent_store(ch, line, &e);

    c = &m->cpu[sn_agent_node(req) * SN_NODE_CPUS + sn_agent_unit(req)];
    used_by(ch, c);
    count_two_step(m, c, (unsigned)home, type, r->out1, true, now);
    count_read(m, (unsigned)home, ch, pa, req, type, col, now);
    ps = m->time->read(m, c, (unsigned)home, type, at, o) - at;
    if (sn_unlikely(seen_of(m) != NULL)) {
        /* A copy, so that the compiler may keep the entry in registers. */
        const struct sn_two_step two = { .row = r,
                                         .was = was,
                                         .is = e,
                                         .type = (uint8_t)type,
                                         .mesi = o->mesi };

        sn_tell_two_step(m, c, pa, &two);
    }
    truth(c, o->tx, (unsigned)home != c->node, false, ps);
    return ps;
}

/* A CPU writes a line back that the directory says it owns. */
static bool writeback_by_owner(struct sn_machine *m, sn_agent req, uint64_t pa,
                               uint64_t now, uint64_t at, uint64_t *ps)
{
    const struct sn_home_row *r = &m->rows[0][SN_WB][SN_COL_EXCL_ME];
    int home = sn_home(m, pa);
    unsigned line = sn_place(m, pa);
    struct sn_dirent e, was;
    struct sn_chunk *ch;
    struct sn_cpu *c;

    if (home < 0 || sn_agent_is_io(req) || !SN_SHORT_CUT) {
        return false;
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    if (!ch) {
        return false;
    }
    sn_dirent_load(&e, ch, line);
    if (sn_home_col(&e, req) != SN_COL_EXCL_ME || r->out2 != SN_NOMSG) {
        return false;
    }
    was = e;
    sn_row_apply(r, &e, req);
    sn_dirent_store(ch, line, &e);

    c = &m->cpu[sn_agent_node(req) * SN_NODE_CPUS + sn_agent_unit(req)];
    count_two_step(m, c, (unsigned)home, SN_WB, r->out1, false, now);
    c->truth.wb[(unsigned)home != c->node]++;
    if ((unsigned)home == c->node) {
        m->node[home].local[2 * sn_agent_unit(req) + 1]++;
    }
    *ps = m->time->writeback(m, c, (unsigned)home, at) - at;
    if (sn_unlikely(seen_of(m) != NULL)) {
        const struct sn_two_step two = {
            .row = r, .was = was, .is = e, .type = SN_WB, .copy = SN_M
        };

        sn_tell_two_step(m, c, pa, &two);
    }
    return true;
}

uint64_t sn_writeback(struct sn_machine *m, sn_agent req, uint64_t pa,
                      unsigned type, uint64_t now, uint64_t at)
{
    struct sn_tx t;
    struct sn_out out = { .n = 0 };
    uint64_t ps;

#ifndef SN_EXEC_SEEN
    if (sn_unlikely(m->observer != NULL) &&
        sn_tell_begin(m, req, pa, now, at)) {
        return sn_writeback_seen(m, req, pa, type, now, at);
    }
#endif
    if (type == SN_WB && writeback_by_owner(m, req, pa, now, at, &ps)) {
        return ps;
    }
    if (!tx_init(&t, m, req, pa, type, now, at)) {
        return 0;
    }
    t.rq.mesi = SN_M;
    sn_cpu_writeback(&t.rq, type, req, t.home_agent, &out);
    if (t.cpu) {
        t.cpu->truth.wb[t.home != t.rnode]++;
        sn_seen_copy(seen_of(m), t.cpu->index, SN_M, SN_I);
    }
    launch(&t, &out.m[0], at);
    return t.ack - at;
}
