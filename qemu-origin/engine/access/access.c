/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a processor's access does to its caches, and when it becomes a
 * transaction: loads, stores, fetches, LL/SC, prefetches, CACHE instructions.
 * Requests as in thesis table 4.2; a write prefetch leaves the line modified
 * (4.1.2, footnote).  Events as in regs/ev_r10k.h.inc.
 *
 * Left out: the R10000's speculative accesses, which could touch lines that
 * the program does not; prefetches cost nothing and always succeed.
 */
#include "access/evict.h"
#include "access/exec.h"
#include "access/order.h"
#include "access/tell.h"
#include "time/models.h"

/* One access of a CPU: what the functions below pass on to each other. */
struct access {
    struct sn_issue is; /* pa, kind, from */
    uint64_t now;       /* ticks */
    uint32_t ticks;     /* to stall so far */
    unsigned flags;     /* SN_F_* */
    uint32_t contested; /* SN_CONTESTED if the L2's line is, else 0 */
};

/* Not inline: without an observer an access should not pay for this. */
static void __attribute__((noinline))
show(const struct sn_machine *m, const struct sn_cpu *c, const struct access *a,
     const struct sn_outcome *o, uint64_t ps, uint32_t stall, bool upgrade)
{
    /* A bus error without latency means that no node has such memory. */
    bool nowhere = o->tx == SN_TX_BERR && !ps;
    struct sn_wait wait[SN_WAITS_MAX];
    unsigned waits = 0;
    struct sn_observed seen = {
        .pa = a->is.pa,
        .now = a->now,
        .ps = ps,
        .from = a->is.from,
        .stall = stall,
        .cpu = c->index,
        .home = nowhere ? -1 : (int16_t)sn_home(m, a->is.pa),
        .kind = (uint8_t)a->is.kind,
        .tx = o->tx,
        .upgrade = upgrade,
        .backoff = o->backoff,
        .owner = upgrade || o->mesi == SN_M,
        .refused = o->flags & SN_F_BUSERR,
        .transaction = m->seen_room.transaction,
        .start = m->time->queues ? a->is.at : sn_abs_ps(m, a->now),
    };

    if (m->time->waits) {
        const struct sn_wait *w = m->time->waits(m, &waits);

        for (unsigned i = 0; i < waits; i++) {
            wait[i] = w[i];
            wait[i].time = (uint32_t)sn_to_ticks(m, w[i].time);
        }
    }
    seen.waits = (uint16_t)waits;
    seen.wait = wait;
    m->observer->done(m->observer->opaque, &seen);
}

/* A transaction is complete: report it to ops.trace and to the observer. */
static inline void report(const struct sn_machine *m, const struct sn_cpu *c,
                          const struct access *a, const struct sn_outcome *o,
                          uint64_t ps, uint32_t stall, bool upgrade)
{
    if (sn_unlikely(m->ops.trace != NULL)) {
        m->ops.trace(m->opaque, c->index, o->tx, a->is.pa, a->now,
                     (uint32_t)sn_to_ticks(m, ps));
    }
    if (sn_unlikely(m->observer != NULL)) {
        show(m, c, a, o, ps, stall, upgrade);
    }
}

/* What a miss or an upgrade costs the CPU; before its transaction begins. */
static inline void ease(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                        bool upgrade)
{
    if (sn_unlikely(m->ease.of != NULL)) {
        c->ease = m->ease.of(m->ease.opaque, c->index, pa, upgrade);
    }
}

static uint64_t __attribute__((noinline))
shorten(const struct sn_machine *m, const struct sn_cpu *c, uint64_t at,
        uint64_t ps, struct sn_outcome *o)
{
    uint64_t own = c->ps[SN_P_OWN_CYCLE];

    if (m->time->queues) {
        o->word = at + sn_eased(c, o->word - at);
        o->done = at + sn_eased(c, o->done - at);
        o->data = at + sn_eased(c, o->data - at);
    }
    /* The instruction's own cycle is no part of its stall. */
    return ps > own ? own + sn_eased(c, ps - own) : ps;
}

/*
 * A miss that costs nothing must not make others wait for the buses, memories and
 * links that it goes through: the model without queues walks it.
 */
