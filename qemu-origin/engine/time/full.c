/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time model `full`: the same walk of a transaction as in `unloaded`, but each
 * step waits for the resource that it needs (share.h), and a processor's misses
 * overlap (ooo.h).  Parts of the latency that stand for waiting in `unloaded`
 * are left out here.
 */
#include <string.h>

#include "time/full_state.h"
#include "time/share.h"

static int full_init(struct sn_machine *m)
{
    struct sn_full *f = sn_env_alloc(1, sizeof(*f));

    if (!f) {
        return -1;
    }
    m->time_state = f;
    f->node = sn_env_alloc(m->nnodes, sizeof(*f->node));
    f->cpu = sn_env_alloc(m->nnodes * SN_NODE_CPUS, sizeof(*f->cpu));
    f->out = sn_env_alloc(m->nrouters * 7 + 1, sizeof(*f->out));
    f->depend = sn_depend_new();
    if (!f->node || !f->cpu || !f->out || !f->depend) {
        return -1;
    }
    f->upacket = sn_part_fixed_ps(m->desc, SN_P_NI_UPACKET);
    f->inval = sn_part_fixed_ps(m->desc, SN_P_INVAL_NI);
    f->inval_occ = sn_part_fixed_ps(m->desc, SN_P_INVAL_OCC);
    f->ni_out = sn_part_fixed_ps(m->desc, SN_P_NI_OUT);
    f->ni_in = sn_part_fixed_ps(m->desc, SN_P_NI_IN);
    f->ni = sn_part_fixed_ps(m->desc, SN_P_NI);
    f->router = sn_part_fixed_ps(m->desc, SN_P_ROUTER);
    f->nobypass = sn_part_fixed_ps(m->desc, SN_P_NOBYPASS);
    f->oq_full = sn_part_fixed_ps(m->desc, SN_P_OQ_FULL);
    f->oq_low = sn_part_fixed_ps(m->desc, SN_P_OQ_LOW);
    for (unsigned i = 0; i < m->nnodes; i++) {
        const struct sn_node_desc *d = &m->desc->node[i];
        struct sn_full_node *n = &f->node[i];

        n->ps_beats = m->node[i].ps[SN_P_LINE];
        n->ps_refresh = (uint32_t)(SN_REFRESH_CYCLES * 1e9 / d->hub_khz);
        n->ps_refresh_period = (uint32_t)(SN_REFRESH_PERIOD * 1e9 / d->hub_khz);
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            if (d->cpu[s].model != SN_CPU_NONE) {
                f->cpu[i * SN_NODE_CPUS + s].ps_cycle =
                    (uint32_t)(1e9 / d->cpu[s].l2_khz + 0.5);
            }
        }
    }
    return 0;
}

static void full_free(struct sn_machine *m)
{
    struct sn_full *f = sn_full(m);

    sn_env_free(f->node);
    sn_env_free(f->cpu);
    sn_env_free(f->out);
    sn_depend_free(f->depend);
    sn_env_free(f);
}

static void full_reset(struct sn_machine *m)
{
    struct sn_full *f = sn_full(m);

    for (unsigned i = 0; i < m->nnodes; i++) {
        struct sn_full_node *n = &f->node[i];

        memset(n->data, 0, sizeof(n->data));
        n->data_next = 0;
        n->data_upto = 0;
        n->sysad_last = 0;
        n->md_wrote = n->oq_full = false;
        sn_cal_reset(&n->sysad);
        sn_cal_reset(&n->md);
        sn_cal_reset(&n->busy);
        sn_cal_reset(&n->ni);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        sn_cal_reset(&f->cpu[i].l2);
        sn_cal_reset(&f->cpu[i].pi);
        f->cpu[i].victim = 0;
        f->cpu[i].behind = false;
        memset(f->cpu[i].acked, 0, sizeof(f->cpu[i].acked));
        sn_ooo_reset(m, &m->cpu[i], &f->cpu[i].ooo);
    }
    for (unsigned i = 0; i < m->nrouters * 7; i++) {
        sn_cal_reset(&f->out[i]);
    }
}

