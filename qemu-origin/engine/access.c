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
#include "full.h"
#include "machine.h"

_Static_assert(SN_L1D_SETS << SN_L1D_SHIFT == 16384 &&
               SN_L1I_SETS << SN_L1I_SHIFT == 16384,
               "an L1 way is one page of the guest: no virtual aliases");

static inline void filter_data(struct sn_cpu *c, unsigned set, uint64_t key,
                               bool writable)
{
    if (c->f) {
        c->f->d[set].ld = key;
        c->f->d[set].st = writable ? key : SN_KEY_NONE;
    }
}

static inline void filter_insn(struct sn_cpu *c, unsigned set, uint64_t key)
{
    if (c->f) {
        c->f->i[set] = key;
    }
}

static void drop_note(struct sn_machine *m, struct sn_cpu *c, bool insn, uint64_t pa)
{
    if (m->ops.l1_drop) {
        m->ops.l1_drop(m->opaque, c->index, insn, pa);
    }
}

/* Take an L1D way's line out; modified data goes to the L2. */
static void l1d_evict(struct sn_machine *m, struct sn_cpu *c, unsigned set,
                      unsigned way)
{
    uint32_t *s = c->l1d[set];
    unsigned st = sn_tag_state(s, way);

    if (st == SN_I) {
        return;
    }
    if (st == SN_M) {
        sn_ev(m, c, SN_EV_R10K_L1D_QUAD_WB, 2);
    }
    sn_tag_set_state(s, way, SN_I);
    if (sn_tag_mru(s) == way) {
        filter_data(c, set, SN_KEY_NONE, false);
    }
    drop_note(m, c, false, sn_l1_addr(s[way], set, SN_L1D_SHIFT));
}

static void l1i_evict(struct sn_machine *m, struct sn_cpu *c, unsigned set,
                      unsigned way)
{
    uint32_t *s = c->l1i[set];

    if (sn_tag_state(s, way) == SN_I) {
        return;
    }
    sn_tag_set_state(s, way, SN_I);
    if (sn_tag_mru(s) == way) {
        filter_insn(c, set, SN_KEY_NONE);
    }
    drop_note(m, c, true, sn_l1_addr(s[way], set, SN_L1I_SHIFT));
}

/* None of the n words has this tag: what most lines that leave the L2 find in the L1. */
static inline bool no_tag(const uint32_t *s, unsigned n, uint32_t tag)
{
    uint32_t same = 0;

    for (unsigned i = 0; i < n; i++) {
        same |= ((s[i] ^ tag) & SN_TAG_BITS) == 0;
    }
    return !same;
}

/* The primary lines of an L2 line leave (inclusion). */
static void l1_purge(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t tag = sn_l1_tag(pa);
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1) & ~3u;

    for (unsigned i = no_tag(&c->l1d[set][0], 8, tag) ? 4 : 0; i < 4; i++) {
        int w = sn_tag_find(c->l1d[set + i], tag);

        if (w >= 0) {
            l1d_evict(m, c, set + i, (unsigned)w);
        }
    }
    set = (unsigned)(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1) & ~1u;
    for (unsigned i = no_tag(&c->l1i[set][0], 4, tag) ? 2 : 0; i < 2; i++) {
        int w = sn_tag_find(c->l1i[set + i], tag);

        if (w >= 0) {
            l1i_evict(m, c, set + i, (unsigned)w);
        }
    }
    if (c->link == pa >> SN_LINE_SHIFT) {
        c->link = SN_NO_LINK;
    }
}

void sn_cpu_drop(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = sn_l2_set(&c->l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->l2, pa));

    if (w >= 0) {
        l1_purge(m, c, pa & ~(uint64_t)(SN_LINE_SIZE - 1));
        sn_tag_set_state(s, (unsigned)w, SN_I);
    }
}

void sn_cpu_downgrade(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = sn_l2_set(&c->l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->l2, pa));
    uint32_t tag = sn_l1_tag(pa);
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1) & ~3u;

    if (w < 0) {
        return;
    }
    sn_tag_set_state(s, (unsigned)w, SN_S);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t *l = c->l1d[set + i];
        int k = sn_tag_find(l, tag);

        if (k < 0) {
            continue;
        }
        if (sn_tag_state(l, (unsigned)k) == SN_M) {
            sn_ev(m, c, SN_EV_R10K_L1D_QUAD_WB, 2);
        }
        sn_tag_set_state(l, (unsigned)k, SN_S);
        if (c->f && sn_tag_mru(l) == (unsigned)k) {
            c->f->d[set + i].st = SN_KEY_NONE;
        }
        drop_note(m, c, false, sn_l1_addr(l[k], set + i, SN_L1D_SHIFT));
    }
}

