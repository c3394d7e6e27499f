/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router ports: micropackets in and out of each link and the four histogram
 * counters of RR_HISTOGRAM in their three modes (regs/ev_router.h.inc).  When
 * a counter would pass 65535 all four are halved (thesis 5.2.3).  The 50 MHz
 * counter follows machine time: it is brought up to date, overflow by overflow,
 * when the port is read and before the first message after an overflow, so the
 * others are halved at the right moment of their traffic.
 *
 * A message goes over up to eight routers.  It is only entered in a table of
 * pairs of nodes, from which the ports' totals and counters follow: when somebody
 * asks and, because halving depends on the order of messages and on time, before
 * the first that could make a counter of modes 1 and 2 overflow.
 *
 * Without contention every packet finds its queue empty and its age at 0: the
 * DAMQ histogram counts the selected channel's packets in bucket 0, the age
 * histogram all packets in bucket 0, and every packet takes the bypass unless
 * a metarouter has it disabled (thesis 4.3.2).
 */
#include <string.h>

#include "machine.h"

#define CLOCK_HZ    50000000u
#define COUNT16     65536u

/* Ticks until the clock counter at `count` overflows. */
static uint64_t clock_ticks(const struct sn_machine *m, uint64_t counts)
{
    return (uint64_t)(((unsigned __int128)counts * m->tick_hz + CLOCK_HZ - 1) /
                      CLOCK_HZ);
}

static uint64_t clock_counts(const struct sn_machine *m, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * CLOCK_HZ / m->tick_hz);
}

static void halve(struct sn_port *p)
{
    for (unsigned i = 0; i < 4; i++) {
        p->cnt[i] >>= 1;
    }
    p->halved++;
}

/* Bring the clock counter of UTIL mode to `now`. */
static void clock_sync(const struct sn_machine *m, struct sn_port *p, uint64_t now)
{
    uint64_t n;

    if (p->mode != 1 || now <= p->clk_at) {
        return;
    }
    while (now >= p->clk_next) {
        /* Many periods without traffic: the other counters are soon zero. */
        uint64_t idle = (now - p->clk_next) / clock_ticks(m, COUNT16 / 2);

        p->clk_at = p->clk_next;
        p->cnt[3] = COUNT16;
        halve(p);
        if (idle > 40) {
            p->cnt[0] = p->cnt[1] = p->cnt[2] = 0;
            p->clk_at += (idle - 40) * clock_ticks(m, COUNT16 / 2);
        }
        p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[3]);
    }
    n = clock_counts(m, now - p->clk_at);
    p->cnt[3] += (uint32_t)n;
    p->clk_at += clock_ticks(m, n);
    if (p->clk_at > now) {
        p->clk_at = now;
    }
    p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[3]);
}

/*
 * Count n micropackets in the counters of `which` (bit i: counter i), at `now`
 * and one at a time where one of them overflows on the way.
 */
static void add(const struct sn_machine *m, struct sn_port *p, unsigned which,
                unsigned n, uint64_t now)
{
    unsigned top = 0;

    for (unsigned i = 0; i < 3; i++) {
        if (which >> i & 1 && p->cnt[i] > top) {
            top = p->cnt[i];
        }
    }
    if (sn_likely(top + n < COUNT16)) {
        for (unsigned i = 0; i < 3; i++) {
            p->cnt[i] += which >> i & 1 ? n : 0;
        }
        return;
    }
    clock_sync(m, p, now);
    while (n--) {
        bool over = false;

        for (unsigned i = 0; i < 3; i++) {
            p->cnt[i] += which >> i & 1;
            over |= p->cnt[i] >= COUNT16;
        }
        if (over) {
            halve(p);
        }
    }
    if (p->mode == 1) {
        p->clk_next = p->clk_at + clock_ticks(m, COUNT16 - p->cnt[3]);
    }
}

static const uint16_t *path_of(const struct sn_machine *m, unsigned a, unsigned b)
{
    return &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
}

/* Packets that came in without waiting: the age histogram's first counter. */
static void add_ages(struct sn_port *p, uint64_t packets)
{
    while (packets >= COUNT16 - p->cnt[0]) {
        packets -= COUNT16 - p->cnt[0];
        p->cnt[0] = COUNT16;
        halve(p);
    }
    p->cnt[0] += (uint32_t)packets;
}

