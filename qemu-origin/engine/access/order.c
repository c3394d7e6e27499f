/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that processors contest; see order.h. */
#include "access/order.h"

#include "access/evict.h"
#include "time/model.h"

static uint64_t line_number(const struct sn_machine *m, uint64_t pa)
{
    return (pa & 0xffffffffu) >> m->line_shift;
}

static struct sn_contest *slot_of(struct sn_machine *m, unsigned home,
                                  uint64_t pa)
{
    return &m->node[home].contest[line_number(m, pa) % SN_CONTESTS];
}

/* The line's entry if it is contested at `now`, else NULL. */
static struct sn_contest *contest_peek(struct sn_machine *m, unsigned home,
                                       const struct sn_chunk *ch, uint64_t pa,
                                       uint64_t now)
{
    struct sn_contest *e = slot_of(m, home, pa);

    return ch->st[sn_place(m, pa)] & SN_ST_CONTESTED &&
                   e->line == line_number(m, pa) && now < e->last + m->window
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
        ch->st[sn_place(m, pa)] &= (uint16_t)~SN_ST_CONTESTED;
    }
    return e;
}

void sn_order_contest(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                      bool contested)
{
    const struct sn_cache *l2 = &c->fast.l2, *d = &c->fast.d;
    uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));
    uint32_t set = sn_l1_first(l2, d, pa), tag = sn_cache_tag(d, pa);
    uint32_t bit = contested ? SN_CONTESTED : 0;

    if (w < 0 || (s[w] & SN_CONTESTED) == bit) {
        return;
    }
    s[w] = (s[w] & ~SN_CONTESTED) | bit;
    for (unsigned i = 0; i < sn_l1_parts(l2, d); i++) {
        uint32_t *l = sn_cache_at(d, set + i);
        int k = sn_cache_find(d, l, tag);

        if (k < 0) {
            continue;
        }
        l[k] = (l[k] & ~SN_CONTESTED) | bit;
        if (contested) {
            sn_l1_note(m, c, false, sn_cache_addr(d, l[k], set + i));
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
    uint64_t number = line_number(m, t->pa);
    const struct sn_recent *r = &m->node[t->home].recent[number % SN_RECENT];
    struct sn_contest *e = slot_of(m, t->home, t->pa);

    m->order.transfers++;
    if (!m->window) {
        return;
    }
    if (!t->contested && r->line == number && r->owner_ready &&
        r->req != t->req && t->now < r->owner_ready + m->window) {
        t->contested = true;
        t->ch->st[sn_place(m, t->pa)] |= SN_ST_CONTESTED;
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
    uint64_t number = line_number(m, t->pa), tick = sn_tx_tick(t, at), used = 0;
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
static uint64_t until_lost(const struct sn_machine *m, const struct sn_cpu *c,
                           uint64_t pa, uint64_t now)
{
    const struct sn_lost *l = &c->lost[line_number(m, pa) % SN_LOSTS];

    return l->pa == sn_line_of(m, pa) && l->at > now ? l->at - now : 0;
}

/*
 * A CPU hits a contested line at `now`: by how many ticks may its clock be ahead of
 * the other CPUs' clocks?  Another CPU that wants the line needs at least the time
 * of a request to the home and of the home's message to this CPU.
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

/*
 * May the CPU load from a contested line though others may still be behind?  If its
 * caches have the line and nobody can take it away so soon.
 */
static bool may_glance(struct sn_machine *m, struct sn_cpu *c,
                       const struct sn_chunk *ch, unsigned home,
                       const struct sn_intent *in, uint64_t now)
{
    const struct sn_contest *e;

    if (in->floor < 0 || in->kind != SN_LOAD || c->fast.watched ||
        sn_cpu_state(c, in->pa) == SN_I) {
        return false;
    }
    e = contest_peek(m, home, ch, in->pa, now);
    if (!e || until_lost(m, c, in->pa, now) ||
        m->time->settle(m, c, in->pa, false, now) ||
        (int64_t)now - slack(m, c, e, now) > in->floor) {
        return false;
    }
    c->glanced.pa = sn_line_of(m, in->pa);
    c->glanced.at = now;
    return true;
}

/* An access at `now` to a line that is contested, or whose last transfer is not over. */
static enum sn_turn wait_for_line(struct sn_machine *m, struct sn_cpu *c,
                                  struct sn_chunk *ch, unsigned home,
                                  struct sn_intent *in, uint64_t now)
{
    bool write = in->kind == SN_STORE || in->kind == SN_SC;
    struct sn_contest *e = contest(m, home, ch, in->pa, now);
    const struct sn_recent *r =
        &m->node[home].recent[line_number(m, in->pa) % SN_RECENT];
    unsigned st = ch->st[sn_place(m, in->pa)];

    if (!e && !((st & SN_ST_RECENT) && r->line == line_number(m, in->pa) &&
                r->owner_ready > now)) {
        sn_order_contest(m, c, in->pa, false);
        return SN_TURN_FREE;
    }
    in->stall = (uint32_t)later(until_lost(m, c, in->pa, now),
                                m->time->settle(m, c, in->pa, write, now));
    now += in->stall;
    c->fast.pending.stalled += in->stall;
    st = sn_cpu_state(c, in->pa);
    if (e && (write ? st >= SN_E : st != SN_I)) { /* a hit */
        e->used = later(e->used, now);
        in->after = -slack(m, c, e, now);
        in->reads = in->kind == SN_LOAD;
    } else {
        in->after = (int64_t)sn_to_ticks(m, sn_net(m, c->node, home));
    }
    return SN_TURN_ALL;
}

/*
 * Both CPUs of a node need its bus.  One that runs ahead would find the bus free,
 * although the other one needs it at that time.  LL and SC do not wait: they make
 * several accesses, and the other CPU could take the line before each new start.
 */
enum sn_turn sn_bus_turn(const struct sn_machine *m, unsigned cpu,
                         struct sn_intent *in)
{
    if (!m->time->queues || in->waited || in->kind == SN_LL ||
        in->kind == SN_SC) {
        return SN_TURN_FREE;
    }
    in->partner = m->cpu[cpu ^ 1].present ? cpu ^ 1 : SN_NO_CPU;
    return SN_TURN_PARTNER;
}

/*
 * LL, SC and prefetches: do the CPU's caches have the line with the right that it
 * needs, uncontested?
 */
static bool own(const struct sn_cpu *c, uint64_t pa, enum sn_kind kind)
{
    const struct sn_cache *l2 = &c->fast.l2;
    const uint32_t *s = sn_cache_set(l2, pa);
    int w = sn_cache_find(l2, s, sn_cache_tag(l2, pa));

    if (c->fast.watched) {
        return false;
    }
    if (kind == SN_SC && c->link != pa >> l2->line_shift) {
        return true;
    }
    /* The L2 has what the L1 has, with the same right or more. */
    return w >= 0 && !(s[w] & SN_CONTESTED) &&
           (kind == SN_LL || kind == SN_PREF ||
            sn_tag_state(s, (unsigned)w) >= SN_E);
}

/* sn_intent() for a line that is contested, or that was transferred lately */
static enum sn_turn __attribute__((noinline))
contested(struct sn_machine *m, struct sn_cpu *c, struct sn_chunk *ch,
          unsigned home, struct sn_intent *in)
{
    struct sn_where at = { .now = in->now };

    in->contested = true;
    if (in->from && !m->ops.where(m->opaque, c->index, in->from, &at)) {
        return SN_TURN_ASK;
    }
    if (may_glance(m, c, ch, home, in, at.now)) {
        return SN_TURN_OWN;
    }
    if (!in->still) {
        return SN_TURN_ASK;
    }
    return in->waited ? SN_TURN_FREE
                      : wait_for_line(m, c, ch, home, in, at.now);
}

enum sn_turn sn_intent(struct sn_machine *m, unsigned cpu, struct sn_intent *in)
{
    struct sn_cpu *c = &m->cpu[cpu];
    int home = m->window ? sn_home(m, in->pa) : -1;
    struct sn_chunk *ch;

    in->contested = in->reads = false;
    in->stall = 0;
    in->after = 0;
    if (!in->still && in->kind >= SN_LL) {
        return own(c, in->pa, in->kind) ? SN_TURN_OWN : SN_TURN_ASK;
    }
    ch = home < 0 ? NULL : sn_chunk_peek(&m->node[home].dir, in->pa);
    if (!ch) {
        return sn_bus_turn(m, cpu, in);
    }
    if (!(ch->st[sn_place(m, in->pa)] & (SN_ST_RECENT | SN_ST_CONTESTED))) {
        sn_order_contest(m, c, in->pa, false);
        return sn_bus_turn(m, cpu, in);
    }
    return contested(m, c, ch, (unsigned)home, in);
}