static uint64_t __attribute__((noinline))
transact_free(struct sn_machine *m, const struct sn_cpu *c,
              const struct access *a, unsigned type, uint64_t at,
              struct sn_outcome *o)
{
    const struct sn_time_model *own = m->time;
    void *state = m->time_state;
    uint64_t ps;

    m->time = sn_time_models[SN_TIME_UNLOADED];
    m->time_state = m->ease.state;
    ps = sn_transact(m, c->agent, a->is.pa, type, a->now, at, o);
    m->time = own;
    m->time_state = state;
    o->word = o->done = o->data = at;
    return shorten(m, c, at, ps, o);
}

/* sn_transact(), as long as the CPU waits for it */
static inline uint64_t transact(struct sn_machine *m, const struct sn_cpu *c,
                                const struct access *a, unsigned type,
                                uint64_t at, struct sn_outcome *o)
{
    uint64_t ps;

    if (sn_unlikely(!c->ease) && m->time->queues) {
        return transact_free(m, c, a, type, at, o);
    }
    ps = sn_transact(m, c->agent, a->is.pa, type, a->now, at, o);
    return sn_likely(c->ease == SN_EASE_ONE) ? ps : shorten(m, c, at, ps, o);
}

/* The L2 has the line shared, the access needs to write it. */
static unsigned __attribute__((noinline))
l2_upgrade(struct sn_machine *m, struct sn_cpu *c, struct access *a,
           uint32_t *set, unsigned way)
{
    struct sn_issue *is = &a->is;
    struct sn_outcome o;
    uint64_t at, ps;
    uint32_t stall;

    sn_ev(m, c, SN_R10K_STORE_SHARED, 1);
    ease(m, c, is->pa, true);
    at = m->time->issue(m, c, is);
    ps = transact(m, c, a, SN_UPGRD, at, &o);
    stall = m->time->complete(m, c, is, &o, ps, true);
    a->ticks += stall;
    report(m, c, a, &o, ps, stall, true);
    a->flags |= o.flags;
    /* The line may have gone meanwhile: only a bus error does that. */
    if (o.flags & SN_F_BUSERR) {
        sn_cpu_drop(m, c, is->pa);
        return SN_I;
    }
    sn_tag_set_state(set, way, SN_M);
    if (o.flags & SN_F_CONTESTED) {
        sn_order_contest(m, c, is->pa, true);
    }
    a->contested = set[way] & SN_CONTESTED;
    return SN_M;
}

/* A line leaves the L2. */
static inline void l2_replace(struct sn_machine *m, struct sn_cpu *c,
                              const struct sn_cache *l2, const struct access *a,
                              uint32_t *set, unsigned way, uint64_t at)
{
    unsigned st = sn_tag_state(set, way);
    uint64_t old = sn_cache_addr(l2, set[way], sn_cache_index(l2, a->is.pa));

    sn_l1_purge(m, c, old);
    sn_tag_set_state(set, way, SN_I);
    if (st == SN_M) {
        sn_ev(m, c, SN_R10K_SC_QUAD_WB, m->line_bytes / 16);
        sn_writeback(m, c->agent, old, SN_WB, a->now, at);
    } else if (sn_unlikely(m->observer != NULL)) {
        sn_tell_dropped(m, c, old, a->now);
    }
}

/*
 * With one way the line of an LL and that of the code up to its SC may have the
 * same place, and would push each other out for ever.  Then the code is used once
 * and does not stay.
 */
static inline bool keeps_link(const struct sn_cpu *c, const struct sn_cache *l2,
                              const struct sn_issue *is, const uint32_t *set)
{
    return l2->ways == 1 && is->kind == SN_IFETCH &&
           sn_tag_state(set, 0) != SN_I &&
           sn_cache_addr(l2, set[0], sn_cache_index(l2, is->pa)) >>
                   l2->line_shift ==
               c->link;
}