/* Ticks of a transaction beyond the instruction's own cycle. */
static uint32_t stall(const struct sn_machine *m, const struct sn_cpu *c, uint64_t ps)
{
    return (uint32_t)sn_to_ticks(m, ps > c->ps[SN_P_OWN_CYCLE] ?
                                 ps - c->ps[SN_P_OWN_CYCLE] : 0);
}

static inline void trace(const struct sn_machine *m, const struct sn_cpu *c,
                         const struct sn_outcome *o, uint64_t pa, uint64_t now,
                         uint64_t ps)
{
    if (sn_unlikely(m->ops.trace != NULL)) {
        m->ops.trace(m->opaque, c->index, o->tx, pa, now, (uint32_t)sn_to_ticks(m, ps));
    }
}

/* Second stage: when a miss is ready to go out on the SysAD. */
static uint64_t miss_full(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                          enum sn_kind kind, uint64_t now, struct sn_issue *is)
{
    if (!m->full) {
        return 0;
    }
    sn_ooo_begin(m, c, pa, kind, now, is);
    /* It waits for a miss register with its tags checked. */
    is->at = sn_full_tag(m, c, is->at) + c->ps[SN_P_L2_MISS];
    sn_ooo_slot(m, c, is);
    return is->at;
}

/*
 * Make the L2 hold the line of pa with the right that `req` needs (READ, RDSH
 * or RDEX).  Returns its state there (I: bus error or use once) and adds to
 * *ticks.
 */
static unsigned l2_access(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                          unsigned req, enum sn_kind kind, uint64_t now, uint32_t *ticks,
                          unsigned *flags)
{
    uint32_t *s = sn_l2_set(&c->l2, pa);
    uint32_t tag = sn_l2_tag(&c->l2, pa);
    bool insn = kind == SN_IFETCH;
    struct sn_outcome o;
    struct sn_issue is;
    unsigned st, victim;
    int w = sn_tag_find(s, tag);
    uint64_t ps, line;

    if (sn_likely(w >= 0)) {
        uint32_t hit = c->t_l2hit;

        if (sn_tag_mru(s) != (unsigned)w) {
            sn_ev(m, c, insn ? SN_EV_R10K_I_MISPREDICT_WAY :
                  SN_EV_R10K_D_MISPREDICT_WAY, 1);
            sn_tag_set_mru(s, (unsigned)w);
            hit += c->t_way;
        }
        st = sn_tag_state(s, (unsigned)w);
        if (req != SN_RDEX || st != SN_S) {
            if (req == SN_RDEX && st == SN_E) {
                sn_ev(m, c, SN_EV_R10K_STORE_CLEAN, 1);
                sn_tag_set_state(s, (unsigned)w, SN_M);
                st = SN_M;
            }
            *ticks += c->ooo.n ? sn_ooo_hit(m, c, kind, now, hit) : hit;
            return st;
        }
        sn_ev(m, c, SN_EV_R10K_STORE_SHARED, 1);
        line = miss_full(m, c, pa, kind, now, &is);
        ps = sn_transact_at(m, c->agent, pa, SN_UPGRD, now, line, &o);
        trace(m, c, &o, pa, now, ps);
        *ticks += m->full ? sn_ooo_end(m, c, &is, o.word, o.done, o.done, true) :
                            stall(m, c, ps);
        *flags |= o.flags;
        /* The line may have gone meanwhile: only a bus error does that. */
        if (o.flags & SN_F_BUSERR) {
            sn_cpu_drop(m, c, pa);
            return SN_I;
        }
        sn_tag_set_state(s, (unsigned)w, SN_M);
        return SN_M;
    }

    line = miss_full(m, c, pa, kind, now, &is);
    *flags |= SN_F_L2MISS;
    sn_ev(m, c, insn ? SN_EV_R10K_L2I_MISS : SN_EV_R10K_L2D_MISS, 1);
    victim = sn_l2_victim(s, &c->rng);
    st = sn_tag_state(s, victim);
    if (st != SN_I) {
        uint64_t old = sn_l2_addr(&c->l2, s[victim],
                                  (uint32_t)(pa >> SN_LINE_SHIFT) & c->l2.set_mask);

        l1_purge(m, c, old);
        sn_tag_set_state(s, victim, SN_I);
        if (st == SN_M) {
            sn_ev(m, c, SN_EV_R10K_SC_QUAD_WB, SN_LINE_SIZE / 16);
            sn_writeback_at(m, c->agent, old, SN_WB, now, line);
        }
    }
    ps = sn_transact_at(m, c->agent, pa, req, now, line, &o);
    *ticks += m->full ? sn_ooo_end(m, c, &is, o.word, o.done, o.data, false) :
                        stall(m, c, ps);
    *flags |= o.flags;
    if (o.mesi != SN_I) {
        sn_tag_put(s, victim, tag, o.mesi);
        sn_tag_set_mru(s, victim);
    }
    trace(m, c, &o, pa, now, ps);
    return o.mesi;
}

