/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overlapping misses of one processor; see ooo.h. */
#include <string.h>

#include "time/ooo.h"

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t to_ticks_up(const struct sn_machine *m, uint64_t ps)
{
    return sn_to_ticks(m, ps + 1000000000000u / m->tick_hz);
}

void sn_ooo_reset(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o)
{
    const struct sn_cpu_desc *d =
        &m->desc->node[c->node].cpu[c->index % SN_NODE_CPUS];

    memset(o, 0, sizeof(*o));
    if (c->present) {
        o->insn_ps = 1000000000u / d->khz;
        o->per_insn = UINT64_MAX / o->insn_ps + 1;
        o->list = m->desc->what.list ? m->desc->what.list
                  : c->r12k          ? SN_WINDOW_R12K
                                     : SN_WINDOW_R10K;
        o->slots = m->desc->what.misses ? m->desc->what.misses : SN_MSHRS;
        o->window =
            (uint64_t)(o->list * (double)m->tick_hz / (d->khz * 1000.0) + 0.5);
    }
}

/* The CPU stalls until `ps`, if that is later than its clock. */
static void wait(struct sn_machine *m, struct sn_issue *is, uint64_t ps)
{
    uint64_t now = sn_abs_ps(m, is->now + is->stall);

    if (ps > now) {
        is->stall += to_ticks_up(m, ps - now);
    }
}

/* Both instructions are counted: their numbers say how far they are apart. */
static bool counted(const struct sn_miss *e, const struct sn_issue *is)
{
    return is->number && e->number;
}

/*
 * Ticks, without stalls, since the CPU's place in the program left the window of
 * miss e.  False: it has not.
 */
static bool left_window(const struct sn_ooo *o, const struct sn_miss *e,
                        const struct sn_issue *is, uint64_t *since)
{
    uint64_t passed = is->base - e->base, insns;

    if (!counted(e, is)) {
        *since = passed - o->window;
        return is->base >= e->base + o->window;
    }
    if (is->number < e->number + o->list) {
        return false;
    }
    /*
     * The instructions between the two took time evenly.  Accesses that were waited
     * for have given their own cycle back, and may have had less than that.
     */
    insns = is->number - e->number;
    passed = is->base > e->base ? passed : 0;
    *since = (uint64_t)((unsigned __int128)passed * (insns - o->list) / insns);
    return true;
}

/* May the address of an access still depend on the data of miss e? */
static bool in_reach(const struct sn_machine *m, const struct sn_ooo *o,
                     const struct sn_miss *e, const struct sn_issue *is,
                     uint64_t now)
{
    uint64_t reach = SN_REACH * o->insn_ps;

    return e->word + reach > now &&
           (counted(e, is) ? is->number < e->number + SN_REACH
                           : sn_abs_ps(m, is->base - e->base) < reach);
}

/*
 * The CPU's place in the program has left the window of some misses: it stalls
 * for these.  Misses that can no longer delay anything are forgotten.
 */
static void settle(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                   struct sn_issue *is)
{
    struct sn_pending *p = &c->fast.pending;
    uint64_t now = sn_abs_ps(m, is->now);
    unsigned left = 0;

    for (unsigned i = 0; i < p->n; i++) {
        struct sn_miss *e = &o->miss[i];
        uint64_t since;

        if (e->done > now && left_window(o, e, is, &since)) {
            wait(m, is, e->done + sn_abs_ps(m, since));
        }
    }
    now = sn_abs_ps(m, is->now + is->stall);
    for (unsigned i = 0; i < p->n; i++) {
        struct sn_miss *e = &o->miss[i];

        /* Beyond the window a miss counts only for what computes with it. */
        if (e->done > now || in_reach(m, o, e, is, now)) {
            if (left != i) {
                o->miss[left] = *e;
            }
            left++;
        }
    }
    p->n = left;
}

/*
 * When the data of miss e, on which the address of the new access may depend,
 * allow it to issue; 0: it does not depend.  `start`: when it would otherwise.
 */