/* The L2 misses: a victim leaves, the line comes by request `req`. */
static inline unsigned l2_miss(struct sn_machine *m, struct sn_cpu *c,
                               const struct sn_cache *l2, struct access *a,
                               unsigned req, uint32_t *set, uint32_t tag)
{
    struct sn_issue *is = &a->is;
    bool once = keeps_link(c, l2, is, set);
    unsigned victim;
    struct sn_outcome o;
    uint64_t at, ps;
    uint32_t stall;

    ease(m, c, is->pa, false);
    at = m->time->issue(m, c, is);
    a->flags |= SN_F_L2MISS;
    sn_ev(m, c, is->kind == SN_IFETCH ? SN_R10K_L2I_MISS : SN_R10K_L2D_MISS, 1);
    victim = sn_cache_victim(l2, set, &c->rng);
    if (sn_tag_state(set, victim) != SN_I && !once) {
        l2_replace(m, c, l2, a, set, victim, at);
    }
    ps = transact(m, c, a, req, at, &o);
    stall = m->time->complete(m, c, is, &o, ps, false);
    a->ticks += stall;
    a->flags |= o.flags;
    if (o.mesi != SN_I && !once) {
        a->contested = o.flags & SN_F_CONTESTED ? SN_CONTESTED : 0;
        sn_tag_put(set, victim, tag | a->contested, o.mesi);
        sn_cache_use(l2, set, victim);
    }
    report(m, c, a, &o, ps, stall, false);
    if (sn_unlikely(once)) {
        if (m->observer) {
            sn_tell_dropped(m, c, sn_line_of(m, is->pa), a->now);
        }
        sn_l1_note(m, c, true, sn_line_of(m, is->pa));
        return SN_I;
    }
    return o.mesi;
}

/*
 * Make the L2 hold the line with the right that `req` needs (READ, RDSH or
 * RDEX).  Returns its state there; I: bus error, or data to be used once.
 */
static inline __attribute__((always_inline)) unsigned
l2_access(struct sn_machine *m, struct sn_cpu *c, const struct sn_cache *l2,
          struct access *a, unsigned req)
{
    uint64_t pa = a->is.pa;
    uint32_t *s = sn_cache_set(l2, pa);
    uint32_t tag = sn_cache_tag(l2, pa);
    int w = sn_cache_find(l2, s, tag);
    uint32_t hit = c->fast.t_l2hit;
    unsigned st;

    if (w < 0) {
        return l2_miss(m, c, l2, a, req, s, tag);
    }
    if (sn_cache_mru(l2, s) != (unsigned)w) {
        sn_ev(m, c,
              a->is.kind == SN_IFETCH ? SN_R10K_I_MISPREDICT_WAY
                                      : SN_R10K_D_MISPREDICT_WAY,
              1);
        sn_cache_use(l2, s, (unsigned)w);
        hit += c->fast.t_way;
    }
    st = sn_tag_state(s, (unsigned)w);
    if (req == SN_RDEX && st == SN_S) {
        return l2_upgrade(m, c, a, s, (unsigned)w);
    }
    if (req == SN_RDEX && st == SN_E) {
        sn_ev(m, c, SN_R10K_STORE_CLEAN, 1);
        sn_tag_set_state(s, (unsigned)w, SN_M);
        st = SN_M;
    }
    a->contested = s[w] & SN_CONTESTED;
    a->ticks += m->time->hit(m, c, a->is.kind, a->now, hit);
    return st;
}

static unsigned __attribute__((noinline))
l2_usual(struct sn_machine *m, struct sn_cpu *c, struct access *a, unsigned req)
{
    const struct sn_cache l2 = sn_fast_l2c(&c->fast, true);

    return l2_access(m, c, &l2, a, req);
}

static unsigned __attribute__((noinline))
l2_any(struct sn_machine *m, struct sn_cpu *c, struct access *a, unsigned req)
{
    return l2_access(m, c, &c->fast.l2, a, req);
}

static inline unsigned l2_line(struct sn_machine *m, struct sn_cpu *c,
                               struct access *a, unsigned req, bool usual)
{
    return usual ? l2_usual(m, c, a, req) : l2_any(m, c, a, req);
}

/* The L1 holds the line exclusive and clean; the L2 line becomes modified. */
static void l2_make_dirty(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2;
    uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));

    SN_DASSERT(w >= 0);
    if (sn_tag_state(s, (unsigned)w) == SN_E) {
        sn_ev(m, c, SN_R10K_STORE_CLEAN, 1);
        sn_tag_set_state(s, (unsigned)w, SN_M);
    }
}