/* The L1 holds the line exclusive and clean; the L2 line becomes modified. */
static void l2_make_dirty(struct sn_machine *m, struct sn_cpu *c, uint64_t pa)
{
    uint32_t *s = sn_l2_set(&c->l2, pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->l2, pa));

    SN_DASSERT(w >= 0);
    if (sn_tag_state(s, (unsigned)w) == SN_E) {
        sn_ev(m, c, SN_EV_R10K_STORE_CLEAN, 1);
        sn_tag_set_state(s, (unsigned)w, SN_M);
    }
}

static uint32_t fetch(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                      uint64_t key, uint64_t now, unsigned *flags)
{
    unsigned set = (unsigned)(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1);
    uint32_t *s = c->l1i[set];
    int w = sn_tag_find(s, sn_l1_tag(pa));
    uint32_t ticks = 0;
    unsigned v;

    if (w >= 0) {
        sn_tag_set_mru(s, (unsigned)w);
        filter_insn(c, set, key);
        return 0;
    }
    sn_ev(m, c, SN_EV_R10K_L1I_MISS, 1);
    if (l2_access(m, c, pa, SN_RDSH, SN_IFETCH, now, &ticks, flags) == SN_I) {
        return ticks;
    }
    v = sn_l1_victim(s);
    l1i_evict(m, c, set, v);
    sn_tag_put(s, v, sn_l1_tag(pa), SN_S);
    sn_tag_set_mru(s, v);
    filter_insn(c, set, key);
    return ticks;
}

uint32_t sn_access(struct sn_machine *m, unsigned cpu, uint64_t pa,
                   enum sn_kind kind, uint64_t key, uint64_t now,
                   unsigned *flags)
{
    struct sn_cpu *c = &m->cpu[cpu];
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1);
    uint32_t *s = c->l1d[set];
    uint32_t tag = sn_l1_tag(pa);
    uint32_t ticks = 0;
    bool wr = kind == SN_STORE || kind == SN_SC || kind == SN_PREFX;
    unsigned st, l2st, v;
    int w;

    *flags = 0;
    if (kind == SN_IFETCH) {
        return fetch(m, c, pa, key, now, flags);
    }
    if (sn_unlikely(kind == SN_SC)) {
        sn_ev(m, c, SN_EV_R10K_SC_ISSUED, 1);
        if (c->link != pa >> SN_LINE_SHIFT) {
            c->link = SN_NO_LINK;
            sn_ev(m, c, SN_EV_R10K_SC_FAILED, 1);
            *flags = SN_F_SCFAIL;
            return 0;
        }
        sn_ev(m, c, SN_EV_R10K_SC_GRADUATED, 1);
        c->link = SN_NO_LINK;
    }

    w = sn_tag_find(s, tag);
    if (w >= 0) {
        st = sn_tag_state(s, (unsigned)w);
        if (wr && st != SN_M) {
            if (st == SN_E) {       /* first store: no traffic */
                l2_make_dirty(m, c, pa);
            } else {
                l2st = l2_access(m, c, pa, SN_RDEX, kind, now, &ticks, flags);
                if (l2st == SN_I) {
                    return ticks;
                }
            }
            st = SN_M;
            sn_tag_set_state(s, (unsigned)w, SN_M);
        }
        sn_tag_set_mru(s, (unsigned)w);
        filter_data(c, set, key, st == SN_M);
    } else {
        sn_ev(m, c, SN_EV_R10K_L1D_MISS, 1);
        l2st = l2_access(m, c, pa, wr ? SN_RDEX : kind == SN_PREF ? SN_RDSH : SN_READ,
                         kind, now, &ticks, flags);
        if (l2st == SN_I) {
            if (kind >= SN_PREF) {      /* a prefetch never faults */
                *flags &= ~SN_F_BUSERR;
                return m->full ? ticks : 0;
            }
            return ticks;
        }
        v = sn_l1_victim(s);
        l1d_evict(m, c, set, v);
        st = wr ? SN_M : l2st == SN_S ? SN_S : SN_E;
        sn_tag_put(s, v, tag, st);
        sn_tag_set_mru(s, v);
        filter_data(c, set, key, st == SN_M);
    }
    if (sn_unlikely(kind == SN_LL)) {
        c->link = pa >> SN_LINE_SHIFT;
    } else if (kind >= SN_PREF) {
        return m->full ? ticks : 0;     /* nobody waits for a prefetch's data */
    }
    return ticks;
}

