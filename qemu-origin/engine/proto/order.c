/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that processors contest; see order.h. */
#include "proto/order.h"

#include "cache/evict.h"
#include "time/model.h"

static uint64_t line_number(uint64_t pa)
{
    return (pa & 0xffffffffu) >> SN_LINE_SHIFT;
}

static struct sn_contest *slot_of(struct sn_machine *m, unsigned home,
                                  uint64_t pa)
{
    return &m->node[home].contest[line_number(pa) % SN_CONTESTS];
}

/* The line's entry if it is contested at `now`, else NULL. */
static struct sn_contest *contest_peek(struct sn_machine *m, unsigned home,
                                       const struct sn_chunk *ch, uint64_t pa,
                                       uint64_t now)
{
    struct sn_contest *e = slot_of(m, home, pa);

    return ch->st[sn_line_index(pa)] & SN_ST_CONTESTED &&
                   e->line == line_number(pa) && now < e->last + m->window
               ? e
               : NULL;
}

/* The same; the line forgets that it was contested if it no longer is. */
static struct sn_contest *contest(struct sn_machine *m, unsigned home,
                                  struct sn_chunk *ch, uint64_t pa,
                                  uint64_t now)
{
    struct sn_contest *e = contest_peek(m, home, ch, pa, now);

    if (!e) {
        ch->st[sn_line_index(pa)] &= (uint16_t)~SN_ST_CONTESTED;
    }
    return e;
}

void sn_order_contest(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                      bool contested)
{
    uint32_t *s = sn_l2_set(&c->fast.l2, pa), tag = sn_l1_tag(pa);
    int w = sn_tag_find(s, sn_l2_tag(&c->fast.l2, pa));
    unsigned set = (unsigned)(pa >> SN_L1D_SHIFT) & (SN_L1D_SETS - 1) & ~3u;
    uint32_t bit = contested ? SN_CONTESTED : 0;

    if (w < 0 || (s[w] & SN_CONTESTED) == bit) {
        return;
    }
    s[w] = (s[w] & ~SN_CONTESTED) | bit;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t *l = c->fast.l1d[set + i];
        int k = sn_tag_find(l, tag);

        if (k < 0) {
            continue;
        }
        l[k] = (l[k] & ~SN_CONTESTED) | bit;
        if (contested) {
            sn_l1_note(m, c, false, sn_l1_addr(l[k], set + i, SN_L1D_SHIFT));
        }
    }
}

bool sn_order_recall(struct sn_tx *t)
{
    return contest(t->m, t->home, t->ch, t->pa, t->now) != NULL;
}

/*
 * Called before the transfer is entered in recent[], which then still has the
 * one before.
 */
void sn_order_moved(struct sn_tx *t)
{
    struct sn_machine *m = t->m;
    uint64_t number = line_number(t->pa);
    const struct sn_recent *r = &m->node[t->home].recent[number % SN_RECENT];
    struct sn_contest *e = slot_of(m, t->home, t->pa);

    m->order.transfers++;
    if (!m->window) {
        return;
    }
    if (!t->contested && r->line == number && r->owner_ready &&
        r->req != t->req && t->now < r->owner_ready + m->window) {
        t->contested = true;
        t->ch->st[sn_line_index(t->pa)] |= SN_ST_CONTESTED;
        e->line = number;
        e->used = 0;
    }
    if (t->contested) {
        e->last = sn_tx_tick(t, later(t->data, t->ack));
        if (t->owner) {
            sn_order_contest(m, t->owner, t->pa, true);
        }
    }
}

void sn_order_lost(struct sn_tx *t, struct sn_cpu *c, uint64_t at)
{
    struct sn_machine *m = t->m;
    uint64_t number = line_number(t->pa), tick = sn_tx_tick(t, at), used = 0;
    struct sn_lost *l = &c->lost[number % SN_LOSTS];

    if (!m->window) {
        return;
    }
    l->pa = t->pa;
    l->at = tick;
    if (t->contested) {
        used = slot_of(m, t->home, t->pa)->used;
        if (c->glanced.pa == t->pa) {
            used = later(used, c->glanced.at);
        }
    } else if (m->ops.cpu_time) {
        used = m->ops.cpu_time(m->opaque, c->index);
    }
    if (used > tick) {
        m->order.early++;
        m->order.early_sum += used - tick;
        m->order.early_most = later(m->order.early_most, used - tick);
    }
}

