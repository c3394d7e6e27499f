/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time model `unloaded`: every transaction takes its own latency, as if it were
 * alone in the machine.  Its parts run in parallel where the hardware's do
 * (speculative reply and intervention, invalidations of many nodes), and the
 * requestor waits for the last of them.  A processor waits for each miss.
 *
 * Two things depend on other transactions all the same: transactions of one
 * line follow each other (struct sn_recent), and a home backs off when it is to
 * forward more messages than its network interface can send.
 *
 * Only differences of absolute times matter here, so that a processor's
 * transactions start at 0.
 */
#include "time/model.h"
#include "time/tx.h"

/* Stretches of time by which the outgoing queue is judged. */
#define BUCKET_PS 2000000u /* longer than CPUs' clocks are apart */

struct cpu_time {
    uint32_t read, rdex; /* ps: the home answers and is local */
};

struct queue {
    uint64_t bucket; /* the newest stretch, by number */
    uint64_t count;  /* messages forwarded in it, and left over from before */
};

struct unloaded {
    uint64_t bucket_ticks, capacity; /* a stretch: length, messages sent */
    uint32_t inval;                  /* ps from one INVAL to the next */
    struct cpu_time *cpu;
    struct queue *queue; /* [nnodes] */
};

/*
 * R10000: from the end of the data on the SysAD until the next miss is there,
 * whose tag check waits for the line fill and half a cycle of the L2's clock.
 */
static uint32_t fill_ps(const struct sn_cpu *c)
{
    return c->ps[SN_P_FILL_TAIL] + c->ps[SN_P_L2_TAG] * 5 / 4 +
           c->ps[SN_P_L2_MISS];
}

static int unloaded_init(struct sn_machine *m)
{
    struct unloaded *u = sn_env_alloc(1, sizeof(*u));

    if (!u) {
        return -1;
    }
    m->time_state = u;
    u->bucket_ticks = sn_to_ticks(m, BUCKET_PS);
    u->inval = sn_part_fixed_ps(m->desc, SN_P_INVAL_NI);
    u->capacity = BUCKET_PS / sn_part_fixed_ps(m->desc, SN_P_NI_UPACKET);
    u->cpu = sn_env_alloc(m->nnodes * SN_NODE_CPUS, sizeof(*u->cpu));
    u->queue = sn_env_alloc(m->nnodes, sizeof(*u->queue));
    if (!u->cpu || !u->queue) {
        return -1;
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu *c = &m->cpu[i];

        u->cpu[i].read = c->ps[SN_P_ISSUE] + 2 * c->ps[SN_P_XBAR] +
                         c->ps[SN_P_MD_READ] + c->ps[SN_P_DATA] +
                         (c->r12k ? 0 : fill_ps(c));
        u->cpu[i].rdex = u->cpu[i].read + (c->r12k ? 0 : c->ps[SN_P_RDEX_L1]);
    }
    return 0;
}

static void unloaded_free(struct sn_machine *m)
{
    struct unloaded *u = m->time_state;

    sn_env_free(u->cpu);
    sn_env_free(u->queue);
    sn_env_free(u);
}

static void unloaded_reset(struct sn_machine *m)
{
    struct unloaded *u = m->time_state;

    for (unsigned n = 0; n < m->nnodes; n++) {
        u->queue[n] = (struct queue){ 0, 0 };
    }
}

static void unloaded_state(struct sn_machine *m, struct sn_archive *a)
{
    struct unloaded *u = m->time_state;

    sn_move(a, u->queue, m->nnodes * sizeof(*u->queue));
}

/* ---- processor: it waits for everything but the data of a prefetch ---- */

static uint32_t unloaded_hit(struct sn_machine *m, struct sn_cpu *c,
                             unsigned kind, uint64_t now, uint32_t ticks)
{
    (void)m;
    (void)c;
    (void)now;
    return kind >= SN_PREF ? 0 : ticks;
}

static uint64_t unloaded_issue(struct sn_machine *m, struct sn_cpu *c,
                               struct sn_issue *is)
{
    (void)m;
    (void)c;
    (void)is;
    return 0;
}