static void full_state(struct sn_machine *m, struct sn_archive *a)
{
    struct sn_full *f = sn_full(m);

    for (unsigned i = 0; i < m->nnodes; i++) {
        struct sn_full_node *n = &f->node[i];

        SN_MOVE(a, n->data);
        SN_MOVE(a, n->data_next);
        SN_MOVE(a, n->data_upto);
        SN_MOVE(a, n->sysad_last);
        SN_MOVE(a, n->md_wrote);
        SN_MOVE(a, n->oq_full);
        sn_must_be_bool(a, &n->md_wrote);
        sn_must_be_bool(a, &n->oq_full);
        sn_cal_state(&n->sysad, a);
        sn_cal_state(&n->md, a);
        sn_cal_state(&n->busy, a);
        sn_cal_state(&n->ni, a);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        struct sn_full_cpu *c = &f->cpu[i];

        SN_MOVE(a, c->ooo);
        sn_must(a, c->ooo.slots <= SN_OOO_MAX);
        sn_cal_state(&c->l2, a);
        sn_cal_state(&c->pi, a);
        SN_MOVE(a, c->victim);
        SN_MOVE(a, c->behind);
        sn_must_be_bool(a, &c->behind);
        SN_MOVE(a, c->acked);
    }
    for (unsigned i = 0; i < m->nrouters * 7; i++) {
        sn_cal_state(&f->out[i], a);
    }
    sn_depend_state(f->depend, a);
}

/* ---- processor ---- */

static uint32_t full_hit(struct sn_machine *m, struct sn_cpu *c, unsigned kind,
                         uint64_t now, uint32_t ticks)
{
    return c->fast.pending.n ? sn_ooo_hit(m, c, kind, now, ticks) : ticks;
}

static uint64_t full_issue(struct sn_machine *m, struct sn_cpu *c,
                           struct sn_issue *is)
{
    struct sn_full_waits *w = &sn_full(m)->waits;
    struct sn_ooo *o = sn_ooo_of(m, c);
    uint64_t at;

    w->n = 0;
    w->on = m->observer;
    sn_ooo_begin(m, c, o, sn_full(m)->depend, is);
    /* The request waits for a miss register after its tags are checked. */
    at = sn_share_tag(m, c, is->at) + c->ps[SN_P_L2_MISS];
    is->at += sn_eased(c, at - is->at);
    sn_ooo_slot(o, is);
    return is->at;
}

static uint32_t full_complete(struct sn_machine *m, struct sn_cpu *c,
                              struct sn_issue *is, const struct sn_outcome *o,
                              uint64_t ps, bool upgrade)
{
    (void)ps;
    is->contested = o->flags & SN_F_CONTESTED;
    return sn_ooo_end(m, c, sn_ooo_of(m, c), is, o->word, o->done,
                      upgrade ? o->done : o->data, upgrade);
}

static uint32_t full_settle(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                            bool store, uint64_t now)
{
    return sn_ooo_settle(m, c, sn_ooo_of(m, c), pa, store, now);
}

static uint32_t full_drain(struct sn_machine *m, struct sn_cpu *c, uint64_t now)
{
    return sn_ooo_drain(m, c, sn_ooo_of(m, c), now);
}

/* ---- steps ---- */

/*
 * Does the requestor wait for every message of this type?  Of INVALs and IVACKs it
 * waits for the last one only, and for write-backs and revisions not at all.
 */
static bool on_the_way(unsigned type)
{
    switch (type) {
    case SN_WB:
    case SN_WBP:
    case SN_WBACK:
    case SN_WBBAK:
    case SN_INVAL:
    case SN_IVACK:
        return false;
    default:
        return sn_msg_class[type] != SN_CLS_REV;
    }
}

/*
 * The steps that follow belong to a message of this type.  The observer is told
 * what they wait for if the requestor waits for the message.
 */
static void watch(struct sn_machine *m, unsigned type)
{
    if (sn_unlikely(m->observer != NULL)) {
        sn_full(m)->waits.on = on_the_way(type);
    }
}

static uint64_t full_request(struct sn_machine *m, struct sn_cpu *c,
                             unsigned type, uint64_t at)
{
    if (sn_msg_data[type]) {
        return sn_share_writeback(m, c, at);
    }
    return sn_share_request(m, c, at, type == SN_RDEX);
}

static uint64_t full_net(struct sn_machine *m, unsigned a, unsigned b,
                         unsigned type, uint64_t at)
{
    if (a == b) {
        return at;
    }
    watch(m, type);
    return sn_share_net(m, a, b, type == SN_INVAL ? 0 : sn_packets(m, type),
                        at);
}

static uint64_t full_md(struct sn_machine *m, unsigned node, unsigned type,
                        uint64_t at)
{
    bool write = sn_msg_data[type];
    bool read = sn_msg_class[type] == SN_CLS_REQ && type != SN_UPGRD;

    watch(m, type);

    return sn_share_md(m, node, at, read || write, write);
}