static uint64_t wait_for_address(struct sn_machine *m, const struct sn_cpu *c,
                                 const struct sn_ooo *o,
                                 struct sn_depend *verdicts,
                                 const struct sn_miss *e,
                                 const struct sn_issue *is, uint64_t start)
{
    /* In a chain each instruction takes a cycle at least. */
    uint64_t behind = (counted(e, is) ? (is->number - e->number) * o->insn_ps
                                      : sn_abs_ps(m, is->base - e->base)) +
                      o->insn_ps / 2;
    unsigned dist;
    int d;

    /*
     * Even if all instructions between the two form one chain, the chain has ended
     * by `start`; or it is longer than depend.c follows.
     */
    if (e->word + behind <= start || behind >= (SN_REACH + 1) * o->insn_ps) {
        return 0;
    }
    dist = (unsigned)((unsigned __int128)behind * o->per_insn >> 64);
    if (e->word + dist * o->insn_ps <= start) {
        return 0;
    }
    d = sn_depend(verdicts, m, c->index, e, is, dist);
    if (d == -1) {
        return 0;
    }
    return e->word + (d > 0 ? (uint64_t)d * o->insn_ps : 0);
}

void sn_ooo_begin(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                  struct sn_depend *d, struct sn_issue *is)
{
    struct sn_pending *p = &c->fast.pending;
    struct sn_where w = { .now = is->now };
    bool known =
        m->ops.where && m->ops.where(m->opaque, c->index, is->from, &w);
    uint64_t ready = 0, start;

    if (known) {
        is->now = w.now;
    }
    is->base = is->now - p->stalled;
    is->pc = known ? w.pc : 0;
    is->insn = w.word;
    is->number = known ? w.number : 0;
    is->stall = 0;
    settle(m, c, o, is);
    start = sn_abs_ps(m, is->now + is->stall);
    for (unsigned i = 0; i < p->n; i++) {
        const struct sn_miss *e = &o->miss[i];
        uint64_t at = e->word;

        if (is->kind == SN_SC) {
            at = max(at, e->done);
        } else if ((counted(e, is) ? is->number >= e->number
                                   : is->base >= e->base) &&
                   e->line != (uint32_t)(is->pa >> m->line_shift) && is->pc &&
                   e->pc && is->kind != SN_IFETCH) {
            at = wait_for_address(m, c, o, d, e, is, start);
        }
        ready = max(ready, at);
    }
    if (is->kind == SN_SC || is->kind == SN_IFETCH) {
        wait(m, is, ready);
    }
    is->at = max(sn_abs_ps(m, is->now + is->stall), ready);
    if (p->n == SN_OOO_MAX) {
        wait(m, is, max(o->miss[0].done, o->miss[0].word));
        memmove(o->miss, o->miss + 1, (SN_OOO_MAX - 1) * sizeof(*o->miss));
        p->n--;
    }
}

void sn_ooo_slot(struct sn_ooo *o, struct sn_issue *is)
{
    unsigned n =
        is->kind == SN_STORE || is->kind == SN_SC || is->kind == SN_PREFX
            ? o->slots - (o->slots > 1)
            : o->slots;

    is->slot = 0;
    for (unsigned i = 1; i < n; i++) {
        if (o->slot[i] < o->slot[is->slot]) {
            is->slot = i;
        }
    }
    is->at = max(is->at, o->slot[is->slot]);
}

/*
 * When a load of a line just stored to goes on; `word`: its data are there.  The
 * R10000 waits for the store.  The R12000 goes on at once if it had the line, and
 * some time before the last IVACK if this comes soon after the data.  Else it
 * goes on with the data, but not if another such store was not complete when this
 * one was issued: then it waits for the store (thesis 4.20: a line takes half the
 * round trip longer for each hop to a lone sharer).
 */
static uint64_t store_word(const struct sn_cpu *c, struct sn_ooo *o,
                           const struct sn_issue *is, uint64_t word,
                           uint64_t done, bool upgrade)
{
    if (!c->r12k) {
        return done;
    }
    if (upgrade) {
        return is->at;
    }
    if (word + c->ps[SN_P_HIDE_R12K] >= done) {
        return word;
    }
    if (is->at < o->early) {
        return done;
    }
    o->early = done;
    return word;
}

