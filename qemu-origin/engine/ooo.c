/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overlapping misses of one processor; see ooo.h. */
#include <string.h>

#include "machine.h"

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t to_ticks_up(const struct sn_machine *m, uint64_t ps)
{
    return sn_to_ticks(m, ps + 1000000000000u / m->tick_hz);
}

void sn_ooo_reset(struct sn_machine *m, struct sn_cpu *c)
{
    const struct sn_cpu_desc *d = &m->desc->node[c->node].cpu[c->index % SN_NODE_CPUS];

    memset(&c->ooo, 0, sizeof(c->ooo));
    if (c->present) {
        c->ooo.insn_ps = 1000000000u / d->khz;
        c->ooo.per_insn = UINT64_MAX / c->ooo.insn_ps + 1;
        c->ooo.window = (uint64_t)((c->r12k ? SN_WINDOW_R12K : SN_WINDOW_R10K) *
                                   (double)m->tick_hz / (d->khz * 1000.0) + 0.5);
    }
}

/* The clock must not be before `ps`: stall up to there. */
static void wait(struct sn_machine *m, struct sn_issue *is, uint64_t ps)
{
    uint64_t now = sn_abs_ps(m, is->now + is->stall);

    if (ps > now) {
        is->stall += to_ticks_up(m, ps - now);
    }
}

/* Instructions that left the window behind: what they waited for. */
static void settle(struct sn_machine *m, struct sn_cpu *c, struct sn_issue *is)
{
    struct sn_ooo *o = &c->ooo;
    uint64_t reach = SN_REACH * o->insn_ps, now;
    unsigned left = 0;

    now = sn_abs_ps(m, is->now);
    for (unsigned i = 0; i < o->n; i++) {
        struct sn_miss *e = &o->miss[i];
        uint64_t out = e->base + o->window;

        if (is->base >= out && e->done > now) {
            wait(m, is, e->done + sn_abs_ps(m, is->base - out));
        }
    }
    now = sn_abs_ps(m, is->now + is->stall);
    for (unsigned i = 0; i < o->n; i++) {
        struct sn_miss *e = &o->miss[i];

        /* Beyond the window only what it keeps computing counts. */
        if (e->done > now || (e->word + reach > now &&
                              sn_abs_ps(m, is->base - e->base) < reach)) {
            if (left != i) {
                o->miss[left] = *e;
            }
            left++;
        }
    }
    o->n = left;
}

void sn_ooo_begin(struct sn_machine *m, struct sn_cpu *c, uint64_t pa, unsigned kind,
                  uint64_t now, struct sn_issue *is)
{
    struct sn_ooo *o = &c->ooo;
    struct sn_where w = { 0, now, 0 };
    bool known = m->ops.where && m->ops.where(m->opaque, c->index, &w);
    uint64_t ready = 0, start;

    is->now = known ? w.now : now;
    is->base = is->now - o->stalled;
    is->pc = known ? w.pc : 0;
    is->insn = w.word;
    is->pa = pa;
    is->kind = kind;
    is->stall = 0;
    settle(m, c, is);
    start = sn_abs_ps(m, is->now + is->stall);
    for (unsigned i = 0; i < o->n; i++) {
        struct sn_miss *e = &o->miss[i];
        uint64_t at = e->word;

        if (kind == SN_SC) {
            at = max(at, e->done);
        } else if (is->base >= e->base && e->line != (uint32_t)(pa >> SN_LINE_SHIFT) && is->pc && e->pc &&
                   kind != SN_IFETCH) {
            uint64_t behind = sn_abs_ps(m, is->base - e->base) + o->insn_ps / 2;
            unsigned dist;
            int d;

            /* That many instructions in a chain have ended by now, or are too many. */
            if (e->word + behind <= start || behind >= (SN_REACH + 1) * o->insn_ps) {
                continue;
            }
            dist = (unsigned)((unsigned __int128)behind * o->per_insn >> 64);
            if (e->word + dist * o->insn_ps <= start) {
                continue;
            }
            d = sn_depend(m, c->index, e, is, dist);
            if (d == -1) {
                continue;
            }
            at += d > 0 ? (uint64_t)d * o->insn_ps : 0;
        }
        ready = max(ready, at);
    }
    if (kind == SN_SC || kind == SN_IFETCH) {
        wait(m, is, ready);
    }
    is->at = max(sn_abs_ps(m, is->now + is->stall), ready);
    if (o->n == SN_OOO_MAX) {
        wait(m, is, max(o->miss[0].done, o->miss[0].word));
        memmove(o->miss, o->miss + 1, (SN_OOO_MAX - 1) * sizeof(*o->miss));
        o->n--;
    }
}