static inline __attribute__((always_inline)) void
fetch(struct sn_machine *m, struct sn_cpu *c, struct access *a, bool usual)
{
    const struct sn_cache l1 = sn_fast_l1i(&c->fast, usual);
    uint64_t pa = a->is.pa;
    uint32_t *s = sn_cache_set(&l1, pa), tag = sn_cache_tag(&l1, pa);
    int w = sn_cache_find(&l1, s, tag);
    unsigned v;

    if (w >= 0) {
        sn_cache_use(&l1, s, (unsigned)w);
        return;
    }
    sn_ev(m, c, SN_R10K_L1I_MISS, 1);
    if (l2_line(m, c, a, SN_RDSH, usual) == SN_I) {
        return;
    }
    v = sn_cache_victim(&l1, s, NULL);
    sn_l1i_evict(m, c, &l1, sn_cache_index(&l1, pa), v);
    sn_tag_put(s, v, tag, SN_S);
    sn_cache_use(&l1, s, v);
}

/* SC: whether the link of LL still stands, which it then no longer does. */
static bool store_conditional(struct sn_machine *m, struct sn_cpu *c,
                              uint64_t pa)
{
    bool linked = c->link == pa >> m->line_shift;

    sn_ev(m, c, SN_R10K_SC_ISSUED, 1);
    sn_ev(m, c, linked ? SN_R10K_SC_GRADUATED : SN_R10K_SC_FAILED, 1);
    c->link = SN_NO_LINK;
    return linked;
}

/* A data access of any kind; false: the L1 did not get the line. */
static inline __attribute__((always_inline)) bool
data(struct sn_machine *m, struct sn_cpu *c, struct access *a, bool usual)
{
    const struct sn_cache l1 = sn_fast_l1d(&c->fast, usual);
    uint64_t pa = a->is.pa;
    unsigned kind = a->is.kind;
    uint32_t *s = sn_cache_set(&l1, pa), tag = sn_cache_tag(&l1, pa);
    bool write = kind == SN_STORE || kind == SN_SC || kind == SN_PREFX;
    int w = sn_cache_find(&l1, s, tag);
    unsigned st, v;

    if (w >= 0) {
        st = sn_tag_state(s, (unsigned)w);
        if (write && st == SN_E) { /* first store: no traffic */
            l2_make_dirty(m, c, pa);
        } else if (write && st == SN_S &&
                   l2_line(m, c, a, SN_RDEX, usual) == SN_I) {
            return false;
        }
        if (write) {
            sn_tag_set_state(s, (unsigned)w, SN_M);
        }
        sn_cache_use(&l1, s, (unsigned)w);
        return true;
    }
    sn_ev(m, c, SN_R10K_L1D_MISS, 1);
    st = l2_line(m, c, a,
                 write             ? SN_RDEX
                 : kind == SN_PREF ? SN_RDSH
                                   : SN_READ,
                 usual);
    if (st == SN_I) {
        return false;
    }
    v = sn_cache_victim(&l1, s, NULL);
    sn_l1d_evict(m, c, &l1, sn_cache_index(&l1, pa), v);
    sn_tag_put(s, v, tag | a->contested,
               write        ? SN_M
               : st == SN_S ? SN_S
                            : SN_E);
    sn_cache_use(&l1, s, v);
    return true;
}

static inline __attribute__((always_inline)) void
make(struct sn_machine *m, struct sn_cpu *c, struct access *a, bool usual)
{
    unsigned kind = a->is.kind;
    uint64_t pa = a->is.pa;

    if (kind == SN_IFETCH) {
        fetch(m, c, a, usual);
    } else if (kind == SN_SC && !store_conditional(m, c, pa)) {
        a->flags = SN_F_SCFAIL;
    } else if (!data(m, c, a, usual)) {
        if (kind >= SN_PREF) { /* a prefetch never faults */
            a->flags &= ~SN_F_BUSERR;
        }
    } else if (kind == SN_LL) {
        c->link = pa >> m->line_shift;
    }
}

static void __attribute__((noinline))
make_any(struct sn_machine *m, struct sn_cpu *c, struct access *a)
{
    make(m, c, a, false);
}

uint32_t sn_access(struct sn_machine *m, unsigned cpu, uint64_t pa,
                   enum sn_kind kind, uint64_t now, uintptr_t from,
                   unsigned *flags)
{
    struct sn_cpu *c = &m->cpu[cpu];
    struct access a;

    a.is.pa = pa;
    a.now = a.is.now = now;
    a.is.from = from;
    a.is.kind = kind;
    a.ticks = 0;
    a.flags = 0;
    a.contested = 0;
    if (sn_likely(c->fast.usual)) {
        make(m, c, &a, true);
    } else {
        make_any(m, c, &a);
    }
    *flags = a.flags;
    return a.ticks;
}