static uint32_t unloaded_complete(struct sn_machine *m, struct sn_cpu *c,
                                  struct sn_issue *is,
                                  const struct sn_outcome *o, uint64_t ps,
                                  bool upgrade)
{
    uint32_t own = c->ps[SN_P_OWN_CYCLE];

    (void)o;
    (void)upgrade;
    if (is->kind >= SN_PREF || ps <= own) {
        return 0;
    }
    return (uint32_t)sn_to_ticks(m, ps - own);
}

static uint32_t unloaded_settle(struct sn_machine *m, struct sn_cpu *c,
                                uint64_t pa, bool store, uint64_t now)
{
    (void)m;
    (void)c;
    (void)pa;
    (void)store;
    (void)now;
    return 0;
}

static uint32_t unloaded_drain(struct sn_machine *m, struct sn_cpu *c,
                               uint64_t now)
{
    (void)m;
    (void)c;
    (void)now;
    return 0;
}

/* ---- steps: nothing is taken, so nothing waits ---- */

static uint64_t unloaded_request(struct sn_machine *m, struct sn_cpu *c,
                                 unsigned type, uint64_t at)
{
    (void)m;
    (void)c;
    (void)type;
    return at;
}

static uint64_t unloaded_net(struct sn_machine *m, unsigned a, unsigned b,
                             unsigned type, uint64_t at)
{
    (void)type;
    return at + sn_net(m, a, b);
}

static uint64_t unloaded_md(struct sn_machine *m, unsigned node, unsigned type,
                            uint64_t at)
{
    (void)m;
    (void)node;
    (void)type;
    return at;
}

static uint64_t unloaded_snoop(struct sn_tx *t, unsigned node, uint64_t at)
{
    (void)t;
    (void)node;
    return at;
}

static uint64_t unloaded_owner(struct sn_tx *t, unsigned node,
                               const struct sn_cpu *o, bool down, uint64_t at)
{
    at += t->ps[SN_P_SNOOP];
    if (t->owner_state == SN_I && o) {
        at += o->ps[SN_P_L2_WAY]; /* both ways were looked at */
    }
    at = sn_after_spec(t, node, at);
    if (t->supplied) {
        at += o->ps[SN_P_DIRTY];
        if (node != t->rnode) {
            at -= o->ps[SN_P_LINE]; /* beats leave as they come */
        } else if (down) {
            at += o->ps[SN_P_SHWB];
        }
    }
    return at;
}

static uint64_t unloaded_sharer(struct sn_tx *t, unsigned node, uint64_t at)
{
    if (node == t->rnode) {
        t->bus += t->ps[SN_P_MSG_OCC];
    }
    return at + sn_inval_ps(t, node);
}

static struct sn_stream unloaded_stream(struct sn_tx *t, unsigned from,
                                        unsigned others, uint64_t at)
{
    const struct unloaded *u = t->m->time_state;

    (void)from;
    if (!others && t->cpu) {
        /* Nothing but the node's own bus: an L1 line's write-back shows. */
        t->bus += t->cpu->ps[SN_P_RDEX_L1];
    }
    return (struct sn_stream){ at, at + t->ps[SN_P_NI_VECTOR], u->inval };
}

/*
 * Is the outgoing queue too full for forwarded messages (thesis 4.1.3)?  The
 * network interface sends one in NI_UPACKET.  Requests come with the clocks of
 * CPUs, which disagree, so the queue is judged by stretches of time: it is full
 * when more was put in than a stretch can send and the queue (MD_MOQ_SIZE) can
 * hold.
 */
static uint64_t bucket(const struct sn_tx *t, const struct unloaded *u,
                       uint64_t at)
{
    return (t->now + sn_to_ticks(t->m, at - t->start)) / u->bucket_ticks;
}

static bool unloaded_queue_full(struct sn_tx *t, uint64_t at)
{
    const struct unloaded *u = t->m->time_state;
    const struct queue *q = &u->queue[t->home];

    return q->count > u->capacity + (t->m->node[t->home].moq & 0x1f) &&
           q->bucket == bucket(t, u, at);
}