/* What went along the path is entered in its ports; `now` matters where one overflows. */
static void settle_path(struct sn_machine *m, const uint16_t *path, const struct sn_flow *f,
                        uint64_t now)
{
    uint64_t n = 0;

    for (unsigned vc = 0; vc < SN_VCS; vc++) {
        n += f->micro[vc];
    }
    for (unsigned i = 0; i < path[0]; i++) {
        struct sn_port *in = &m->port[path[1 + 2 * i]];
        struct sn_port *out = &m->port[path[2 + 2 * i]];

        for (unsigned vc = 0; vc < SN_VCS; vc++) {
            in->recv[vc] += f->micro[vc];
            out->sent[vc] += f->micro[vc];
        }
        in->bypass += m->nobypass ? 0 : n;
        in->packets += f->packets;
        if (in->mode == 0) {
            add_ages(in, f->packets);
        } else if (in->mode == 1) {
            add(m, in, m->nobypass ? 2 : 3, (unsigned)n, now);
        } else if (in->mode == 2) {
            add(m, in, 1, (unsigned)f->micro[in->vc], now);
        }
        if (out->mode == 1) {
            add(m, out, 4, (unsigned)n, now);
        }
    }
}

void sn_router_settle(struct sn_machine *m)
{
    for (unsigned i = 0; i < m->flow.nused; i++) {
        unsigned k = m->flow.used[i];

        settle_path(m, path_of(m, k / m->nnodes, k % m->nnodes), &m->flow.f[k], 0);
        memset(&m->flow.f[k], 0, sizeof(m->flow.f[k]));
    }
    m->flow.nused = 0;
}

/*
 * Bring the clocks of all ports to `now`, and say how much may pass, and until
 * when, before any counter that depends on the order of messages overflows.
 * Everything is settled.
 */
static void look_ahead(struct sn_machine *m, uint64_t now)
{
    uint64_t left = UINT64_MAX, until = UINT64_MAX;

    for (struct sn_port *p = m->port; p < m->port + m->nrouters * 7; p++) {
        if (p->mode != 1 && p->mode != 2) {
            continue;
        }
        if (now >= p->clk_next) {
            clock_sync(m, p, now);
        }
        until = p->clk_next < until ? p->clk_next : until;
        for (unsigned i = 0; i < 3; i++) {
            left = COUNT16 - 1 - p->cnt[i] < left ? COUNT16 - 1 - p->cnt[i] : left;
        }
    }
    m->flow.left = left;
    m->flow.until = until;
}

bool sn_router_count(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                     unsigned vc, uint64_t now)
{
    struct sn_flow one = { .packets = 1 };

    sn_router_settle(m);
    look_ahead(m, now);
    if (n <= m->flow.left) {
        return false;
    }
    one.micro[vc] = n;
    settle_path(m, path_of(m, a, b), &one, now);
    m->flow.left = 0;
    return true;
}

static struct sn_port *port_of(struct sn_machine *m, unsigned router, unsigned port)
{
    return router < m->nrouters && port >= 1 && port <= SN_ROUTER_PORTS ?
        &m->port[router * 7 + port] : NULL;
}

uint64_t sn_rr_histogram(struct sn_machine *m, unsigned router, unsigned port,
                         bool clear, uint64_t now)
{
    struct sn_port *p = port_of(m, router, port);
    uint64_t v = 0;

    if (!p) {
        return 0;
    }
    sn_router_settle(m);
    clock_sync(m, p, now);
    for (unsigned i = 0; i < 4; i++) {
        v |= (uint64_t)(p->cnt[i] & 0xffff) << (16 * i);
    }
    if (clear) {
        memset(p->cnt, 0, sizeof(p->cnt));
        if (now > p->clk_at) {
            p->clk_at = now;
        }
        p->clk_next = p->mode == 1 ? p->clk_at + clock_ticks(m, COUNT16) : UINT64_MAX;
    }
    return v;
}

void sn_rr_parms_set(struct sn_machine *m, unsigned router, unsigned port,
                     uint64_t v, uint64_t now)
{
    struct sn_port *p = port_of(m, router, port);
    unsigned mode = v >> 18 & 3, vc = v >> 16 & 3;

    if (!p || (p->mode == mode && p->vc == vc)) {
        return;
    }
    sn_router_settle(m);
    p->mode = (uint8_t)mode;
    p->vc = (uint8_t)vc;
    memset(p->cnt, 0, sizeof(p->cnt));
    p->clk_at = now;
    p->clk_next = mode == 1 ? now + clock_ticks(m, COUNT16) : UINT64_MAX;
    m->flow.left = 0;
}

void sn_router_init(struct sn_machine *m)
{
    for (unsigned i = 0; i < m->flow.nused; i++) {
        memset(&m->flow.f[m->flow.used[i]], 0, sizeof(m->flow.f[0]));
    }
    m->flow.nused = 0;
    m->flow.left = 0;
    for (unsigned r = 0; r < m->nrouters; r++) {
        for (unsigned i = 0; i <= SN_ROUTER_PORTS; i++) {
            struct sn_port *p = &m->port[r * 7 + i];

            memset(p, 0, sizeof(*p));
            if (m->full) {
                sn_cal_reset(&m->out[r * 7 + i]);
            }
            p->wired = i && m->desc->router[r].port[i].kind != SN_END_NONE;
            p->clk_next = UINT64_MAX;       /* mode 0, age */
        }
    }
}
