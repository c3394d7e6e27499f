/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Router ports: micropackets in and out of each link and the four histogram
 * counters of RR_HISTOGRAM in their three modes (regs/ev_router.h.inc).  When
 * a counter would pass 65535 all four are halved (thesis 5.2.3).  The 50 MHz
 * counter follows machine time: it is brought up to date whenever the port is
 * used or read, overflow by overflow, so the others are halved at the right
 * moment of their traffic.
 *
 * A message goes over up to eight routers.  It is entered in a table of pairs of
 * nodes; totals of ports, and age histograms (mode 0, every port's since reset),
 * follow from that when somebody asks.  Only ports in the other modes, whose
 * counters depend on the order of messages or on time, are visited by each.
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
 * Count n micropackets in the counters of `which` (bit i: counter i), one at a
 * time where one of them overflows on the way.
 */
static void add(const struct sn_machine *m, struct sn_port *p, unsigned which,
                unsigned n)
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

static inline void catch_up(const struct sn_machine *m, struct sn_port *p,
                            uint64_t now)
{
    if (sn_unlikely(now >= p->clk_next)) {
        clock_sync(m, p, now);
    }
}

static const uint16_t *path_of(const struct sn_machine *m, unsigned a, unsigned b)
{
    return &m->path[((size_t)a * m->nnodes + b) * m->path_stride];
}

void sn_router_count(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                     unsigned vc, uint64_t now)
{
    const uint16_t *path = path_of(m, a, b);

    for (unsigned i = 0; i < path[0]; i++) {
        struct sn_port *in = &m->port[path[1 + 2 * i]];
        struct sn_port *out = &m->port[path[2 + 2 * i]];

        if (in->mode == 1) {
            catch_up(m, in, now);
            add(m, in, m->nobypass ? 2 : 3, n);
        } else if (in->mode == 2 && in->vc == vc) {
            add(m, in, 1, n);
        }
        if (out->mode == 1) {
            catch_up(m, out, now);
            add(m, out, 4, n);
        }
    }
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

static void settle_path(struct sn_machine *m, const uint16_t *path, const struct sn_flow *f)
{
    for (unsigned i = 0; i < path[0]; i++) {
        struct sn_port *in = &m->port[path[1 + 2 * i]];
        struct sn_port *out = &m->port[path[2 + 2 * i]];

        for (unsigned vc = 0; vc < SN_VCS; vc++) {
            in->recv[vc] += f->micro[vc];
            out->sent[vc] += f->micro[vc];
            in->bypass += m->nobypass ? 0 : f->micro[vc];
        }
        in->packets += f->packets;
        if (in->mode == 0) {
            add_ages(in, f->packets);
        }
    }
}

void sn_router_settle(struct sn_machine *m)
{
    for (unsigned a = 0; a < m->nnodes; a++) {
        for (unsigned b = 0; b < m->nnodes; b++) {
            struct sn_flow *f = &m->flow[a * m->nnodes + b];

            if (f->packets) {
                settle_path(m, path_of(m, a, b), f);
                memset(f, 0, sizeof(*f));
            }
        }
    }
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
    if (p->mode == 0) {
        sn_router_settle(m);
    }
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
    m->counting += (mode == 1 || mode == 2) - (p->mode == 1 || p->mode == 2);
    p->mode = (uint8_t)mode;
    p->vc = (uint8_t)vc;
    memset(p->cnt, 0, sizeof(p->cnt));
    p->clk_at = now;
    p->clk_next = mode == 1 ? now + clock_ticks(m, COUNT16) : UINT64_MAX;
}

void sn_router_init(struct sn_machine *m)
{
    m->counting = 0;
    for (size_t i = 0; i < (size_t)m->nnodes * m->nnodes; i++) {
        if (m->flow[i].packets) {
            memset(&m->flow[i], 0, sizeof(m->flow[i]));
        }
    }
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