static void unloaded_queue_add(struct sn_tx *t, unsigned n, uint64_t at)
{
    const struct unloaded *u = t->m->time_state;
    struct queue *q = &u->queue[t->home];
    uint64_t b = bucket(t, u, at);

    if (b > q->bucket) {
        q->count = q->count > u->capacity && b == q->bucket + 1
                       ? q->count - u->capacity
                       : 0;
        q->bucket = b;
    }
    q->count += n;
}

/* ---- the requestor ---- */

/* A miss waits for the L2's clock and for the grid of the SysAD: the mean. */
static uint32_t align_ps(const struct sn_cpu *c)
{
    return c->ps[SN_P_L2_TAG] / 4 + c->ps[SN_P_GRID] / 2;
}

/* From a completion until the CPU's next miss is on the SysAD. */
static uint32_t next_ps(const struct sn_cpu *c)
{
    return c->ps[SN_P_ACK_NEXT] + align_ps(c);
}

static void reply_ack(struct sn_tx *t, unsigned type, sn_agent src, uint64_t at)
{
    switch (type) {
    case SN_IVACK:
    case SN_UPACK:
        if (type == SN_IVACK && sn_agent_node(src) == t->rnode) {
            t->own_ack = at;
        }
        t->bus += t->ps[type == SN_IVACK ? SN_P_MSG_OCC : SN_P_UPACK_OCC];
        t->acks = true;
        break;
    case SN_SACK:
    case SN_EACK:
        at += sn_reacquire_ps(t, at) + next_ps(t->cpu);
        break;
    default:
        at += t->ps[SN_P_ACK_USE];
    }
    t->ack = later(t->ack, at);
}

static void unloaded_reply(struct sn_tx *t, const struct sn_msg *in,
                           uint64_t at)
{
    if (!sn_msg_data[in->type]) {
        reply_ack(t, in->type, in->src, at);
        return;
    }
    at += t->ps[SN_P_DATA];
    if (in->type == SN_SSPEC || in->type == SN_ESPEC) {
        t->spec = at;
    }
    if (!t->cpu->r12k && !(t->shwb && t->one_bus)) {
        at += fill_ps(t->cpu);
    }
    t->data = later(t->data, at);
}

/* All IVACKs are there at t->ack: when the processor's next miss can issue. */
static uint64_t after_acks(const struct sn_tx *t)
{
    const uint32_t *ps = t->cpu->ps;
    uint64_t use = t->ack + ps[SN_P_ACK_USE], held;

    if (!t->cpu->r12k) {
        return t->ack + next_ps(t->cpu);
    }
    if (t->type != SN_UPGRD) {
        uint64_t next = ps[SN_P_L2_TAG] + ps[SN_P_L2_MISS] + align_ps(t->cpu);
        uint64_t own = t->own_ack ? t->own_ack + ps[SN_P_ACK_USE] + next -
                                        ps[SN_P_HIDE_R12K]
                                  : 0;
        uint64_t early = later(t->data, own);

        /*
         * The load of the stored line has gone on by then.  If IVACKs come
         * long after the data, it has so for every second line; the other
         * waits for all.
         */
        if (early + ps[SN_P_HIDE_R12K] >= use + next) {
            return use + next - ps[SN_P_HIDE_R12K];
        }
        return (early + use + next) / 2;
    }
    /* Upgrades overlap: the SysAD limits them, or how many may wait. */
    held = (use - t->start) / SN_ACKED + align_ps(t->cpu);
    return t->start + later(held, ps[SN_P_ARB] + t->bus + ps[SN_P_DONE_OCC]);
}

static uint64_t unloaded_finish(struct sn_tx *t, struct sn_outcome *o)
{
    const struct sn_cpu *c = t->cpu;
    uint64_t end = later(t->data, t->acks ? after_acks(t) : t->ack);

    (void)o;
    /* The R12000 hides the write-back of an L1 line behind a data transfer. */
    if ((t->type == SN_RDEX || t->type == SN_UPGRD) &&
        (!c->r12k || (t->intervened && !t->supplied))) {
        end += c->ps[SN_P_RDEX_L1];
    }
    if (t->acks) {
        t->ack += c->ps[SN_P_ACK_USE]; /* the store is complete */
    }
    return end;
}