/* Ticks from `now` until a copy that the CPU has lost is gone. */
static uint64_t until_lost(const struct sn_cpu *c, uint64_t pa, uint64_t now)
{
    const struct sn_lost *l = &c->lost[line_number(pa) % SN_LOSTS];

    return l->pa == (pa & ~(uint64_t)(SN_LINE_SIZE - 1)) && l->at > now
               ? l->at - now
               : 0;
}

/*
 * A hit at `now`: how far may the CPU be ahead of others?  Nobody takes the line
 * away in less than the way of a request and of what it makes the home send.
 */
static int64_t slack(struct sn_machine *m, const struct sn_cpu *c,
                     const struct sn_contest *e, uint64_t now)
{
    const uint32_t *ps = m->node[c->node].ps;
    uint64_t way = sn_to_ticks(m, (uint64_t)ps[SN_P_ISSUE] + 2 * ps[SN_P_XBAR] +
                                      ps[SN_P_MD_DIR] + ps[SN_P_MSG_OCC]);
    uint64_t part = now > e->last ? (now - e->last) / SN_ORDER_PART : 0;

    return (int64_t)later(way, part);
}

bool sn_contested(struct sn_machine *m, unsigned cpu, uint64_t pa)
{
    int home = sn_home(m, pa);
    const struct sn_chunk *ch;

    if (home < 0 || !m->window) {
        return false;
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    if (!ch) {
        return false;
    }
    if (ch->st[sn_line_index(pa)] & (SN_ST_RECENT | SN_ST_CONTESTED)) {
        return true;
    }
    sn_order_contest(m, &m->cpu[cpu], pa, false);
    return false;
}

bool sn_order(struct sn_machine *m, unsigned cpu, uint64_t pa,
              enum sn_kind kind, uint64_t now, uint32_t *wait, int64_t *after)
{
    struct sn_cpu *c = &m->cpu[cpu];
    bool write = kind == SN_STORE || kind == SN_SC;
    int home = sn_home(m, pa);
    const struct sn_recent *r;
    struct sn_contest *e;
    struct sn_chunk *ch;
    unsigned st;

    if (home < 0) {
        return false;
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    if (!ch) {
        return false;
    }
    st = ch->st[sn_line_index(pa)];
    e = contest(m, (unsigned)home, ch, pa, now);
    r = &m->node[home].recent[line_number(pa) % SN_RECENT];
    if (!e && !((st & SN_ST_RECENT) && r->line == line_number(pa) &&
                r->owner_ready > now)) {
        sn_order_contest(m, c, pa, false);
        return false;
    }
    now += *wait = (uint32_t)later(until_lost(c, pa, now),
                                   m->time->settle(m, c, pa, write, now));
    c->fast.pending.stalled += *wait;
    st = sn_cpu_state(c, pa);
    if (e && (write ? st >= SN_E : st != SN_I)) {
        e->used = later(e->used, now);
        *after = -slack(m, c, e, now);
    } else {
        *after = (int64_t)sn_to_ticks(m, sn_net(m, c->node, (unsigned)home));
    }
    return true;
}

bool sn_order_hit(struct sn_machine *m, unsigned cpu, uint64_t pa, uint64_t now,
                  uint64_t floor)
{
    struct sn_cpu *c = &m->cpu[cpu];
    int home = sn_home(m, pa);
    const struct sn_contest *e;
    const struct sn_chunk *ch;

    if (home < 0 || c->fast.watched || sn_cpu_state(c, pa) == SN_I) {
        return false;
    }
    ch = sn_chunk_peek(&m->node[home].dir, pa);
    e = ch ? contest_peek(m, (unsigned)home, ch, pa, now) : NULL;
    if (!e || until_lost(c, pa, now) || m->time->settle(m, c, pa, false, now) ||
        (int64_t)now - slack(m, c, e, now) > (int64_t)floor) {
        return false;
    }
    c->glanced.pa = pa & ~(uint64_t)(SN_LINE_SIZE - 1);
    c->glanced.at = now;
    return true;
}