static uint64_t full_snoop(struct sn_tx *t, unsigned node, uint64_t at)
{
    uint64_t got = sn_share_sysad(t->m, node, at, t->ps[SN_P_MSG_OCC]);

    watch(t->m, SN_IRDSH);
    sn_waited(t->m, SN_WAIT_SYSAD, node, at, got);
    return got;
}

static uint64_t full_owner(struct sn_tx *t, unsigned node,
                           const struct sn_cpu *o, bool down, uint64_t at)
{
    (void)down;
    at += t->ps[SN_P_SNOOP];
    if (t->owner_state == SN_I && o) {
        at += o->ps[SN_P_L2_WAY]; /* both ways were looked at */
    }
    at = sn_after_spec(t, node, at);
    if (t->supplied) {
        uint64_t got;

        at += o->ps[SN_P_DIRTY] - o->ps[SN_P_LINE];
        got = sn_share_sysad(t->m, node, at, t->ps[SN_P_DATA_OCC]);
        sn_waited(t->m, SN_WAIT_SYSAD, node, at, got);
        /* Beats leave as they come, unless they take the same bus again. */
        at = node == t->rnode ? got + o->ps[SN_P_LINE] : got;
    }
    return at;
}

static uint64_t full_sharer(struct sn_tx *t, unsigned node, uint64_t at)
{
    uint64_t got = sn_share_sysad(t->m, node, at, t->ps[SN_P_MSG_OCC]);

    sn_seen_wait(t->m->seen, SN_WAIT_SYSAD, node, at, got);
    return got + sn_inval_ps(t, node);
}

static struct sn_stream full_stream(struct sn_tx *t, unsigned from,
                                    unsigned others, uint64_t at)
{
    return (struct sn_stream){ at, sn_share_vector(t->m, from, others, at),
                               sn_full(t->m)->inval };
}

static bool full_queue_full(struct sn_tx *t, uint64_t at)
{
    return sn_share_queue_full(t->m, t->home, at);
}

static void full_queue_add(struct sn_tx *t, unsigned n, uint64_t at)
{
    /* The calendar of the interface holds what waits. */
    (void)t;
    (void)n;
    (void)at;
}

/* ---- the requestor ---- */

static void reply_data(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    struct sn_cpu *c = t->cpu;
    bool from_owner = t->intervened && t->supplied && in->src != t->home_agent;
    uint64_t word, end;

    end = sn_share_data(t->m, c, at, t->type == SN_RDEX, from_owner,
                        sn_agent_node(in->src) != t->rnode, &word);
    t->word = later(t->word, word);
    t->data = later(t->data, end);
    if (in->type == SN_SSPEC || in->type == SN_ESPEC) {
        t->spec = end;
    }
    if (t->shwb && from_owner && t->one_bus) {
        sn_share_block(t->m, c, word, end - word + c->ps[SN_P_SHWB]);
    }
}

/*
 * The completion of a transaction whose data came before or not at all; `next`:
 * the CPU's next request waits for it.  A store then writes back a modified L1
 * line before the CPU takes anything else, unless that has happened while its
 * request waited (R12000).
 */
static uint64_t completion(struct sn_tx *t, uint64_t at, bool next)
{
    bool store = t->type == SN_RDEX || t->type == SN_UPGRD;
    uint64_t l1 = store && next ? t->cpu->ps[SN_P_RDEX_L1] : 0;
    uint64_t end = sn_share_ack(t->m, t->cpu, at, next, l1);

    if (l1 && t->intervened &&
        !(t->cpu->r12k && sn_full_of(t->m, t->cpu)->behind)) {
        sn_share_sysad(t->m, t->rnode, at, (uint32_t)l1);
    }
    return end;
}

static void full_reply(struct sn_tx *t, const struct sn_msg *in, uint64_t at)
{
    watch(t->m, in->type);
    if (sn_msg_data[in->type]) {
        reply_data(t, in, at);
        return;
    }
    switch (in->type) {
    case SN_IVACK:
    case SN_UPACK:
        /*
         * The PI counts an acknowledge when it arrives.  What else it has to
         * do for it delays other messages only.  The last one completes the
         * transaction, see full_finish().
         */
        if (in->type == SN_IVACK) {
            sn_share_sysad(t->m, t->rnode, at, t->ps[SN_P_MSG_OCC]);
            if (sn_agent_node(in->src) == t->rnode) {
                t->own_ack = at;
            }
        } else {
            sn_share_upack(t->m, t->rnode, at);
        }
        t->acks = true;
        break;
    case SN_SACK:
    case SN_EACK:
        at += sn_reacquire_ps(t, at);
        at = completion(t, at, true);
        break;
    case SN_WBACK:
    case SN_WBBAK:
        sn_share_wback(t->m, t->rnode, at);
        break;
    }
    t->ack = later(t->ack, at);
}