/* ---- CACHE instructions ---- */

/* The way that an index operation names; it can name two (R10000 manual 14). */
static int op_way(const struct sn_cache *k, uint64_t pa)
{
    return k->ways > 1 ? (int)(pa & 1) : 0;
}

/* The way of the secondary cache with the line that @op is about, -1: none */
static int l2_op_way(const struct sn_cpu *c, unsigned op, uint64_t pa)
{
    const struct sn_cache *l2 = &c->fast.l2;
    const uint32_t *s = sn_cache_set(l2, pa);
    bool by_index = !(op >> 2 & 7);
    int w =
        by_index ? op_way(l2, pa) : sn_cache_find(l2, s, sn_cache_tag(l2, pa));

    return w >= 0 && sn_tag_state(s, (unsigned)w) != SN_I ? w : -1;
}

bool sn_cacheop_own(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa)
{
    const struct sn_cpu *c = &m->cpu[cpu];

    return !c->fast.watched && ((op & 3) != 3 || l2_op_way(c, op, pa) < 0);
}

static uint32_t l2_writeback(struct sn_machine *m, struct sn_cpu *c,
                             uint64_t at, unsigned way, bool keep_data,
                             uint64_t now)
{
    const struct sn_cache *l2 = &c->fast.l2;
    uint32_t *s = sn_cache_set(l2, at);
    unsigned st = sn_tag_state(s, way);
    uint64_t pa = sn_cache_addr(l2, s[way], sn_cache_index(l2, at));
    uint32_t ticks = 0;

    sn_l1_purge(m, c, pa);
    sn_tag_set_state(s, way, SN_I);
    if (st == SN_M && keep_data) {
        sn_ev(m, c, SN_R10K_SC_QUAD_WB, m->line_bytes / 16);
        sn_writeback(m, c->agent, pa, SN_WB, now, sn_abs_ps(m, now));
        ticks = (uint32_t)sn_to_ticks(m, c->ps[SN_P_DIRTY]);
    }
    if (sn_unlikely(m->observer != NULL)) {
        m->observer->flushed(m->observer->opaque, c->index, pa);
    }
    return ticks;
}

uint32_t sn_cacheop(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa, uint64_t now)
{
    struct sn_cpu *c = &m->cpu[cpu];
    unsigned which = op & 3, what = op >> 2 & 7;
    const struct sn_cache *d = &c->fast.d, *i = &c->fast.i;
    uint32_t wait = sn_cpu_drain(m, c, now);
    int w;

    switch (which << 3 | what) {
    case 0 << 3 | 0: /* Index Invalidate (I) */
        sn_l1i_evict(m, c, i, sn_cache_index(i, pa), (unsigned)op_way(i, pa));
        break;
    case 0 << 3 | 4: /* Hit Invalidate (I) */
        w = sn_cache_find(i, sn_cache_set(i, pa), sn_cache_tag(i, pa));
        if (w >= 0) {
            sn_l1i_evict(m, c, i, sn_cache_index(i, pa), (unsigned)w);
        }
        break;
    case 1 << 3 | 0: /* Index WriteBack Invalidate (D) */
        sn_l1d_evict(m, c, d, sn_cache_index(d, pa), (unsigned)op_way(d, pa));
        break;
    case 1 << 3 | 4: /* Hit Invalidate (D): modified words are lost */
    case 1 << 3 | 5: /* Hit WriteBack Invalidate (D) */
        w = sn_cache_find(d, sn_cache_set(d, pa), sn_cache_tag(d, pa));
        if (w >= 0) {
            sn_l1d_evict(m, c, d, sn_cache_index(d, pa), (unsigned)w);
        }
        break;
    case 3 << 3 | 0: /* Index WriteBack Invalidate (S) */
    case 3 << 3 | 4: /* Hit Invalidate (S) */
    case 3 << 3 | 5: /* Hit WriteBack Invalidate (S) */
        w = l2_op_way(c, op, pa);
        if (w >= 0) {
            return wait + l2_writeback(m, c, pa, (unsigned)w, what != 4, now);
        }
        break;
    default: /* tag and data diagnostics, barrier: no effect */
        break;
    }
    return wait;
}