/*
 * Two steps for an observer: the home takes `home` ps until the answer leaves,
 * which is taken at `end`.
 */
static void see_two_steps(const struct sn_machine *m, const struct sn_cpu *c,
                          unsigned to, uint64_t at, uint64_t home, uint64_t end)
{
    const uint32_t *ps = m->node[c->node].ps;
    uint64_t way = ps[SN_P_XBAR] + sn_net(m, c->node, to);

    at += ps[SN_P_ISSUE];
    sn_seen_left(m->seen, at);
    at += way;
    sn_seen_arrived(m->seen, at);
    sn_seen_answer(m->seen, at);
    at += home;
    sn_seen_left(m->seen, at);
    at += way;
    sn_seen_arrived(m->seen, at);
    sn_seen_taken(m->seen, end);
}

static inline uint64_t read_end(const struct sn_machine *m,
                                const struct sn_cpu *c, unsigned home,
                                unsigned type, uint64_t at)
{
    const struct unloaded *u = m->time_state;
    const struct cpu_time *t = &u->cpu[c->index];

    return at + (type == SN_RDEX ? t->rdex : t->read) +
           2ull * sn_net(m, c->node, home);
}

static inline uint64_t writeback_end(const struct sn_machine *m,
                                     const struct sn_cpu *c, unsigned home,
                                     uint64_t at)
{
    const uint32_t *ps = m->node[c->node].ps;

    return at + ps[SN_P_ISSUE] + 2ull * ps[SN_P_XBAR] + ps[SN_P_MD_DIR] +
           ps[SN_P_ACK_USE] + 2ull * sn_net(m, c->node, home);
}

/* Functions of their own: what they need would be saved for all others, too. */
static uint64_t __attribute__((noinline))
see_read(const struct sn_machine *m, const struct sn_cpu *c, unsigned home,
         unsigned type, uint64_t at)
{
    uint64_t taken = read_end(m, c, home, SN_READ, at);

    see_two_steps(m, c, home, at, c->ps[SN_P_MD_READ], taken);
    return read_end(m, c, home, type, at);
}

static uint64_t __attribute__((noinline))
see_writeback(const struct sn_machine *m, const struct sn_cpu *c, unsigned home,
              uint64_t at)
{
    uint64_t end = writeback_end(m, c, home, at);

    see_two_steps(m, c, home, at, m->node[c->node].ps[SN_P_MD_DIR], end);
    return end;
}

static uint64_t unloaded_read(struct sn_machine *m, struct sn_cpu *c,
                              unsigned home, unsigned type, uint64_t at,
                              struct sn_outcome *o)
{
    (void)o;
    if (sn_unlikely(m->seen != NULL)) {
        return see_read(m, c, home, type, at);
    }
    return read_end(m, c, home, type, at);
}

static uint64_t unloaded_writeback(struct sn_machine *m, struct sn_cpu *c,
                                   unsigned home, uint64_t at)
{
    if (sn_unlikely(m->seen != NULL)) {
        return see_writeback(m, c, home, at);
    }
    return writeback_end(m, c, home, at);
}

const struct sn_time_model sn_time_unloaded = {
    .queues = false,
    .init = unloaded_init,
    .free = unloaded_free,
    .reset = unloaded_reset,
    .state = unloaded_state,
    .hit = unloaded_hit,
    .complete = unloaded_complete,
    .settle = unloaded_settle,
    .drain = unloaded_drain,
    .issue = unloaded_issue,
    .request = unloaded_request,
    .net = unloaded_net,
    .md = unloaded_md,
    .reply = unloaded_reply,
    .finish = unloaded_finish,
    .read = unloaded_read,
    .writeback = unloaded_writeback,
    .snoop = unloaded_snoop,
    .owner = unloaded_owner,
    .sharer = unloaded_sharer,
    .stream = unloaded_stream,
    .queue_full = unloaded_queue_full,
    .queue_add = unloaded_queue_add,
};