/* ---- CACHE instructions ---- */

static uint32_t l2_writeback(struct sn_machine *m, struct sn_cpu *c, uint32_t *s,
                             unsigned way, uint32_t set, bool keep_data,
                             uint64_t now)
{
    unsigned st = sn_tag_state(s, way);
    uint64_t pa = sn_l2_addr(&c->l2, s[way], set);

    if (st == SN_I) {
        return 0;
    }
    l1_purge(m, c, pa);
    sn_tag_set_state(s, way, SN_I);
    if (st != SN_M || !keep_data) {
        return 0;
    }
    sn_ev(m, c, SN_EV_R10K_SC_QUAD_WB, SN_LINE_SIZE / 16);
    sn_writeback(m, c->agent, pa, SN_WB, now);
    return (uint32_t)sn_to_ticks(m, c->ps[SN_P_DIRTY]);
}

uint32_t sn_cacheop(struct sn_machine *m, unsigned cpu, unsigned op,
                    uint64_t pa, uint64_t now)
{
    struct sn_cpu *c = &m->cpu[cpu];
    unsigned which = op & 3, what = op >> 2 & 7;
    unsigned way = (unsigned)(pa & 1);
    unsigned dset = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1);
    unsigned iset = (unsigned)(pa >> SN_L1I_SHIFT) & (SN_L1I_SETS - 1);
    uint32_t wait = sn_cpu_drain(m, cpu, now);
    uint32_t *s;
    int w;

    switch (which << 3 | what) {
    case 0 << 3 | 0:            /* Index Invalidate (I) */
        l1i_evict(m, c, iset, way);
        break;
    case 0 << 3 | 4:            /* Hit Invalidate (I) */
        w = sn_tag_find(c->l1i[iset], sn_l1_tag(pa));
        if (w >= 0) {
            l1i_evict(m, c, iset, (unsigned)w);
        }
        break;
    case 1 << 3 | 0:            /* Index WriteBack Invalidate (D) */
        l1d_evict(m, c, dset, way);
        break;
    case 1 << 3 | 4:            /* Hit Invalidate (D): modified words are lost */
    case 1 << 3 | 5:            /* Hit WriteBack Invalidate (D) */
        w = sn_tag_find(c->l1d[dset], sn_l1_tag(pa));
        if (w >= 0) {
            l1d_evict(m, c, dset, (unsigned)w);
        }
        break;
    case 3 << 3 | 0: {          /* Index WriteBack Invalidate (S) */
        uint32_t set = (uint32_t)(pa >> SN_LINE_SHIFT) & c->l2.set_mask;

        return wait + l2_writeback(m, c, &c->l2.tag[2 * set], way, set, true, now);
    }
    case 3 << 3 | 4:            /* Hit Invalidate (S) */
    case 3 << 3 | 5:            /* Hit WriteBack Invalidate (S) */
        s = sn_l2_set(&c->l2, pa);
        w = sn_tag_find(s, sn_l2_tag(&c->l2, pa));
        if (w >= 0) {
            return wait + l2_writeback(m, c, s, (unsigned)w,
                                (uint32_t)(pa >> SN_LINE_SHIFT) & c->l2.set_mask,
                                what == 5, now);
        }
        break;
    default:                    /* tag and data diagnostics, barrier: no effect */
        break;
    }
    return wait;
}