uint32_t sn_ooo_end(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                    struct sn_issue *is, uint64_t word, uint64_t done,
                    uint64_t data, bool upgrade)
{
    struct sn_pending *p = &c->fast.pending;
    bool store = is->kind == SN_STORE || is->kind == SN_PREFX;
    struct sn_miss *e;

    if (data) {
        uint64_t hold = c->ps[store ? SN_P_HOLD_STORE : SN_P_HOLD];

        hold = sn_eased(c, hold);
        o->slot[is->slot] = max(data, done) + hold;
        o->data[is->slot] = data;
        o->hold[is->slot] = (uint32_t)hold;
    }
    if (store && data) {
        word = store_word(c, o, is, word, done, upgrade);
    } else if (!store) {
        done = word;
    }
    switch (is->kind) {
    case SN_IFETCH:
        wait(m, is, word);
        break;
    case SN_SC:
        wait(m, is, max(word, done));
        break;
    case SN_PREF:
    case SN_PREFX:
        wait(m, is, is->at); /* until it is issued, not for its data */
        break;
    case SN_LL:
    case SN_LOAD:
        if (is->contested) {
            /* What the program does next depends on the value. */
            wait(m, is, word);
            break;
        }
        /* fall through */
    default:
        if (is->at > SN_RUN_AHEAD_PS) {
            wait(m, is, is->at - SN_RUN_AHEAD_PS);
        }
        e = &o->miss[p->n++];
        e->base = is->base;
        e->pc = is->pc;
        e->insn = is->insn;
        e->number = is->number;
        e->word = word;
        e->done = done;
        e->data = data;
        e->line = (uint32_t)(is->pa >> m->line_shift);
        e->off = is->pa & (m->line_bytes - 1);
        e->kind = (uint8_t)is->kind;
        p->last = max(p->last, max(word, done));
    }
    p->stalled += is->stall;
    return (uint32_t)is->stall;
}

void sn_ooo_later(struct sn_cpu *c, struct sn_ooo *o, uint64_t from,
                  uint64_t to, uint64_t word)
{
    struct sn_pending *p = &c->fast.pending;

    for (unsigned i = 0; i < o->slots; i++) {
        if (o->data[i] == from) {
            o->data[i] = to;
            o->slot[i] = max(o->slot[i], to + o->hold[i]);
        }
    }
    for (unsigned i = 0; i < p->n; i++) {
        struct sn_miss *e = &o->miss[i];

        if (e->data == from) {
            e->data = to;
            e->word = max(e->word, word);
            e->done = max(e->done, word);
            p->last = max(p->last, max(e->word, e->done));
        }
    }
}

uint32_t sn_ooo_hit(struct sn_machine *m, struct sn_cpu *c, unsigned kind,
                    uint64_t now, uint32_t hit)
{
    struct sn_pending *p = &c->fast.pending;
    bool pending = p->last > sn_abs_ps(m, now);

    if (pending && kind != SN_IFETCH && kind != SN_SC) {
        hit = 0;
    }
    sn_pending_charge(p, pending, hit);
    return hit;
}

uint32_t sn_ooo_settle(struct sn_machine *m, struct sn_cpu *c,
                       const struct sn_ooo *o, uint64_t pa, bool store,
                       uint64_t now)
{
    uint64_t at = sn_abs_ps(m, now), until = at;

    for (unsigned i = 0; i < c->fast.pending.n; i++) {
        const struct sn_miss *e = &o->miss[i];

        if (store || e->line == (uint32_t)(pa >> m->line_shift)) {
            until = max(until, max(e->word, e->done));
        }
    }
    return until > at ? (uint32_t)to_ticks_up(m, until - at) : 0;
}

uint32_t sn_ooo_drain(struct sn_machine *m, struct sn_cpu *c, struct sn_ooo *o,
                      uint64_t now)
{
    struct sn_pending *p = &c->fast.pending;
    struct sn_issue is = { .now = now, .base = now - p->stalled };

    if (!p->n) {
        return 0;
    }
    settle(m, c, o, &is);
    for (unsigned i = 0; i < p->n; i++) {
        wait(m, &is, max(o->miss[i].done, o->miss[i].word));
    }
    sn_pending_charge(p, false, is.stall);
    return (uint32_t)is.stall;
}