void sn_ooo_slot(struct sn_machine *m, struct sn_cpu *c, struct sn_issue *is)
{
    struct sn_ooo *o = &c->ooo;
    unsigned n = is->kind == SN_STORE || is->kind == SN_SC || is->kind == SN_PREFX ?
        SN_MSHRS_STORE : SN_MSHRS;

    (void)m;
    is->slot = 0;
    for (unsigned i = 1; i < n; i++) {
        if (o->slot[i] < o->slot[is->slot]) {
            is->slot = i;
        }
    }
    is->at = max(is->at, o->slot[is->slot]);
}

uint32_t sn_ooo_end(struct sn_machine *m, struct sn_cpu *c, struct sn_issue *is,
                    uint64_t word, uint64_t done, uint64_t data, bool upgrade)
{
    struct sn_ooo *o = &c->ooo;
    bool store = is->kind == SN_STORE || is->kind == SN_PREFX;
    struct sn_miss *e;

    if (data) {
        o->slot[is->slot] = max(data, done) +
            c->ps[!upgrade ? SN_P_HOLD :
                  c->r12k ? SN_P_HOLD_UP_R12K : SN_P_HOLD_UP_R10K];
    }
    if (store && data) {
        /*
         * Loads of the line just stored to: the R10000 waits for the store;
         * the R12000 goes on somewhat before it is complete, and at once when
         * it had the line.
         */
        if (!c->r12k) {
            word = done;
        } else if (upgrade) {
            word = is->at;
        } else {
            word = max(word, done - c->ps[SN_P_HIDE_R12K]);
        }
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
        wait(m, is, is->at);        /* its turn in the queue, not its data */
        break;
    default:
        if (is->at > SN_RUN_AHEAD_PS) {
            wait(m, is, is->at - SN_RUN_AHEAD_PS);
        }
        e = &o->miss[o->n++];
        e->base = is->base;
        e->pc = is->pc;
        e->insn = is->insn;
        e->word = word;
        e->done = done;
        e->line = (uint32_t)(is->pa >> SN_LINE_SHIFT);
        e->off = is->pa & (SN_LINE_SIZE - 1);
        e->kind = (uint8_t)is->kind;
        o->last = max(o->last, max(word, done));
    }
    o->stalled += is->stall;
    return (uint32_t)is->stall;
}

uint32_t sn_ooo_hit(struct sn_machine *m, struct sn_cpu *c, unsigned kind, uint64_t now,
                    uint32_t hit)
{
    struct sn_ooo *o = &c->ooo;
    bool pending = o->last > sn_abs_ps(m, now);

    if (pending && kind != SN_IFETCH && kind != SN_SC) {
        hit = 0;
    }
    sn_ooo_charge(o, pending, hit);
    return hit;
}

uint32_t sn_ooo_drain(struct sn_machine *m, struct sn_cpu *c, uint64_t now)
{
    struct sn_ooo *o = &c->ooo;
    struct sn_issue is = { .now = now, .base = now - o->stalled };

    if (!o->n) {
        return 0;
    }
    settle(m, c, &is);
    for (unsigned i = 0; i < o->n; i++) {
        wait(m, &is, max(o->miss[i].done, o->miss[i].word));
    }
    sn_ooo_charge(o, false, is.stall);
    return (uint32_t)is.stall;
}