static uint64_t full_finish(struct sn_tx *t, struct sn_outcome *o)
{
    if (t->acks) {
        struct sn_full_cpu *f = sn_full_of(t->m, t->cpu);

        t->ack = completion(t, t->ack, !t->cpu->r12k);
        if (t->cpu->r12k) {
            f->acked[f->acked[1] < f->acked[0]] = t->ack;
        }
    }
    o->done = later(t->word, t->ack);
    o->word = t->word && !t->intervened ? t->word : o->done;
    if (t->own_ack) {
        /* Its INVAL was on the bus before the data. */
        o->word = later(o->word, t->own_ack + t->cpu->ps[SN_P_ACK_USE] -
                                     t->cpu->ps[SN_P_HIDE_R12K]);
    }
    o->data = later(t->data, o->done);
    return o->done;
}

static uint64_t full_read(struct sn_machine *m, struct sn_cpu *c, unsigned home,
                          unsigned type, uint64_t at, struct sn_outcome *o)
{
    const uint32_t *ps = m->node[c->node].ps;
    bool store = type == SN_RDEX, remote = home != c->node;

    watch(m, type);
    at = sn_share_request(m, c, at, store) + ps[SN_P_ISSUE];
    sn_seen_left(m->seen, at);
    at += ps[SN_P_XBAR];
    if (remote) {
        at = sn_share_net(m, c->node, home, 1, at);
    }
    sn_seen_arrived(m->seen, at);
    at = sn_share_md(m, home, at, true, false);
    sn_seen_answer(m->seen, at);
    at += ps[SN_P_MD_READ];
    sn_seen_left(m->seen, at);
    at += ps[SN_P_XBAR];
    if (remote) {
        at = sn_share_net(m, home, c->node, 9, at);
    }
    sn_seen_arrived(m->seen, at);
    o->data = sn_share_data(m, c, at, store, false, remote, &o->word);
    o->done = o->word;
    sn_seen_taken(m->seen, o->done);
    return o->done;
}

static uint64_t full_writeback(struct sn_machine *m, struct sn_cpu *c,
                               unsigned home, uint64_t at)
{
    const uint32_t *ps = m->node[c->node].ps;
    bool remote = home != c->node;

    watch(m, SN_WB);
    at = sn_share_writeback(m, c, at) + ps[SN_P_ISSUE];
    sn_seen_left(m->seen, at);
    at += ps[SN_P_XBAR];
    if (remote) {
        at = sn_share_net(m, c->node, home, 9, at);
    }
    sn_seen_arrived(m->seen, at);
    at = sn_share_md(m, home, at, true, true);
    sn_seen_answer(m->seen, at);
    at += ps[SN_P_MD_DIR];
    sn_seen_left(m->seen, at);
    if (remote) {
        at = sn_share_net(m, home, c->node, 1, at);
    }
    at += ps[SN_P_XBAR];
    sn_seen_arrived(m->seen, at);
    sn_share_wback(m, c->node, at);
    sn_seen_taken(m->seen, at);
    return at;
}

static const struct sn_wait *full_waits(const struct sn_machine *m, unsigned *n)
{
    const struct sn_full *f = m->time_state;

    *n = f->waits.n;
    return f->waits.list;
}

const struct sn_time_model sn_time_full = {
    .queues = true,
    .init = full_init,
    .free = full_free,
    .reset = full_reset,
    .state = full_state,
    .hit = full_hit,
    .complete = full_complete,
    .settle = full_settle,
    .drain = full_drain,
    .issue = full_issue,
    .request = full_request,
    .net = full_net,
    .md = full_md,
    .reply = full_reply,
    .finish = full_finish,
    .read = full_read,
    .writeback = full_writeback,
    .snoop = full_snoop,
    .owner = full_owner,
    .sharer = full_sharer,
    .stream = full_stream,
    .queue_full = full_queue_full,
    .queue_add = full_queue_add,
    .waits = full_waits,
};
